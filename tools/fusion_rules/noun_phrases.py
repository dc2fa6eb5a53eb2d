"""Noun phrases: their number, and their edges without a clause that belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsed_sentences import Parse

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
PLURAL = frozenset({"NNS", "NNPS"})
ARTICLES = frozenset({"a", "an"})
UNCLEAR = frozenset({"who", "which", "that", "there", "this", "these", "those", "what"})
"""Words that name nothing by themselves."""
# Said again, "two men" may be two others, and "few" of one kind are not "few" of another.
_QUANTIFIERS = frozenset(
    {"another", "any", "anybody", "anyone", "each", "either", "every", "few", "fewer", "half"}
    | {"many", "more", "most", "neither", "no", "nobody", "none", "nothing", "one", "other"}
    | {"several", "some", "somebody", "someone", "something", "such"}
)
# "Two", "about twenty", "at least ten", "not all".
_OF_NUMBERS = frozenset({"CD", "RB", "IN"})


def is_plural(parse: Parse, noun: int) -> bool:
    """Whether it is several things: a plural, or nouns that "and" joins."""
    return parse.tokens[noun].tag in PLURAL or parse.child(noun, "conj") is not None


def is_quantified(parse: Parse, start: int) -> bool:
    """Whether the phrase that begins at a place says how many, but not which ones."""
    first = parse.tokens[start]
    # "A few men" begin with an article.
    word = parse.tokens[start + 1] if first.text.lower() in ARTICLES else first
    return word.text.lower() in _QUANTIFIERS or first.tag in _OF_NUMBERS


def has_clause(parse: Parse, number: int) -> bool:
    """Whether a phrase contains a clause or an apposition."""
    inside = parse.subtree(number)
    return any(parse.tokens[k].dep in ("relcl", "acl", "appos", "advcl") for k in inside)


def phrase_before(parse: Parse, noun: int, clause: int) -> tuple[int, int] | None:
    """Return the start and end of a noun phrase without a clause or apposition after it."""
    own = set(parse.subtree(noun)) - set(parse.subtree(clause))
    # In CoNLL-U, the preposition is under the noun: "in Boston" is not what is said again.
    start = min(k for k in own if k >= noun or parse.tokens[k].dep != "case")
    end = noun + 1
    while end < len(parse.tokens) and end in own and not parse.is_comma(end):
        end += 1
    inside = range(start, end)
    return (start, end) if all(k in own for k in inside) and end - start <= 8 else None


def text_without(parse: Parse, start: int, end: int) -> str:
    """Return a sentence without a clause or apposition, and without the commas around it."""
    text = parse.span(0, start - parse.is_comma(start - 1))
    ends_there = end == len(parse.tokens) - 1
    return text if ends_there else f"{text} {parse.span(end + 1, len(parse.tokens))}"
