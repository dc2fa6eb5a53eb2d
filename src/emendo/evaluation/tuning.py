"""Chooses levels on dev data; each is tested as it is used, with all its rounds."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING

from emendo.bundle.levels import Level
from emendo.evaluation.aims import AIMS
from emendo.evaluation.counts import Counts, total
from emendo.evaluation.type_thresholds import DevEdits, Touched, propose_levels
from emendo.text import drop_protected, protected_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from emendo.evaluation.aims import Aim
    from emendo.text import EditedText
    from emendo.text.segmentation import Span


_BIASES = (0.0, 1.0, 2.0)
_EDIT_THRESHOLDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995)
_SENTENCE_THRESHOLDS = (0.0, 0.7)
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
    of_one_type: float
    """The highest share that edits of one type change."""


def tune_levels(
    edit: Callable[[Sequence[Level]], Sequence[Sequence[EditedText]]],
    count: Callable[[Sequence[str]], Sequence[Counts]],
    registers: Sequence[range] = (),
    aims: Mapping[str, Aim] = AIMS,
) -> dict[str, TunedLevel]:
    """Choose a level for each aim.

    Levels with one threshold for all types of edit are tried, and levels with one for each type
    that is frequent (`emendo.evaluation.type_thresholds`). Edits from the list of words count as a
    type. Edits of protected spans are not counted: documents drop them.

    Args:
        edit: Edits the dev sentences at each of several levels, with the final number of
            rounds: later rounds depend on the edits that the thresholds accept before.
        count: Counts the edits of the outputs.
        registers: Rows of correct sentences of one kind each, used only to limit false alarms:
            the limit holds in each of them. By default the sentences without a gold edit are one
            register.
        aims: By the names of the levels.
    """
    tuner = _Tuner(edit, count, registers)
    found: dict[str, TunedLevel] = {}
    for support in dict.fromkeys(aim.support for aim in aims.values()):
        alike = {name: aim for name, aim in aims.items() if aim.support == support}
        found |= _tuned(tuner, support, alike)
    return {name: found[name] for name in aims}


def _tuned(tuner: _Tuner, support: float, aims: Mapping[str, Aim]) -> dict[str, TunedLevel]:
    """Choose a level for each of some aims, which have the same support."""
    common = product(_BIASES, _SENTENCE_THRESHOLDS, _EDIT_THRESHOLDS)
    tried = tuner.try_levels([Level(*each, support=support) for each in common])
    bases = [Level(bias, support=support) for bias in _BIASES]
    everything = {level: tuner.by_type(level) for level in bases}
    groups = len(everything[bases[0]].groups)
    aims = {name: aim.spread_over(groups) for name, aim in aims.items()}
    for level, edits in everything.items():
        proposed = (propose_levels(level, edits, aim) for aim in aims.values())
        tried += tuner.try_levels(list(dict.fromkeys(chain.from_iterable(proposed))))
    return {name: _best(tried, aim) for name, aim in aims.items()}


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
        return [
            self._summed_up(level, edited)
            for level, edited in zip(levels, self._unprotected(levels), strict=True)
        ]

    def by_type(self, level: Level) -> DevEdits:
        """Return the edits at a level."""
        (edited,) = self._unprotected([level])
        counts = self._count([each.text for each in edited])
        clean = self._clean(counts)
        return DevEdits(
            {name: list(self._touched(name, edited, clean, level)) for name in _types(edited)},
            gold=total(counts).gold,
            sentences=len(edited) - len({row for rows in clean for row in rows}),
        )

    def _touched(
        self,
        name: str,
        edited: Sequence[EditedText],
        clean: Sequence[Collection[int]],
        level: Level,
    ) -> Iterator[Touched]:
        """Yield the sentences with edits of one type; others count only by their support."""
        own = [each.only(edit for edit in each.edits if edit.group == name) for each in edited]
        counts = self._count([each.text for each in own])
        for row, (each, whole, found) in enumerate(zip(own, edited, counts, strict=True)):
            if each.edits:
                supported = zip(whole.edits, level.supported(whole), strict=True)
                confidence = min(value for edit, value in supported if edit.group == name)
                alarms = [1 / len(rows) if row in rows else 0.0 for rows in clean]
                is_counted = not (self._registers and any(alarms))
                correct, proposed = (found.correct, found.proposed) if is_counted else (0, 0)
                yield Touched(confidence, correct, proposed, alarms)

    def _clean(self, counts: Sequence[Counts]) -> Sequence[Collection[int]]:
        """Return the rows of correct sentences, register by register."""
        if self._registers:
            return self._registers
        without = {row for row, each in enumerate(counts) if not each.gold}
        return [without] if without else []

    def _unprotected(self, levels: Sequence[Level]) -> list[list[EditedText]]:
        """Edit at levels, without edits of protected spans."""
        at_levels = self._edit(levels)
        if self._protected is None and levels:
            self._protected = [protected_spans(edited.source) for edited in at_levels[0]]
        return [
            [
                drop_protected(edited, spans)
                for edited, spans in zip(found, self._protected or (), strict=True)
            ]
            for found in at_levels
        ]

    def _summed_up(self, level: Level, edited: Sequence[EditedText]) -> TunedLevel:
        counts = self._count([each.text for each in edited])
        clean = self._clean(counts)
        alarms = [_false_alarms([counts[row] for row in rows]) for rows in clean]
        one_type = [_of_one_type([edited[row] for row in rows]) for rows in clean]
        left_out = {row for rows in self._registers for row in rows}
        return TunedLevel(
            level,
            total(each for row, each in enumerate(counts) if row not in left_out),
            max((share for share, _ in alarms), default=0.0),
            max((bound for _, bound in alarms), default=0.0),
            of_one_type=max(one_type, default=0.0),
        )


def _types(edited: Sequence[EditedText]) -> list[str]:
    return sorted({edit.group for each in edited for edit in each.edits})


def _of_one_type(edited: Sequence[EditedText]) -> float:
    """Return the share of sentences that the type of edit that changes most of them changes."""
    touched = Counter(name for each in edited for name in _types([each]))
    return max(touched.values(), default=0) / max(1, len(edited))


def _false_alarms(counts: Sequence[Counts]) -> tuple[float, float]:
    """Return the share of correct sentences that were changed, and its upper bound."""
    touched = [each.proposed > 0 for each in counts if not each.gold]
    if not touched:
        return 0.0, 0.0
    share = sum(touched) / len(touched)
    # Wilson's bound: unlike a multiple of the standard error, it is not 0 if none was changed.
    part = _STANDARD_ERRORS**2 / len(touched)
    error = math.sqrt(share * (1 - share) * part + part**2 / 4)
    return share, (share + part / 2 + error) / (1 + part)


def _best(tried: Sequence[TunedLevel], aim: Aim) -> TunedLevel:
    """Return the best level within both limits.

    If there is none, the limit for one type is ignored; if no level keeps to the limit for all
    types, the levels with the fewest false alarms are compared.
    """
    bound = max(aim.false_alarms, min(each.false_alarms_elsewhere for each in tried))
    within = [each for each in tried if each.false_alarms_elsewhere <= bound]
    spread = [
        each
        for each in within
        if each.of_one_type <= aim.false_alarms_of_one_type and each.counts.proposed
    ]
    # If equal, the first one: levels with one threshold for all types come first.
    return max(spread or within, key=lambda each: each.counts.f(aim.beta))
