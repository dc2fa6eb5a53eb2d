"""Connectives: single_conn_start, single_conn_inner and single_conn_inner_anaphora."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fusion_rules.clauses import NEGATIVE, has_be, is_clause, two_clauses
from fusion_rules.fusion import Fusion
from fusion_rules.pronouns import pronoun_at
from fusion_rules.sentences import sentence

if TYPE_CHECKING:
    from parsed_sentences import Parse

SUBORDINATORS = frozenset(
    {"although", "though", "while", "because", "since", "when", "after", "before", "once", "until"}
    | {"whereas", "even though", "as soon as", "as"}
)
# Verbs before a reported question.
_ASKING = frozenset({"say", "state", "know", "ask", "decide", "determine", "wonder", "tell", "be"})
# Verbs of "as he said", which says no more than the other clause.
_SAYING = frozenset(
    {"announce", "argue", "assert", "believe", "claim", "describe", "discuss", "expect", "explain"}
    | {"fear", "hope", "indicate", "intend", "know", "mention", "note", "observe", "plan", "point"}
    | {"predict", "promise", "recall", "remember", "report", "say", "see", "show", "state"}
    | {"suggest", "suspect", "tell", "understand", "warn", "wish", "write"}
)


def undo_start_connective(parse: Parse) -> Fusion | None:
    """Undo "Although A, B"."""
    found = fronted_clause(parse)
    if found is None:
        return None
    connective, start, end, verb = found
    if pronoun_at(parse, start, verb) is not None:
        # The pronoun stands before what it means.
        return None
    return Fusion(
        "single_conn_start",
        connective,
        sentence(parse.span(start, end)),
        sentence(parse.span(end + 1, len(parse.tokens))),
        parse.text,
    )


def fronted_clause(parse: Parse) -> tuple[str, int, int, int] | None:
    """Return a clause before the main one: its connective, its start and end, and its verb."""
    found = subordinator_at(parse, 0, 4)
    subject = parse.subject(parse.root)
    if found is None or subject is None or not is_clause(parse, parse.root):
        return None
    connective, start = found
    for verb in parse.children[parse.root]:
        edges = parse.edges(verb)
        if parse.tokens[verb].dep != "advcl" or edges is None or edges[0] != 0:
            continue
        end = edges[1]
        if is_clause(parse, verb) and parse.is_comma(end) and subject > end:
            if not _is_statement(parse, connective, (0, end), verb):
                return None
            return connective, start, end, verb
    return None


def undo_inner_connective(parse: Parse) -> Fusion | None:
    """Undo "A because B"."""
    tokens = parse.tokens
    if not is_clause(parse, parse.root):
        return None
    for verb in range(parse.root + 1, len(tokens)):
        # Under whichever verb: what stands before it is complete without it.
        edges = parse.edges(verb) if tokens[verb].dep == "advcl" else None
        if edges is None or edges[0] <= parse.root:
            continue
        start, end = edges
        found = subordinator_at(parse, start, end)
        if found is None or not is_clause(parse, verb) or end < len(tokens) - 1:
            continue
        connective, body = found
        has_comma = parse.is_comma(start - 1)
        if connective == "while" and not has_comma:
            # At the same time, not in contrast.
            continue
        if not _is_statement(parse, connective, edges, verb):
            # Clauses under it are no statements either.
            return None
        if connective == "as" and has_be(parse, verb):
            # "We see it as it was": not two statements.
            continue
        if tokens[start - 1].text.lower() in ("only", "just", "not", "even", "especially", "or"):
            continue
        if tokens[start - 1].lemma in _ASKING:
            # "They have not said when": what is said, not another statement.
            continue
        if tokens[start - 1].tag in ("CC", "CD"):
            # "Two years after": the connective is part of a longer phrase.
            continue
        return two_clauses(parse, "single_conn_inner", connective, start - has_comma, body, verb)
    return None


def _is_statement(parse: Parse, connective: str, edges: tuple[int, int], verb: int) -> bool:
    """Whether a clause says something that is so, and that the rest of the sentence can lack."""
    start, end = edges
    tokens = parse.tokens
    rest = (*tokens[:start], *tokens[end:])
    if connective in ("until", "before") and any(each.lemma.lower() in NEGATIVE for each in rest):
        # "He did not leave until she came": he left then.
        return False
    if connective in ("before", "since") and any(
        _is_time(parse, main) for main in {parse.root, tokens[verb].head}
    ):
        return False
    words = {tokens[k].text.lower() for k in parse.children[verb]}
    if connective == "before" and words & {"can", "could"}:
        # "Before he could answer": he did not.
        return False
    if connective != "as":
        return True
    # "As fast as", "so far as", "as if": comparisons.
    is_compared = any(
        each.text.lower() in ("as", "so") and following.tag[:2] in ("JJ", "RB")
        for each, following in pairwise(tokens[:start])
    )
    if is_compared or tokens[start + 1].text.lower() in ("if", "though"):
        return False
    has_object = parse.child(verb, "dobj", "ccomp", "xcomp") is not None
    return has_object or tokens[verb].lemma not in _SAYING


def _is_time(parse: Parse, main: int) -> bool:
    """Whether a clause says only how long: "it was not long before", "it is years since"."""
    subject = parse.subject(main)
    is_it = subject is not None and parse.tokens[subject].text.lower() == "it"
    return is_it and has_be(parse, main)


def subordinator_at(parse: Parse, start: int, end: int) -> tuple[str, int] | None:
    """Return the connective at a place, and where its clause begins."""
    words = [token.text.lower() for token in parse.tokens[start:end]]
    for length in (3, 2, 1):
        phrase = " ".join(words[:length])
        if phrase in SUBORDINATORS:
            return phrase, start + length
    return None
