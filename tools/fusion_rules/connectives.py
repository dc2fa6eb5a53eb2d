"""Connectives: single_conn_start, single_conn_inner and single_conn_inner_anaphora."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_rules.clauses import is_clause, two_clauses
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
        if connective == "as" and tokens[verb].lemma == "be":
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


def subordinator_at(parse: Parse, start: int, end: int) -> tuple[str, int] | None:
    """Return the connective at a place, and where its clause begins."""
    words = [token.text.lower() for token in parse.tokens[start:end]]
    for length in (3, 2, 1):
        phrase = " ".join(words[:length])
        if phrase in SUBORDINATORS:
            return phrase, start + length
    return None
