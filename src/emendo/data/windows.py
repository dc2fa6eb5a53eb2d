"""Where words may have to be added: the source tokens near a change."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def edit_window(
    keep_ids: NDArray[np.int64], labels: NDArray[np.int64], *, reach: int, upsampling: int
) -> NDArray[np.bool_]:
    """Mark the source tokens within `reach` tokens of a change.

    Outside the window only KEEP and BLANK can emit. If a target's new words do not fit the slots
    of the window, all tokens are marked.

    Args:
        keep_ids: [N] the labels KEEP stands for, edges included.
        labels: [M] the target.
        reach: k, tokens on each side of a change.
        upsampling: T.

    Returns:
        [N] True inside the window.
    """
    window = np.zeros(len(keep_ids), dtype=bool)
    matcher = SequenceMatcher(None, keep_ids.tolist(), labels.tolist(), autojunk=False)
    for kind, i, i2, j, j2 in matcher.get_opcodes():
        # The edges never match and are no change by themselves.
        is_edge = j == j2 and (i2 == 1 or i == len(keep_ids) - 1)
        if kind == "equal" or (is_edge and i2 - i == 1):
            continue
        start, end = max(0, i - reach), min(len(keep_ids), i2 + reach)
        # The window's kept tokens and the new ones, with a blank between any two.
        if 2 * (j2 - j + end - start) > (end - start) * upsampling:
            window[:] = True
            break
        window[start:end] = True
    return window
