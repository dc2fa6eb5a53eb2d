"""Pronouns, and what stands in their place when a sentence is alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_rules.noun_phrases import ARTICLES, NOUNS, PLURAL, is_plural, is_quantified
from fusion_rules.people import KNOWN, MEN, WOMEN, is_person

if TYPE_CHECKING:
    from parsed_sentences import Parse, Token

_POSSESSIVE = frozenset({"his", "her", "its", "their"})
PRONOUNS = _POSSESSIVE | {"he", "she", "it", "they"}
_HE, _SHE = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})
_OTHER_GENDER = {"he": _SHE, "his": _SHE, "she": _HE, "her": _HE}
_OTHER_NOUNS = {"he": WOMEN, "his": WOMEN, "she": MEN, "her": MEN}
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "conj"})
# A noun under "prep" is from CoNLL-U, where the preposition is under the noun.
_OBJECTS = frozenset({"dobj", "pobj", "nmod", "prep"})
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
    if is_quantified(parse, start):
        return None
    first = tokens[start].text.lower()
    if first in ARTICLES:
        return None if plural else f"the {parse.span(start + 1, end)}"
    if tokens[start].tag in ("PRP$", "WP$") or first in ("this", "these"):
        return None
    if tokens[noun].tag == "NN" and tokens[start].tag not in ("DT", "NN", "NNP"):
        return None
    said = parse.span(start, end)
    named = tokens[start].tag in ("NNP", "NNPS")
    return said if named else said[:1].lower() + said[1:]


def antecedent(parse: Parse, pronoun: str, *, is_next: bool = True) -> str | None:
    """Return what a pronoun stands for: the subject, if nothing else fits.

    With `is_next`, the pronoun is in the next clause. Otherwise it stands before the subject, and
    only names of people and other subjects are rivals.
    """
    subject = parse.subject(parse.root)
    if subject is None:
        return None
    tokens = parse.tokens
    head = tokens[subject]
    plural = pronoun in ("they", "their")
    said = mention(parse, subject, plural=plural)
    if said is None or is_plural(parse, subject) != plural:
        return None
    own = set(parse.subtree(subject))
    others = [token for k, token in enumerate(tokens) if k not in own]
    if pronoun in _OTHER_GENDER:
        words = {token.text.lower() for token in tokens}
        fits = head.entity == "PERSON" or head.lemma.lower() in KNOWN
        if not fits or words & _OTHER_GENDER[pronoun] or _has_other_gender(parse, subject, pronoun):
            return None
        return None if any(_is_other_person(token, is_next=is_next) for token in others) else said
    if pronoun in ("it", "its") and is_person(head):
        return None
    return None if any(_is_rival(each, plural=plural, is_next=is_next) for each in others) else said


def _has_other_gender(parse: Parse, noun: int, pronoun: str) -> bool:
    """Whether a noun, or a title before it, is of a woman for "he", or of a man for "she"."""
    titles = (k for k in parse.children[noun] if parse.tokens[k].dep in ("compound", "flat"))
    return any(parse.tokens[k].lemma.lower() in _OTHER_NOUNS[pronoun] for k in (noun, *titles))


def _is_other_person(token: Token, *, is_next: bool) -> bool:
    """Whether "he" or "she" could stand for a noun that is not the subject."""
    if token.entity == "PERSON":
        return token.dep != "compound"
    # "The man was a teacher": the same person; in CoNLL-U, the teacher is the root.
    is_other = token.tag in ("NN", "NNP") and token.dep not in ("compound", "attr", "ROOT")
    return is_next and is_other and is_person(token)


def _is_rival(token: Token, *, plural: bool, is_next: bool) -> bool:
    """Whether "it" or "they" could stand for a noun that is not the subject of the sentence."""
    if token.tag not in NOUNS or (token.tag in PLURAL) != plural:
        return False
    if token.dep in _SUBJECTS:
        return True
    if not is_next or token.dep not in _OBJECTS:
        return False
    # Nobody calls a time "it" or "they", or a person "it".
    return token.entity not in ("DATE", "TIME") and (plural or not is_person(token))


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
