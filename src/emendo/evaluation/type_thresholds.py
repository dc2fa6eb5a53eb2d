"""Proposes thresholds for each type of edit, from the gains and costs of the edits of each type.

All types share one limit on false alarms: if commas use more of it, articles can use less. So each
edit that passes a threshold has a price, which is the same for all types: a fraction of the value
of a right edit for being proposed, and a further price for touching a correct sentence. At given
prices, the best threshold of a type depends on that type alone, and a range of prices gives the
levels that are worth trying. The sums are approximate where a sentence has several edits, so the
caller must test each proposal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.evaluation.counts import Counts
from emendo.text.edits import LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from emendo.bundle.levels import Level
    from emendo.evaluation.aims import Aim

    Floats = NDArray[np.float64]

# Close together near 0.45, where all confidences of a type are if they say little.
THRESHOLDS = (
    *(0.0, 0.3, 0.35, 0.4, 0.42, 0.44, 0.46, 0.48, 0.5, 0.52),
    *(0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9),
    *(0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 1.0),
)
# Types with fewer edits share a threshold, as too few sentences would decide theirs.
_FEWEST = 30
# Of a right edit: the price of proposing one, which is the least precision that pays.
_PROPOSAL_PRICES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# Of a right edit: the price of touching a correct sentence.
_ALARM_PRICES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 9.0, 14.0, 25.0)
# So many proposals are worth a test, at each of these parts of the limit. By the sums they may
# exceed it somewhat, because the sums count a sentence once for each type that touches it. Others
# must be well within it, because the caller leaves a margin for chance.
_PROPOSALS, _PARTS = 12, (1.25, 0.85)
# Of the limit for one type: the sums of a type are not exact either, as edits depend on others.
_MARGINS = (1.0, 0.8)


class Touched(NamedTuple):
    """The edits of one type in one sentence."""

    confidence: float
    """The lowest of their confidences, raised by support."""
    correct: int
    proposed: int
    alarms: Sequence[float]
    """For each register, which part of it this sentence is: 0 if it belongs to another."""


@dataclass(frozen=True)
class DevEdits:
    """The edits of the dev data without any threshold."""

    types: Mapping[str, Sequence[Touched]]
    """The sentences that edits of each type touch."""
    gold: int
    """Edits that are wanted."""
    sentences: int
    """Sentences that are in no register: an alarm costs as much in a register of any size."""

    @property
    def frequent(self) -> Mapping[str, Sequence[Touched]]:
        """The types with enough edits for a threshold of their own."""
        return {name: each for name, each in self.types.items() if len(each) >= _FEWEST}

    @property
    def groups(self) -> list[Sequence[Touched]]:
        """The edits of each frequent type, and those of all others."""
        rare = [one for each in self.types.values() if len(each) < _FEWEST for one in each]
        return [*self.frequent.values(), *([rare] if rare else [])]


class _Proposal(NamedTuple):
    f: float
    common: float
    own: tuple[tuple[str, float], ...]


def propose_levels(base: Level, edits: DevEdits, aim: Aim) -> list[Level]:
    """Return levels with a threshold for each frequent type, the most promising first.

    Args:
        base: The level whose thresholds are replaced.
        edits: The edits that it makes without thresholds.
        aim: The target of the level.
    """
    found = [
        each
        for margin, part in product(_MARGINS, _PARTS)
        for each in sorted(set(_priced(edits, aim, margin, part)), reverse=True)[:_PROPOSALS]
    ]
    return [
        replace(base, edit_threshold=each.common, type_thresholds=each.own)
        for each in dict.fromkeys(found)
    ]


def _priced(edits: DevEdits, aim: Aim, margin: float, part: float) -> Iterator[_Proposal]:
    """Yield the best thresholds at each price, with the F that the sums give."""
    frequent, groups = edits.frequent, edits.groups
    if not groups:
        return
    # Without a threshold of its own, the list of words would have that of another type.
    always = {LISTED} & set(edits.types)
    sums = np.array([_sums(each) for each in groups])
    allowed = np.array((sums[..., 2:] <= margin * aim.false_alarms_of_one_type).all(axis=-1))
    # The highest threshold, if none keeps to the limit.
    allowed[:, -1] = True
    for proposal, alarm, weights in product(
        _PROPOSAL_PRICES, _ALARM_PRICES, _weights(sums.shape[-1] - 2)
    ):
        prices = np.concatenate([[1.0, -proposal], -alarm * edits.sentences * weights])
        best = np.where(allowed, sums @ prices, -np.inf).argmax(axis=-1)
        correct, proposed, *alarms = sums[np.arange(len(groups)), best].sum(axis=0)
        # A level that never edits is no level, whatever the limit.
        if not proposed or max(alarms, default=0.0) > part * aim.false_alarms:
            continue
        chosen = dict(zip(frequent, (THRESHOLDS[each] for each in best), strict=False))
        common = THRESHOLDS[best[-1]] if len(groups) > len(frequent) else 1.0
        apart = {name: value for name, value in chosen.items() if value != common}
        own = tuple(sorted((dict.fromkeys(always, common) | apart).items()))
        counts = Counts(int(correct), int(proposed), edits.gold)
        yield _Proposal(counts.f(aim.beta), common, own)


def _weights(registers: int) -> list[Floats]:
    """Return how the price of alarms can be spread: on one register, or on all alike."""
    if not registers:
        return [np.zeros(0)]
    even = np.full(registers, 1 / registers)
    return [even] if registers == 1 else [even, *np.eye(registers)]


def _sums(found: Sequence[Touched]) -> Floats:
    """Return [thresholds, 2 + registers] correct edits, proposed edits and alarms that pass."""
    confidences = np.array([each.confidence for each in found])
    parts = np.array([[each.correct, each.proposed, *each.alarms] for each in found], dtype=float)
    return np.array([parts[confidences >= value].sum(axis=0) for value in THRESHOLDS])
