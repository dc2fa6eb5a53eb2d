"""log P of many outputs at once, from the folded emissions of their labels (equations 2 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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
    K, S, M = emissions.shape
    states = 2 * M + 1
    # Even places are blanks, odd ones labels.
    best = np.full((K, states), -np.inf)
    score = np.empty((K, states))
    # A path may skip the blank between two labels unless they are equal.
    may_skip = np.zeros((K, states), dtype=bool)
    may_skip[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    last_state = 2 * lengths
    rows = np.arange(K)
    # Of those without slots; the others get theirs at their last slot.
    result = np.where(lengths == 0, 0.0, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for slot in range(S):
            score[:, 0::2] = blank[:, slot, None]
            score[:, 1::2] = emissions[:, slot]
            if slot == 0:
                best[:, :2] = score[:, :2]
            else:
                stay = best
                step = np.concatenate([np.full((K, 1), -np.inf), best], axis=1)[:, :states]
                skip = np.concatenate([np.full((K, 2), -np.inf), best], axis=1)[:, :states]
                skip = np.where(may_skip, skip, -np.inf)
                best = np.logaddexp(np.logaddexp(stay, step), skip) + score
            ends = slots == slot + 1
            if ends.any():
                end = rows[ends]
                at_blank = best[end, last_state[end]]
                at_label = np.where(lengths[end] > 0, best[end, last_state[end] - 1], -np.inf)
                result[end] = np.logaddexp(at_blank, at_label)
    return result
