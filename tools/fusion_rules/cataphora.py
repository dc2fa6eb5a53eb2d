"""Cataphora, which names something after it says something of it: single_cataphora."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fusion_rules.clauses import has_be, is_clause
from fusion_rules.connectives import SUBORDINATORS, fronted_clause
from fusion_rules.fusion import Fusion
from fusion_rules.noun_phrases import NOUNS, UNCLEAR, has_clause, is_plural
from fusion_rules.pronouns import antecedent, pronoun_at, with_mention
from fusion_rules.sentences import sentence
from fusion_rules.verb_forms import be, inflected

if TYPE_CHECKING:
    from parsed_sentences import Parse

# Participles that are no verbs: "beginning in 1990" is a time.
_PREPOSITIONS = frozenset({"including", "according", "following", "beginning", "starting"})


def undo_cataphora(parse: Parse) -> Fusion | None:
    """Undo "When she came, Mary smiled" and "Founded in 1900, the club grew"."""
    subject = parse.subject(parse.root)
    if subject is None or not is_clause(parse, parse.root):
        return None
    edges = parse.edges(subject)
    if edges is None:
        return None
    found = fronted_clause(parse)
    if found is not None:
        connective, start, end, verb = found
        pronoun = pronoun_at(parse, start, verb)
        said = antecedent(parse, pronoun, is_next=False) if pronoun else None
        if said is None or edges[0] != end + 1:
            return None
        first = sentence(with_mention(parse, start, end, start, said))
        second = sentence(parse.span(end + 1, len(parse.tokens)))
        return Fusion("single_cataphora", connective, first, second, parse.text)
    return _participle(parse, subject, edges)


def _participle(parse: Parse, subject: int, edges: tuple[int, int]) -> Fusion | None:
    """Undo a participle before the subject of the sentence."""
    tokens = parse.tokens
    verb = next((k for k in (0, 1) if tokens[k].tag in ("VBN", "VBG")), None)
    if verb is None or tokens[verb].dep != "advcl" or tokens[verb].head != parse.root:
        return None
    if verb == 1 and (tokens[0].tag != "RB" or tokens[0].text.lower() in SUBORDINATORS):
        return None
    clause = parse.edges(verb)
    if clause is None or clause[0] != 0 or not parse.is_comma(clause[1]):
        return None
    start, end = edges
    if start != clause[1] + 1 or end - start > 8 or has_clause(parse, subject):
        return None
    said = parse.span(start, end)
    head = tokens[subject]
    if head.text.lower() in UNCLEAR or head.tag not in (*NOUNS, "PRP"):
        return None
    finite = parse.finite(parse.root)
    assert finite is not None
    is_past = tokens[finite].tag == "VBD" or tokens[finite].text.lower() in ("could", "would")
    plural = (
        is_plural(parse, subject)
        or head.text.lower() in ("they", "we", "you")
        or (tokens[finite].tag == "VBP" and head.text != "I")
    )
    if re.search(r"\b(?:and|or|but|while|when) \w+ing\b", parse.span(0, clause[1])):
        return None
    lead = f"{tokens[0].text.lower()} " if verb == 1 else ""
    if tokens[verb].tag == "VBN":
        if tokens[verb].lemma in ("give", "compare", "base", "provide"):
            # "Given that", "compared with": prepositions.
            return None
        # "Founded in 1901, the club plays": it was founded, whatever it does now.
        has_year = any(re.fullmatch(r"1\d{3}|20\d\d", token.text) for token in tokens[:start])
        form = be(is_past=is_past or has_year, is_plural=plural, subject=head.text)
        predicate = f"{form} {lead}{tokens[verb].text.lower()}"
    else:
        form = inflected(tokens[verb], is_past=is_past, is_plural=plural, subject=head.text)
        if form is None or tokens[verb].text.lower() in _PREPOSITIONS:
            return None
        # "Not wanting" is "did not want", which needs another form.
        if lead.strip() in ("not", "never"):
            return None
        # "Using this example, the share is": whoever uses it is not named.
        if has_be(parse, parse.root) and head.tag in ("NN", "NNS"):
            return None
        predicate = f"{lead}{form}"
    rest = parse.span(verb + 1, clause[1])
    first = sentence(f"{said} {predicate} {rest}")
    second = sentence(parse.span(clause[1] + 1, len(tokens)))
    return Fusion("single_cataphora", "", first, second, parse.text)
