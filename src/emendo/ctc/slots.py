"""A network's scores for the slots of a batch, as every backend returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SlotScores:
    """Log-probabilities of KEEP, BLANK and ADD at every slot, and of words where they matter."""

    three_way: NDArray[np.floating]
    """[B, S, 3] log P of KEEP, BLANK and ADD. KEEP is -inf at the edges."""
    rows: NDArray[np.int64]
    """[R] Flat slots b·S + s that the lexical head has scored, ascending."""
    top_ids: NDArray[np.int64]
    """[R, K] The likeliest tokens there, best first."""
    top_scores: NDArray[np.floating]
    """[R, K] log P(token | ADD)."""
    keep_scores: NDArray[np.floating]
    """[R] log P(the slot's own source token | ADD); -inf if it is not in the vocabulary."""
