"""The interface between the editor and the engine that runs the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.ctc import Alphabet


class Readable(Protocol):
    """The input of the network for a sentence."""

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
    """Source tokens of several sentences, padded on the right."""

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
    """Stack rows of different lengths, padded with a value."""
    padded = np.full((len(rows), max(map(len, rows), default=0)), value, dtype=np.int64)
    for filled, row in zip(padded, rows, strict=True):
        filled[: len(row)] = row
    return padded


@dataclass(frozen=True, eq=False)
class NetworkOutput:
    """The result of one pass over a batch."""

    three_way: NDArray[np.floating]
    """[B, S, 3] scores of KEEP, BLANK and ADD: log-probabilities up to a constant."""
    states: NDArray[np.floating]
    """[B, S, H] the slots, for looking up words."""


@dataclass(frozen=True, eq=False)
class WordScores:
    """The scores of the lexical head for R slots."""

    top_ids: NDArray[np.int64]
    """[R, K] the likeliest tokens, best first."""
    top_scores: NDArray[np.floating]
    """[R, K] log P(token | ADD)."""
    label_scores: NDArray[np.floating]
    """[R, L] log P(label | ADD) of the requested labels; -inf for labels that are not tokens."""


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

    def run(self, batch: Batch) -> NetworkOutput:
        """Run everything except the lexical head over a batch."""
        ...

    def look_up(self, states: NDArray[np.floating], labels: NDArray[np.int64]) -> WordScores:
        """Score words at [R, H] slots: the likeliest, and for each slot its [R, L] labels."""
        ...
