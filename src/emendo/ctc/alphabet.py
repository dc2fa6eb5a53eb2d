"""The symbols of a path, and the arithmetic between slots and source tokens.

Letters, here and everywhere: N source tokens, T slots a token, S = N·T slots, M labels,
V vocabulary entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)

KEEP = -1
"""In a path: the source token of this slot. Tokens are their vocabulary ids, from 0 up."""
BLANK = -2
"""In a path: nothing. A source token whose slots are all blank is deleted."""

THREE_WAY = 3
"""Width of the three-way scores."""
KEEP_COLUMN, BLANK_COLUMN, ADD_COLUMN = range(THREE_WAY)


def count_slots(tokens: int, upsampling: int) -> int:
    """Return S, the number of slots of N tokens."""
    return tokens * upsampling


def token_of(slot: int, upsampling: int) -> int:
    """Return the token that a slot belongs to."""
    return slot // upsampling


def slots_of(first: int, last: int, upsampling: int) -> NDArray[np.int64]:
    """Return the slots of the tokens from `first` up to, but not including, `last`."""
    return np.arange(count_slots(first, upsampling), count_slots(last, upsampling))


def per_slot(values: NDArray[Value], upsampling: int) -> NDArray[Value]:
    """Return the value of each slot's token: [..., N] to [..., N·T]."""
    return np.repeat(values, upsampling, axis=-1)


def per_token(values: NDArray[Value], tokens: int, upsampling: int) -> NDArray[Value]:
    """Return the values of each token's slots, without padding: [N·T or more] to [N, T]."""
    return values[: count_slots(tokens, upsampling)].reshape(tokens, upsampling)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The symbols of a path: V tokens, KEEP and BLANK, T times for every source token."""

    vocab_size: int
    upsampling: int

    @property
    def size(self) -> int:
        """Symbols a slot can choose from."""
        return self.vocab_size + 2

    def slot_keep_ids(self, keep_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for every slot, the label that KEEP stands for: [..., N] to [..., N·T]."""
        return per_slot(keep_ids, self.upsampling)

    def columns(self, path: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the column of each symbol in a [S, V+2] table: tokens, then KEEP, then BLANK."""
        return np.where(
            path == KEEP, self.vocab_size, np.where(path == BLANK, self.vocab_size + 1, path)
        )

    def symbols(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the symbol of each column: the inverse of `columns`."""
        path = np.where(columns == self.vocab_size, KEEP, columns)
        return np.where(columns == self.vocab_size + 1, BLANK, path)
