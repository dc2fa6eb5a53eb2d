"""Encoded pairs to the tensors of one training batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emendo.errors import require

require("emendo.data.collator", "train", "torch")

import torch

from emendo.data.windows import edit_window
from emendo.inference.backend import Batch, pad_right
from emendo.labels import IGNORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from emendo.data.encoding import EncodedPair


@dataclass(frozen=True)
class PairCollator:
    """Pads pairs into batches for `CopyCTCForEditing`."""

    pad_id: int
    upsampling: int
    reach: int | None = None
    """Add words only within this many tokens of a change; None adds them everywhere (exact)."""

    def __call__(self, pairs: Sequence[EncodedPair]) -> dict[str, Tensor]:
        """Collate pairs into a batch."""
        batch = Batch.of(pairs, self.pad_id)
        arrays = {
            "input_ids": batch.input_ids,
            "attention_mask": batch.attention_mask,
            "keep_ids": batch.keep_ids,
            "labels": pad_right([pair.labels for pair in pairs], IGNORE),
        }
        if self.reach is not None:
            windows = [
                edit_window(
                    pair.keep_ids, pair.labels, reach=self.reach, upsampling=self.upsampling
                )
                for pair in pairs
            ]
            arrays["lexical_mask"] = pad_right([w.astype(np.int64) for w in windows], 0)
        return {name: torch.from_numpy(values) for name, values in arrays.items()}
