"""Slot scores from a network's output; words are looked up only where the path needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc import SlotScores, undecided
from emendo.ctc.alphabet import KEEP_COLUMN
from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, Batch, NetworkOutput


def three_way_log_probs(
    three_way: NDArray[np.floating], slot_keep_ids: NDArray[np.int64], *, keep_bias: float = 0.0
) -> NDArray[np.floating]:
    """Return [B, S, 3] log P of KEEP, BLANK and ADD; KEEP is impossible without a label.

    Args:
        three_way: [B, S, 3] scores.
        slot_keep_ids: [B, S] the label KEEP stands for, or NO_LABEL.
        keep_bias: Added to KEEP's score; a higher bias gives more precise edits.
    """
    scores = three_way.astype(np.float32)
    scores[..., KEEP_COLUMN] += keep_bias
    scores[..., KEEP_COLUMN][slot_keep_ids == NO_LABEL] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))


def score_slots(
    backend: Backend, batch: Batch, output: NetworkOutput, *, keep_bias: float = 0.0
) -> SlotScores:
    """Look up words at the slots where P(KEEP), P(BLANK), P(ADD) alone decide nothing."""
    slot_keep_ids = backend.alphabet.slot_keep_ids(batch.keep_ids)
    three_way = three_way_log_probs(output.three_way, slot_keep_ids, keep_bias=keep_bias)
    is_slot = backend.alphabet.slot_keep_ids(batch.attention_mask) != 0
    rows = np.flatnonzero(undecided(np.exp(three_way)) & is_slot)
    states = output.states.reshape(-1, output.states.shape[-1])[rows]
    words = backend.look_up(states, slot_keep_ids.reshape(-1)[rows, None])
    return SlotScores(three_way, rows, words.top_ids, words.top_scores, words.label_scores[:, 0])
