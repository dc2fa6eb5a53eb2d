"""log P of many outputs at once, from the folded emissions of their labels (equations 2 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.floating]
    Ints = NDArray[np.int64]


def log_likelihoods(
    blank: Floats, emissions: Floats, labels: Ints, slots: Ints, lengths: Ints
) -> Floats:
    """Sum over all paths of each output.

    Args:
        blank: [K, S] log P of BLANK.
        emissions: [K, S, M] log P' of each label, KEEP folded in.
        labels: [K, M] the labels; only which neighbours are equal matters.
        slots: [K] how many of the S slots each has.
        lengths: [K] how many of the M labels each has.

    Returns:
        [K] log P; -inf for an output that has no path.
    """
    K, _, M = emissions.shape
    states = 2 * M + 1
    # Even places are blanks, odd ones labels. The first two are padding that no path reaches.
    best = np.full((K, states + 2), -np.inf)
    best[:, 2] = 0.0
    # A path may skip the blank between two labels unless they are equal.
    may_skip = np.zeros((K, states), dtype=bool)
    may_skip[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    last_state = 2 * lengths + 2
    rows = np.arange(K)
    # Of those without slots; the others get theirs at their last slot.
    result = np.where(lengths == 0, 0.0, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for slot, (low, high) in enumerate(_bands(emissions, slots, lengths)):
            score = np.empty((K, high - low))
            score[:, 0::2] = blank[:, slot, None]
            score[:, 1::2] = emissions[:, slot, low // 2 : high // 2]
            stay, step = best[:, low + 2 : high + 2], best[:, low + 1 : high + 1]
            skip = np.where(may_skip[:, low:high], best[:, low:high], -np.inf)
            best[:, low + 2 : high + 2] = np.logaddexp(np.logaddexp(stay, step), skip) + score
            # No path leads on from the label below the band. The blank below that label need not
            # be cleared: a path may skip to a label, not to a blank.
            best[:, low + 1] = -np.inf
            ends = slots == slot + 1
            if ends.any():
                end = rows[ends]
                # At the last blank or the last label, which is padding if there is none.
                at_blank, at_label = best[end, last_state[end]], best[end, last_state[end] - 1]
                result[end] = np.logaddexp(at_blank, at_label)
    return result


def _bands(emissions: Floats, slots: Ints, lengths: Ints) -> Iterator[tuple[int, int]]:
    """Yield for each slot the range of states that can be part of a path of any output.

    Where words are not looked up, a label can only come from its own token, so few states are left.
    """
    K, S, M = emissions.shape
    if not K * S:
        return
    place = np.arange(M)
    is_label = place < lengths[:, None]
    can_emit = (emissions > -np.inf) & (np.arange(S) < slots[:, None])[:, :, None]
    # Each label comes at least one slot after the one before it.
    first = np.where(is_label, can_emit.argmax(axis=1), S + place)
    first = np.maximum.accumulate(first - place, axis=1) + place
    last = np.where(is_label, S - 1 - can_emit[:, ::-1].argmax(axis=1), S + place)
    last = np.minimum.accumulate((last - place)[:, ::-1], axis=1)[:, ::-1] + place
    # After its last slot, an output needs no state.
    last = np.where(is_label, last, slots[:, None] - 1)
    begun = np.searchsorted(first.min(axis=0), np.arange(S), side="right")
    over = np.searchsorted(last.max(axis=0), np.arange(S), side="left")
    yield from zip((2 * np.minimum(over, begun)).tolist(), (2 * begun + 1).tolist(), strict=True)
