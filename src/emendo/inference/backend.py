"""The seam between the editor and whatever runs the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.ctc import Alphabet, SlotScores


class Readable(Protocol):
    """What a network reads of a sentence."""

    @property
    def ids(self) -> NDArray[np.int64]:
        """Return its [N] tokens."""
        ...

    @property
    def keep_ids(self) -> NDArray[np.int64]:
        """Return the [N] labels that KEEP stands for."""
        ...


@dataclass(frozen=True, eq=False)
class Batch:
    """Source tokens side by side, padded on the right."""

    input_ids: NDArray[np.int64]
    """[B, N]"""
    attention_mask: NDArray[np.int64]
    """[B, N] 0 for padding."""
    keep_ids: NDArray[np.int64]
    """[B, N] the label KEEP stands for; NO_LABEL at edges and padding."""

    @classmethod
    def of(cls, sources: Sequence[Readable], pad_id: int) -> Batch:
        """Pad source tokens to the longest."""
        return cls(
            pad_right([source.ids for source in sources], pad_id),
            pad_right([np.ones_like(source.ids) for source in sources], 0),
            pad_right([source.keep_ids for source in sources], NO_LABEL),
        )


def pad_right(rows: Sequence[NDArray[np.int64]], value: int) -> NDArray[np.int64]:
    """Stack rows of different lengths, filled up with a value."""
    padded = np.full((len(rows), max(map(len, rows), default=0)), value, dtype=np.int64)
    for filled, row in zip(padded, rows, strict=True):
        filled[: len(row)] = row
    return padded


class Backend(Protocol):
    """Runs a network over batches."""

    @property
    def alphabet(self) -> Alphabet:
        """The symbols its slots choose from."""
        ...

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that it can read at once."""
        ...

    def run(self, batch: Batch) -> SlotScores:
        """Score the slots of a batch, words included wherever the path depends on them."""
        ...
