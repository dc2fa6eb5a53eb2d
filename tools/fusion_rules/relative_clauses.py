"""Relative clauses, with "who", "which" or "that": single_relative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsed_sentences import SUBJECTS

from fusion_rules.clauses import NEGATIVE, has_be, is_clause
from fusion_rules.fusion import Fusion
from fusion_rules.noun_phrases import (
    ARTICLES,
    NOUNS,
    is_plural,
    is_quantified,
    phrase_before,
    text_without,
)
from fusion_rules.sentences import sentence

if TYPE_CHECKING:
    from parsed_sentences import Parse

# What a whole clause does, not its last noun.
_OF_CLAUSES = frozenset(
    {"mean", "make", "lead", "cause", "allow", "result", "help", "suggest", "indicate", "enable"}
    | {"require", "explain", "give", "reduce", "increase", "lower", "raise", "create", "keep"}
)
# What an event does to people, at the end of a sentence: "he lost the game, which upset them".
_OF_EVENTS = frozenset(
    {"alarm", "amaze", "anger", "annoy", "delight", "disappoint", "embarrass", "frighten"}
    | {"frustrate", "irritate", "please", "shock", "startle", "surprise", "upset", "worry"}
)


def undo_relative_clause(parse: Parse) -> Fusion | None:
    """Undo "Mary, who came, smiled"."""
    tokens = parse.tokens
    for verb, token in enumerate(tokens):
        if token.dep != "relcl" or not is_clause(parse, verb):
            continue
        edges = parse.edges(verb)
        place = parse.subject(verb)
        phrase = phrase_before(parse, token.head, verb)
        if edges is None or place is None or phrase is None:
            continue
        start, end = edges
        word = tokens[place].text.lower()
        has_comma = parse.is_comma(start - 1)
        ends_there = end == len(tokens) - 1
        if word not in ("who", "which", "that") or place != start:
            continue
        # The phrase stands directly before its clause.
        if phrase[1] != start - has_comma:
            continue
        if has_comma and not (ends_there or parse.is_comma(end)):
            continue
        # Without a comma the clause says which one is meant, unless it is new: "a man who".
        is_new = tokens[phrase[0]].text.lower() in ARTICLES
        if not has_comma and not (ends_there and is_new):
            continue
        if word == "which" and token.lemma in _OF_CLAUSES:
            continue
        if word == "which" and has_comma and ends_there and _may_be_of_event(parse, verb):
            continue
        if is_new and any(each.lemma.lower() in NEGATIVE for each in tokens[: phrase[0]]):
            # "Not a man who": there is none.
            continue
        if not _agrees(parse, token.head, parse.finite(verb)):
            continue
        said = _said_again(parse, token.head, *phrase)
        if said is None:
            continue
        if not (ends_there or tokens[token.head].dep in SUBJECTS):
            # The comma after it may belong to what follows.
            continue
        first = sentence(text_without(parse, start, end))
        second = sentence(f"{said} {parse.span(start + 1, end)}")
        return Fusion("single_relative", word, first, second, parse.text)
    return None


def _may_be_of_event(parse: Parse, verb: int) -> bool:
    """Whether a clause with "which" may say something of a whole event: "which was a surprise"."""
    noun = verb if parse.child(verb, "cop") is not None else parse.child(verb, "attr")
    is_noun = noun is not None and parse.tokens[noun].tag in NOUNS
    return parse.tokens[verb].lemma in _OF_EVENTS or (has_be(parse, verb) and is_noun)


def _agrees(parse: Parse, noun: int, finite: int | None) -> bool:
    """Whether a head is a noun, and the verb has its number."""
    tokens = parse.tokens
    if finite is None or tokens[noun].tag not in NOUNS:
        return False
    text, tag = tokens[finite].text.lower(), tokens[finite].tag
    if tag == "VBZ" or text == "was":
        return not is_plural(parse, noun)
    if tag == "VBP" or text == "were":
        return is_plural(parse, noun)
    return True


def _said_again(parse: Parse, noun: int, start: int, end: int) -> str | None:
    """Return a phrase as it begins a new sentence: "a man" is "the man" by then."""
    tokens = parse.tokens
    if parse.child(noun, "conj") is not None:
        return None
    if is_quantified(parse, start):
        return None
    first = tokens[start].text.lower()
    if first in ARTICLES:
        return f"the {parse.span(start + 1, end)}"
    if tokens[noun].tag in ("NN", "NNS") and tokens[start].tag not in ("DT", "PRP$", "NNP"):
        # "Plants, which ..." is about all of them; "two plants" need an article.
        return parse.span(start, end) if tokens[start].tag == "NNS" else None
    return parse.span(start, end)
