"""Levels chosen on dev data: each is tried as it would be used, with all its rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from emendo.bundle.levels import Level
from emendo.evaluation.counts import Counts, total
from emendo.text import drop_protected, protected_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from emendo.text import EditedText


class Aim(NamedTuple):
    """What a level is to be."""

    beta: float
    """It has the highest F on the dev data, with recall weighing this much,"""
    false_alarms: float
    """of the levels that touch at most this share of the sentences that are right as they are, on
    others of the kind, too, as far as can be told."""


AIMS = {"precise": Aim(0.2, 0.01), "balanced": Aim(0.5, 0.03), "thorough": Aim(1.0, 0.10)}

# Those below zero are for networks that have seen little and hardly dare to edit.
_BIASES = (0.0, -1.0, -2.0, -3.0, 1.0, 2.0, 3.0)
_EDIT_THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
_SENTENCE_THRESHOLDS = (0.0, 0.7, 0.9)
# The margin: one-sided, 95 %, for one level. The best of many owes something to these very
# sentences: held to the share that was counted, emendo-en's touched up to a third more of others
# (experiments/LOG.md, 6).
_STANDARD_ERRORS = 1.645


@dataclass(frozen=True)
class TunedLevel:
    """A level, and what it gives on the dev data."""

    level: Level
    counts: Counts
    false_alarms: float
    """Share of the sentences without a gold edit that it touches; 0 if there is none."""
    false_alarms_elsewhere: float
    """The share and a margin for chance, which a choice among many levels still may exceed."""


def tune_levels(
    edit: Callable[[Sequence[Level]], Sequence[Sequence[EditedText]]],
    count: Callable[[Sequence[str]], Sequence[Counts]],
) -> dict[str, TunedLevel]:
    """Choose precise, balanced and thorough.

    Edits of protected spans are not counted: documents drop them.

    Args:
        edit: Edits the dev sentences at each of several levels, in as many rounds as they will be
            used with: what a later round does depends on what the thresholds let pass before.
        count: Counts the edits of the outputs.
    """
    tried: list[TunedLevel] = []
    levels = [Level(*each) for each in product(_BIASES, _SENTENCE_THRESHOLDS, _EDIT_THRESHOLDS)]
    at_levels = edit(levels)
    protected = [protected_spans(edited.source) for edited in at_levels[0]]
    for level, found in zip(levels, at_levels, strict=True):
        counts = count(
            [
                drop_protected(edited, spans).text
                for edited, spans in zip(found, protected, strict=True)
            ]
        )
        tried.append(TunedLevel(level, total(counts), *_false_alarms(counts)))
    return {name: _best(tried, aim) for name, aim in AIMS.items()}


def _false_alarms(counts: Sequence[Counts]) -> tuple[float, float]:
    """Return the share of correct sentences that were touched, and that with the margin."""
    touched = [each.proposed > 0 for each in counts if not each.gold]
    share = sum(touched) / max(1, len(touched))
    error = math.sqrt(share * (1 - share) / max(1, len(touched)))
    return share, share + _STANDARD_ERRORS * error


def _best(tried: Sequence[TunedLevel], aim: Aim) -> TunedLevel:
    """Return the best level within the aim; if there is none, of those with the fewest alarms."""
    bound = max(aim.false_alarms, min(each.false_alarms_elsewhere for each in tried))
    # Of equal ones the first: no bias, the lowest thresholds.
    return max(
        (each for each in tried if each.false_alarms_elsewhere <= bound),
        key=lambda each: each.counts.f(aim.beta),
    )
