"""Pads batches to one of a few shapes, for engines that compile for each new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

_TOKENS = 8


def few_rows(rows: int) -> int:
    """Return the next larger number of rows that is used: 1, 2, 3, 4, 6, 8, 12, 16 and so on."""
    power = 1 << (rows - 1).bit_length()
    return power // 4 * 3 if rows <= power // 4 * 3 else power


def few_tokens(tokens: int, limit: int) -> int:
    """Return the next larger number of tokens that is used: 8, 16, 24 and so on."""
    return max(tokens, min(limit, -(-tokens // _TOKENS) * _TOKENS))


def fill_rows(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """Repeat the first row at the end up to a number of rows."""
    missing = rows - len(array)
    return np.concatenate([array, np.repeat(array[:1], missing, axis=0)]) if missing else array


def fill_columns(array: NDArray[Any], columns: int, value: int) -> NDArray[Any]:
    """Add columns of a value at the end up to a number of columns."""
    missing = columns - array.shape[1]
    return np.pad(array, ((0, 0), (0, missing)), constant_values=value) if missing else array
