"""Sentences by how wrong they are: word error rate, in the five bins of the paper's figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.text.m2 import M2Sentence

RATE_BINS = ("<8", "8-16", "16-24", "24-32", "≥32")
_EDGES = (0.08, 0.16, 0.24, 0.32)


def word_error_rate(source: Sequence[str], target: Sequence[str]) -> float:
    """Return substitutions, deletions and insertions from source to target, per source token."""
    row = list(range(len(target) + 1))
    for i, token in enumerate(source, 1):
        diagonal, row[0] = row[0], i
        for j, wanted in enumerate(target, 1):
            diagonal, row[j] = (
                row[j],
                min(diagonal + (token != wanted), row[j] + 1, row[j - 1] + 1),
            )
    return row[-1] / max(len(source), 1)


def rate_bin(sentence: M2Sentence) -> str:
    """Return the bin of a sentence, by its first annotator's correction."""
    target = sentence.corrected(sentence.annotators[0]).split()
    rate = word_error_rate(sentence.tokens, target)
    return RATE_BINS[sum(rate >= edge for edge in _EDGES)]
