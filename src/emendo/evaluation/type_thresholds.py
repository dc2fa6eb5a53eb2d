"""Proposes thresholds for each type of edit, from the gains and costs of the edits of each type.

All types share one limit on false alarms: if commas use more of it, articles can use less. So each
edit that passes a threshold has a price, which is the same for all types: a fraction of the value
of a right edit for being proposed, and a further price for touching a correct sentence. At given
prices, the best threshold of a type depends on that type alone, and a range of prices gives the
levels that are worth trying. The sums are approximate where a sentence has several edits, so the
caller must test each proposal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from emendo.bundle.levels import Level

    Floats = NDArray[np.float64]

THRESHOLDS = (
    *(0.0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9),
    *(0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 1.0),
)
# Types with fewer edits share a threshold, as too few sentences would decide theirs.
_FEWEST = 30
# Of a right edit: the price of proposing one, which is the least precision that pays.
_PROPOSAL_PRICES = (0.2, 0.4, 0.6, 0.75)
# Of a right edit: the price of touching a correct sentence.
_ALARM_PRICES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 25.0)


class Touched(NamedTuple):
    """The edits of one type in one sentence."""

    confidence: float
    """The lowest of their confidences."""
    correct: int
    proposed: int
    alarms: Sequence[float]
    """For each register: 0 if the sentence is not in it, otherwise the sentences that are in none
    for each one of the register, so that registers of any size cost the same."""


def propose_levels(base: Level, types: Mapping[str, Sequence[Touched]]) -> Iterator[Level]:
    """Yield levels with a threshold for each frequent type.

    Args:
        base: The level whose thresholds are replaced.
        types: The sentences that edits of each type touch, without any threshold.
    """
    rare = [name for name, found in types.items() if len(found) < _FEWEST]
    pooled = {name: _sums(found) for name, found in types.items() if name not in rare}
    others = _sums([each for name in rare for each in types[name]])
    if not pooled and others is None:
        return
    registers = next(sums for sums in (*pooled.values(), others) if sums is not None).shape[1] - 2
    seen = set()
    for proposal, alarm, weights in product(
        _PROPOSAL_PRICES, _ALARM_PRICES, _weights(registers) if registers else [np.zeros(0)]
    ):
        prices = np.concatenate([[1.0, -proposal], -alarm * weights])
        chosen = {
            name: THRESHOLDS[int(np.argmax(sums @ prices))]
            for name, sums in pooled.items()
            if sums is not None
        }
        common = THRESHOLDS[int(np.argmax(others @ prices))] if others is not None else 1.0
        own = tuple(sorted((name, value) for name, value in chosen.items() if value != common))
        # A level that never edits is no level, whatever the limit.
        if {common, *chosen.values()} != {1.0} and (common, own) not in seen:
            seen.add((common, own))
            yield replace(base, edit_threshold=common, type_thresholds=own)


def _weights(registers: int) -> list[Floats]:
    """Return how the price of alarms can be spread: on one register, or on all alike."""
    even = np.full(registers, 1 / registers)
    return [even] if registers == 1 else [even, *np.eye(registers)]


def _sums(found: Sequence[Touched]) -> Floats | None:
    """Return [thresholds, 2 + registers] correct edits, proposed edits and alarms that pass."""
    if not found:
        return None
    confidences = np.array([each.confidence for each in found])
    parts = np.array([[each.correct, each.proposed, *each.alarms] for each in found], dtype=float)
    return np.array([parts[confidences >= value].sum(axis=0) for value in THRESHOLDS])
