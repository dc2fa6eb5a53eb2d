"""Counts of edits, and the precision, recall and F they give."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Counts(NamedTuple):
    """The numbers of proposed edits, of gold edits, and of edits that are both."""

    correct: int = 0
    proposed: int = 0
    gold: int = 0

    @property
    def precision(self) -> float:
        """Share of the proposed edits that are right; 1 if none was proposed."""
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """Share of the gold edits that were proposed; 1 if there are none."""
        return self.correct / self.gold if self.gold else 1.0

    @property
    def is_empty(self) -> bool:
        """Whether there are neither proposed nor gold edits, so that no share is defined."""
        return not self.proposed and not self.gold

    def f(self, beta: float = 0.5) -> float:
        """Return F, with recall weighing `beta` times as much as precision."""
        precision, recall = self.precision, self.recall
        if not precision + recall:
            return 0.0
        return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def total(counts: Iterable[Counts]) -> Counts:
    """Add up counts, of sentences for example."""
    correct = proposed = gold = 0
    for count in counts:
        correct += count.correct
        proposed += count.proposed
        gold += count.gold
    return Counts(correct, proposed, gold)
