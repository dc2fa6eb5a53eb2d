"""Levels chosen on dev data: one run of the network for each bias, thresholds read off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emendo.bundle.levels import Level
from emendo.evaluation.counts import Counts, total

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from emendo.text import EditedText

LEVEL_BETAS = {"precise": 0.2, "balanced": 0.5, "thorough": 1.0}
"""What each level makes highest on the dev data: F, with recall weighing this much."""
_BIASES = (-1.0, 0.0, 1.0, 2.0)
_EDIT_THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
_SENTENCE_THRESHOLDS = (0.0, 0.7, 0.9)


@dataclass(frozen=True)
class TunedLevel:
    """A level, and what it gives on the dev data."""

    level: Level
    counts: Counts


def tune_levels(
    edit: Callable[[Level], Sequence[EditedText]],
    count: Callable[[Sequence[str]], Sequence[Counts]],
) -> dict[str, TunedLevel]:
    """Choose precise, balanced and thorough.

    Args:
        edit: Edits the dev sentences at a level, in one round: what later rounds do depends on
            what the thresholds let pass in the first.
        count: Counts the edits of the outputs.
    """
    tried: list[TunedLevel] = []
    for bias in _BIASES:
        found = edit(Level(keep_bias=bias))
        for sentence in _SENTENCE_THRESHOLDS:
            for threshold in _EDIT_THRESHOLDS:
                level = Level(bias, sentence, threshold)
                counts = total(count([level.filter(edited).text for edited in found]))
                tried.append(TunedLevel(level, counts))
    return {
        # Of equal ones the first: the least bias, the lowest thresholds.
        name: tried[int(np.argmax([each.counts.f(beta) for each in tried]))]
        for name, beta in LEVEL_BETAS.items()
    }
