"""Appositions, nouns that say what another noun is: single_apposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsed_sentences import SUBJECTS

from fusion_rules.fusion import Fusion
from fusion_rules.noun_phrases import NOUNS, PLURAL, phrase_before, text_without
from fusion_rules.people import is_person
from fusion_rules.sentences import sentence
from fusion_rules.verb_forms import be

if TYPE_CHECKING:
    from parsed_sentences import Parse

_PLACES = frozenset({"GPE", "LOC", "FAC"})


def undo_apposition(parse: Parse) -> Fusion | None:
    """Undo "Mary, a doctor, smiled"."""
    tokens = parse.tokens
    for noun, token in enumerate(tokens):
        if token.dep != "appos" or token.tag not in NOUNS or noun < token.head:
            continue
        edges = parse.edges(noun)
        phrase = phrase_before(parse, token.head, noun)
        if edges is None or phrase is None:
            continue
        start, end = edges
        ends_there = end == len(tokens) - 1
        if not parse.is_comma(start - 1) or phrase[1] != start - 1:
            continue
        if not (ends_there or parse.is_comma(end)):
            continue
        head = tokens[token.head]
        # One of the two is a name, and the apposition says what the other is.
        is_named = head.tag == "NNP" and tokens[start].text.lower() in ("a", "an", "the")
        names = token.tag == "NNP" and tokens[phrase[0]].text.lower() in ("the", "his", "her")
        if not (is_named or (names and head.tag == "NN" and token.entity != "GPE")):
            continue
        if parse.child(noun, "conj", "cc") or parse.child(token.head, "conj"):
            continue
        if head.dep == "conj" or (names and head.dep not in SUBJECTS):
            # "His class, Noura": the name may belong to something earlier.
            continue
        if head.entity in _PLACES and is_person(token):
            # "Born in Boston, the son of a farmer": the subject is the son.
            continue
        # "France, the Netherlands, and Spain" is a list.
        if not ends_there and tokens[end + 1].tag == "CC":
            continue
        # In the middle of a sentence, the comma after it may belong to what follows.
        if token.tag in PLURAL or not (ends_there or head.dep in SUBJECTS):
            continue
        finite = parse.finite(parse.root)
        assert finite is not None
        is_past = tokens[finite].tag == "VBD"
        first = sentence(text_without(parse, start, end))
        verb = be(is_past=is_past)
        second = sentence(f"{parse.span(*phrase)} {verb} {parse.span(start, end)}")
        return Fusion("single_apposition", "", first, second, parse.text)
    return None
