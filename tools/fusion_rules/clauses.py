"""Clauses: which verbs have one, and two of them as sentences."""

from __future__ import annotations

from parsed_sentences import Parse

from fusion_rules.fusion import Fusion
from fusion_rules.pronouns import antecedent, pronoun_at, with_mention
from fusion_rules.sentences import sentence

NEGATIVE = frozenset(
    {"not", "never", "no", "nobody", "none", "nothing", "neither", "nor", "hardly", "barely"}
    | {"scarcely"}
)
"""The lemmas of words that say that something is not so."""


def is_clause(parse: Parse, verb: int) -> bool:
    """Whether a verb has a subject and a tense of its own, in the usual order."""
    subject, finite = parse.subject(verb), parse.finite(verb)
    return subject is not None and finite is not None and subject < finite


def has_be(parse: Parse, verb: int) -> bool:
    """Whether the verb of a clause is "be"; in CoNLL-U it is under what it says."""
    return parse.tokens[verb].lemma == "be" or parse.child(verb, "cop") is not None


def two_clauses(
    parse: Parse, kind: str, connective: str, cut: int, start: int, verb: int
) -> Fusion:
    """Return two clauses as sentences, with a pronoun of the second replaced if it is clear."""
    first = sentence(parse.span(0, cut))
    end = len(parse.tokens)
    pronoun = pronoun_at(parse, start, verb)
    if pronoun is not None:
        said = antecedent(_cut(parse, cut), pronoun)
        if said is not None:
            second = sentence(with_mention(parse, start, end, start, said))
            return Fusion(f"{kind}_anaphora", connective, first, second, parse.text)
    return Fusion(kind, connective, first, sentence(parse.span(start, end)), parse.text)


def _cut(parse: Parse, end: int) -> Parse:
    """Return the first tokens of a parse, with the relations among them."""
    return Parse(
        tuple(
            token if token.head < end else token._replace(head=parse.root)
            for token in parse.tokens[:end]
        )
    )
