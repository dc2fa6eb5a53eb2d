"""The likeliest outputs, not paths: prefix beam search over a few candidates per slot."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.ctc.collapse import Output

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEVER = -np.inf


class Candidate(NamedTuple):
    """A candidate label of a slot, with KEEP's mass folded in."""

    label: int
    score: float
    """log P'(label)."""
    origin: int
    """The source token KEEP copies, or -1 for ADD."""


class Hypothesis(NamedTuple):
    """An output and how likely it is, summed over the paths that the search kept."""

    output: Output
    score: float


class _Prefix:
    """Paths that have given the same labels so far."""

    __slots__ = ("at_blank", "at_label", "best", "origins")

    def __init__(self) -> None:
        self.at_blank = _NEVER
        """log P of those that ended with BLANK."""
        self.at_label = _NEVER
        """log P of those that ended with the last label."""
        self.best = _NEVER
        self.origins: tuple[int, ...] = ()

    @property
    def score(self) -> float:
        return float(np.logaddexp(self.at_blank, self.at_label))

    def adopt(self, score: float, origins: tuple[int, ...]) -> None:
        """Take the origins of the likeliest way here."""
        if score > self.best:
            self.best, self.origins = score, origins


def search_beam(
    blank: Sequence[float], candidates: Sequence[Sequence[Candidate]], *, width: int
) -> list[Hypothesis]:
    """Return up to `width` outputs, the likeliest first.

    Args:
        blank: [S] log P(BLANK).
        candidates: For each slot, the labels to consider.
        width: Prefixes kept after each slot.
    """
    start = _Prefix()
    start.at_blank, start.best = 0.0, 0.0
    beam: dict[tuple[int, ...], _Prefix] = {(): start}
    for nothing, choices in zip(blank, candidates, strict=True):
        grown: dict[tuple[int, ...], _Prefix] = {}
        for labels, prefix in beam.items():
            score = prefix.score
            stay = grown.setdefault(labels, _Prefix())
            stay.at_blank = float(np.logaddexp(stay.at_blank, score + nothing))
            stay.adopt(prefix.best + nothing, prefix.origins)
            for choice in choices:
                if labels and labels[-1] == choice.label:
                    again = prefix.at_label + choice.score
                    stay.at_label = float(np.logaddexp(stay.at_label, again))
                    stay.adopt(prefix.best + choice.score, _kept(prefix.origins, choice.origin))
                    # Only a BLANK between them separates two equal labels.
                    before = prefix.at_blank
                else:
                    before = score
                if before == _NEVER:
                    continue
                longer = grown.setdefault((*labels, choice.label), _Prefix())
                longer.at_label = float(np.logaddexp(longer.at_label, before + choice.score))
                longer.adopt(prefix.best + choice.score, (*prefix.origins, choice.origin))
        best = heapq.nlargest(width, grown.items(), key=lambda item: item[1].score)
        # No path leads to an output with a chance of 0, so it has no origins.
        beam = {labels: prefix for labels, prefix in best if prefix.score > _NEVER}
    return [
        Hypothesis(Output(labels, prefix.origins), prefix.score) for labels, prefix in beam.items()
    ]


def _kept(origins: tuple[int, ...], origin: int) -> tuple[int, ...]:
    """A run that contains a KEEP copies its first kept token."""
    return (*origins[:-1], origin) if origins[-1] < 0 <= origin else origins
