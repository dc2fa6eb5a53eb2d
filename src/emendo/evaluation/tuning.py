"""Chooses levels on dev data; each is tested as it is used, with all its rounds."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from emendo.bundle.levels import Level
from emendo.evaluation.counts import Counts, total
from emendo.text import drop_protected, protected_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from emendo.text import EditedText
    from emendo.text.segmentation import Span


class Aim(NamedTuple):
    """The target of a level."""

    beta: float
    """It has the highest F on the dev data, with recall weighing this much,"""
    false_alarms: float
    """of the levels that change at most this share of correct sentences, with a margin for other
    sentences of the same kind."""


AIMS = {"precise": Aim(0.2, 0.005), "balanced": Aim(0.5, 0.02), "thorough": Aim(1.0, 0.10)}

_BIASES = (0.0, 1.0, 2.0)
_EDIT_THRESHOLDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995)
_SENTENCE_THRESHOLDS = (0.0, 0.7)
# Types with fewer edits keep the common threshold, as too few sentences would decide theirs.
_FEWEST = 30
# The margin: one-sided, 95 %, for one level. The best of many levels is partly fitted to these
# sentences: without a margin, emendo-en's changed up to a third more of others
# (experiments/LOG.md, 6).
_STANDARD_ERRORS = 1.645


@dataclass(frozen=True)
class TunedLevel:
    """A level, and its results on the dev data."""

    level: Level
    counts: Counts
    false_alarms: float
    """The share of sentences without a gold edit that it changes, in the register with the highest
    share; 0 if there is none."""
    false_alarms_elsewhere: float
    """The share plus a margin for chance; the choice among many levels may still exceed it."""


def tune_levels(
    edit: Callable[[Sequence[Level]], Sequence[Sequence[EditedText]]],
    count: Callable[[Sequence[str]], Sequence[Counts]],
    registers: Sequence[range] = (),
) -> dict[str, TunedLevel]:
    """Choose precise, balanced and thorough.

    First one threshold for all types of edit, then one for each type that is frequent. Edits of
    protected spans are not counted: documents drop them.

    Args:
        edit: Edits the dev sentences at each of several levels, with the final number of
            rounds: later rounds depend on the edits that the thresholds accept before.
        count: Counts the edits of the outputs.
        registers: Rows of correct sentences of one kind each, used only to limit false alarms:
            the limit holds in each of them. By default the sentences without a gold edit are one
            register.
    """
    tuner = _Tuner(edit, count, registers)
    common = tuner.try_levels(
        [Level(*each) for each in product(_BIASES, _SENTENCE_THRESHOLDS, _EDIT_THRESHOLDS)]
    )
    return {name: tuner.by_type(_best(common, aim), aim) for name, aim in AIMS.items()}


class _Tuner:
    """Tries levels."""

    def __init__(
        self,
        edit: Callable[[Sequence[Level]], Sequence[Sequence[EditedText]]],
        count: Callable[[Sequence[str]], Sequence[Counts]],
        registers: Sequence[range],
    ) -> None:
        self._edit = edit
        self._count = count
        self._registers = registers
        self._protected: list[list[Span]] | None = None

    def try_levels(self, levels: Sequence[Level]) -> list[TunedLevel]:
        at_levels = self._edit(levels)
        if self._protected is None:
            self._protected = [protected_spans(edited.source) for edited in at_levels[0]]
        tried = []
        for level, found in zip(levels, at_levels, strict=True):
            texts = [
                drop_protected(edited, spans).text
                for edited, spans in zip(found, self._protected, strict=True)
            ]
            tried.append(self._summed_up(level, self._count(texts)))
        return tried

    def _summed_up(self, level: Level, counts: Sequence[Counts]) -> TunedLevel:
        if not self._registers:
            return TunedLevel(level, total(counts), *_false_alarms(counts))
        clean = {row for rows in self._registers for row in rows}
        alarms = (_false_alarms([counts[row] for row in rows]) for rows in self._registers)
        own = [each for row, each in enumerate(counts) if row not in clean]
        return TunedLevel(level, total(own), *max(alarms, key=lambda each: each[1]))

    def by_type(self, found: TunedLevel, aim: Aim) -> TunedLevel:
        """Choose the best threshold for each frequent type of edit, one after another."""
        everything = replace(found.level, sentence_threshold=0.0, edit_threshold=0.0)
        (edited,) = self._edit([everything])
        seen = Counter(edit.type for each in edited for edit in each.edits)
        types = [name for name, edits in seen.most_common() if edits >= _FEWEST]
        for name in types:
            others = {k: v for k, v in found.level.type_thresholds if k != name}
            levels = [
                replace(found.level, type_thresholds=tuple(sorted({**others, name: value}.items())))
                for value in _EDIT_THRESHOLDS
            ]
            found = _best([found, *self.try_levels(levels)], aim)
        return found


def _false_alarms(counts: Sequence[Counts]) -> tuple[float, float]:
    """Return the share of correct sentences that were changed, without and with the margin."""
    touched = [each.proposed > 0 for each in counts if not each.gold]
    share = sum(touched) / max(1, len(touched))
    error = math.sqrt(share * (1 - share) / max(1, len(touched)))
    return share, share + _STANDARD_ERRORS * error


def _best(tried: Sequence[TunedLevel], aim: Aim) -> TunedLevel:
    """Return the best level within the limit, or else of those with the fewest false alarms."""
    bound = max(aim.false_alarms, min(each.false_alarms_elsewhere for each in tried))
    # If equal, the first one: no bias, the lowest thresholds.
    return max(
        (each for each in tried if each.false_alarms_elsewhere <= bound),
        key=lambda each: each.counts.f(aim.beta),
    )
