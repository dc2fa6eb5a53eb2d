"""Coordination: single_s_coord, single_s_coord_anaphora and single_vp_coord."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsed_sentences import FINITE

from fusion_rules.clauses import is_clause, two_clauses
from fusion_rules.fusion import Fusion
from fusion_rules.noun_phrases import UNCLEAR, has_clause, is_quantified
from fusion_rules.sentences import sentence

if TYPE_CHECKING:
    from parsed_sentences import Parse

COORDINATORS = frozenset({"and", "but", "or", "so", "yet"})
# Words that announce a second part.
_PAIRED = re.compile(r"\b(?:both|either|neither|not (?:only|just|merely|simply))\b", re.IGNORECASE)
# Words of a subject that two verbs share.
_SUBJECT = 10


def undo_coordination(parse: Parse) -> Fusion | None:
    """Undo "A, and B", and "she came and went"."""
    for verb in range(len(parse.tokens) - 1, parse.root, -1):
        if parse.tokens[verb].dep == "conj":
            fusion = _coordinated(parse, parse.tokens[verb].head, verb)
            if fusion is not None:
                return fusion
    return None


def _coordinated(parse: Parse, head: int, verb: int) -> Fusion | None:
    """Undo the coordination of two verbs, the second of which ends the sentence."""
    tokens = parse.tokens
    if head != parse.root:
        # "She denied that he came and went": he may not have gone.
        return None
    conjuncts = [k for k in parse.children[head] if tokens[k].dep == "conj"]
    if conjuncts != [verb] or not is_clause(parse, head) or parse.child(verb, "conj") is not None:
        return None
    own = [k for k in parse.subtree(verb) if k > head]
    start = own[0]
    # The conjunction is under one conjunct or the other.
    if tokens[start].tag != "CC" and tokens[start].text.lower() != "so":
        start -= 1
    connective = tokens[start].text.lower()
    if connective not in COORDINATORS or start <= head:
        return None
    rest = [k for k in range(start + 1, len(tokens)) if k not in own and tokens[k].dep != "punct"]
    if rest:
        return None
    if _PAIRED.search(parse.span(0, start)):
        return None
    has_comma = parse.is_comma(start - 1)
    if tokens[start + 1].text.lower() in ("that", "which", "who", "if", "when", "because"):
        # Both are parts of a longer clause.
        return None
    if is_clause(parse, verb):
        return two_clauses(parse, "single_s_coord", connective, start - has_comma, start + 1, verb)
    if parse.subject(verb) is not None:
        return None
    return _two_predicates(parse, connective, start - has_comma, start + 1, (head, verb))


def _two_predicates(
    parse: Parse, connective: str, cut: int, start: int, verbs: tuple[int, int]
) -> Fusion | None:
    """Return two verbs as sentences, each with the subject that they share."""
    tokens = parse.tokens
    head, verb = verbs
    subject = parse.subject(head)
    assert subject is not None
    edges = parse.edges(subject)
    if edges is None or edges[1] - edges[0] > _SUBJECT or has_clause(parse, subject):
        return None
    if tokens[subject].text.lower() in UNCLEAR or tokens[subject].dep == "expl":
        return None
    if is_quantified(parse, edges[0]):
        return None
    if tokens[verb].lemma in ("have", "do") and parse.child(verb, "dobj") is None:
        # "And has for years": the rest of the verb stands before.
        return None
    own_aux = [k for k in parse.children[verb] if tokens[k].dep in ("aux", "auxpass", "cop")]
    shared = ""
    if tokens[verb].tag in FINITE:
        # "Is built and works" shares nothing; the two have to agree in tense.
        finite = parse.finite(head)
        if finite is None or (tokens[finite].tag == "VBD") != (tokens[verb].tag == "VBD"):
            return None
    elif own_aux:
        if not any(tokens[k].tag in FINITE for k in own_aux):
            return None
    else:
        if tokens[verb].tag != tokens[head].tag or tokens[verb].tag not in ("VB", "VBN"):
            return None
        aux = [k for k in parse.children[head] if tokens[k].dep in ("aux", "auxpass")]
        if not aux or any(tokens[k].dep == "neg" for k in parse.children[head]):
            return None
        if tokens[aux[0]].tag not in FINITE or aux[0] < edges[1]:
            return None
        shared = " ".join(tokens[k].text for k in aux) + " "
    if any(
        token.tag == tokens[verb].tag and parse.is_comma(k - 1)
        for k, token in enumerate(tokens[head + 1 : cut], start=head + 1)
    ):
        # "Climbed, flung and gave": a list that the parser did not see.
        return None
    said = parse.span(*edges)
    if tokens[edges[0]].tag not in ("NNP", "NNPS") and tokens[subject].text != "I":
        said = said[:1].lower() + said[1:]
    # "A man" is "the man" by then.
    said = re.sub(r"^an? ", "the ", said)
    first = sentence(parse.span(0, cut))
    second = sentence(f"{said} {shared}{parse.span(start, len(tokens))}")
    return Fusion("single_vp_coord", connective, first, second, parse.text)
