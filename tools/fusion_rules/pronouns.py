"""Pronouns, and what stands in their place when a sentence is alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_rules.noun_phrases import ARTICLES, NOUNS, PLURAL, is_plural

if TYPE_CHECKING:
    from parsed_sentences import Parse

_POSSESSIVE = frozenset({"his", "her", "its", "their"})
PRONOUNS = _POSSESSIVE | {"he", "she", "it", "they"}
_PEOPLE = frozenset(
    {"actor", "artist", "author", "chairman", "coach", "director", "doctor", "emperor", "father"}
    | {"founder", "general", "governor", "king", "leader", "man", "mayor", "minister", "mother"}
    | {"officer", "philosopher", "player", "president", "prince", "professor", "queen", "scientist"}
    | {"senator", "singer", "spokesman", "spokeswoman", "student", "suspect", "teacher", "victim"}
    | {"woman", "writer", "boy", "girl", "pope", "judge", "lawyer", "driver", "pilot"}
)
_HE, _SHE = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})
_OTHER_GENDER = {"he": _SHE, "his": _SHE, "she": _HE, "her": _HE}
# Verbs of an "it" that names nothing: "it seems to work".
_LINKING = frozenset({"be", "seem", "appear", "become", "take", "remain"})
# Words of what a pronoun stands for.
_MENTION = 7


def mention(parse: Parse, noun: int, *, plural: bool) -> str | None:
    """Return a noun phrase as it is said a second time; None if it is long or unclear.

    "A man" is "the man" when it is said again. Clauses and appositions are left out. With
    `plural`, several nouns that "and" joins are one phrase.
    """
    tokens = parse.tokens
    outside = ("relcl", "acl", "appos", "punct", "cop", "nsubj", "advmod", "dep")
    inside = {noun}
    for k in parse.children[noun]:
        if tokens[k].dep in ("cc", "conj") and not plural:
            return None
        if tokens[k].dep not in outside:
            inside.update(parse.subtree(k))
    start, end = min(inside), max(inside) + 1
    if tokens[noun].tag not in NOUNS or end - start != len(inside) or end - start > _MENTION:
        return None
    if any(parse.is_comma(k) or tokens[k].tag in ("WDT", "WP", "PRP") for k in inside):
        return None
    first = tokens[start].text.lower()
    if first in ARTICLES:
        return None if plural else f"the {parse.span(start + 1, end)}"
    if tokens[start].tag in ("PRP$", "WP$", "CD") or first in ("this", "these", "some", "no"):
        return None
    if tokens[noun].tag == "NN" and tokens[start].tag not in ("DT", "NN", "NNP"):
        return None
    said = parse.span(start, end)
    named = tokens[start].tag in ("NNP", "NNPS")
    return said if named else said[:1].lower() + said[1:]


def antecedent(parse: Parse, pronoun: str) -> str | None:
    """Return what a pronoun in the next clause stands for: the subject, if nothing else fits."""
    subject = parse.subject(parse.root)
    if subject is None:
        return None
    tokens = parse.tokens
    head = tokens[subject]
    plural = pronoun in ("they", "their")
    said = mention(parse, subject, plural=plural)
    if said is None or is_plural(parse, subject) != plural:
        return None
    is_person = head.entity == "PERSON" or head.lemma in _PEOPLE
    own = set(parse.subtree(subject))
    if pronoun in _OTHER_GENDER:
        words = {token.text.lower() for token in tokens}
        people = [
            token
            for k, token in enumerate(tokens)
            if token.entity == "PERSON" and k not in own and token.dep != "compound"
        ]
        fits = is_person and not people and not words & _OTHER_GENDER[pronoun]
        return said if fits else None
    if is_person and pronoun in ("it", "its"):
        return None
    # The subject of another clause: a pronoun could stand for it as well.
    rivals = [
        token
        for k, token in enumerate(tokens)
        if token.dep in ("nsubj", "nsubjpass", "conj") and token.tag in NOUNS and k not in own
    ]
    return None if any((token.tag in PLURAL) == plural for token in rivals) else said


def with_mention(parse: Parse, start: int, end: int, place: int, said: str) -> str:
    """Return the text of a clause with a mention in the place of a pronoun."""
    token = parse.tokens[place]
    if token.text.lower() in _POSSESSIVE:
        ends_plural = token.text.lower() == "their" and said.endswith("s")
        said += "'" if ends_plural else "'s"
    before = parse.span(start, place)
    gap = parse.tokens[place - 1].space if place > start else ""
    return f"{before}{gap}{said}{token.space}{parse.span(place + 1, end)}"


def pronoun_at(parse: Parse, place: int, verb: int) -> str | None:
    """Return the pronoun that is, or begins, the subject of a verb at a place."""
    if place >= len(parse.tokens):
        return None
    token = parse.tokens[place]
    pronoun = token.text.lower()
    # "He's" would become "Mary's".
    if pronoun not in PRONOUNS or not token.space:
        return None
    subject = parse.subject(verb)
    if pronoun in _POSSESSIVE:
        # "Her" alone is no subject.
        return pronoun if token.dep == "poss" and token.head == subject else None
    if subject != place or token.dep == "expl":
        return None
    # "It is clear that", "it rains": not something that was named.
    clauses = {parse.tokens[k].dep for k in parse.children[verb]}
    is_empty = "csubj" in clauses or ("xcomp" in clauses and parse.tokens[verb].lemma in _LINKING)
    if pronoun == "it" and (is_empty or ("ccomp" in clauses and "dobj" not in clauses)):
        return None
    return pronoun
