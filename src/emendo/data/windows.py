"""The source tokens near a change, where words may have to be added."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from emendo.errors import ConfigError
from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from numpy.typing import NDArray


def edit_window(
    keep_ids: NDArray[np.int64], labels: NDArray[np.int64], *, reach: int, upsampling: int
) -> NDArray[np.bool_]:
    """Mark the source tokens within `reach` tokens of a change.

    Outside the window only KEEP and BLANK can emit. If a target's new words hardly fit the slots
    of the window, all tokens are marked, so that the target always has a path.

    Args:
        keep_ids: [N] the labels KEEP stands for, edges included.
        labels: [M] the target.
        reach: k, tokens on each side of a change, at least 1.
        upsampling: T.

    Returns:
        [N] True inside the window.
    """
    if reach < 1:
        raise ConfigError(f"reach is {reach}; it must be at least 1")
    window = np.zeros(len(keep_ids), dtype=bool)
    for start, end, growth in _stretches(keep_ids, labels, reach):
        # Kept and new labels must fit into the stretch, with a quarter of it to spare.
        if 4 * (end - start + growth) > 3 * (end - start) * upsampling:
            window[:] = True
            break
        window[start:end] = True
    return window


def _stretches(
    keep_ids: NDArray[np.int64], labels: NDArray[np.int64], reach: int
) -> list[tuple[int, int, int]]:
    """Return (start, end, labels minus tokens) of the changes; overlapping ones are merged."""
    matcher = SequenceMatcher(None, keep_ids.tolist(), labels.tolist(), autojunk=False)
    stretches: list[tuple[int, int, int]] = []
    for kind, i, i2, j, j2 in matcher.get_opcodes():
        # The edges never match, but are not changes.
        is_edge = j == j2 and i2 - i == 1 and keep_ids[i] == NO_LABEL
        if kind == "equal" or is_edge:
            continue
        start, end = max(0, i - reach), min(len(keep_ids), i2 + reach)
        growth = (j2 - j) - (i2 - i)
        if stretches and start < stretches[-1][1]:
            first, _, before = stretches.pop()
            start, growth = first, before + growth
        stretches.append((start, end, growth))
    return stretches
