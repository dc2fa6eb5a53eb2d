"""Glancing: in training, show the decoder some of the answer where it is far from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from emendo.ctc.alphabet import BLANK

if TYPE_CHECKING:
    from emendo.modeling.ctc_loss import Targets


def path_labels(columns: Tensor, targets: Targets) -> Tensor:
    """Return the label, or BLANK, that each emission column of a path stands for, [B, S]."""
    labels = targets.labels.gather(1, (columns - 1).clamp(min=0))
    return torch.where(columns == 0, BLANK, labels)


def glance(gold: Tensor, guess: Tensor, is_slot: Tensor, ratio: float) -> Tensor:
    """Choose the slots whose gold token is shown, [B, S].

    Each slot of a sentence is chosen with the same chance: the share of its slots where the
    guess is wrong, times `ratio` (equation 7).

    Args:
        gold: [B, S] labels of the best path that gives the target.
        guess: [B, S] labels of the best path of all.
        is_slot: [B, S] false for padding.
        ratio: τ.
    """
    wrong = ((gold != guess) & is_slot).sum(dim=1, keepdim=True)
    chance = ratio * wrong / is_slot.sum(dim=1, keepdim=True).clamp(min=1)
    return (torch.rand(gold.shape, device=gold.device) < chance) & is_slot


def gold_ids(gold: Tensor, slot_ids: Tensor, slot_keep_ids: Tensor, mask_id: int) -> Tensor:
    """Return [B, S] the vocabulary entry to show for each gold label of a path.

    A kept token shows as what the encoder read, BLANK as the mask token.
    """
    shown = torch.where(gold == slot_keep_ids, slot_ids, gold)
    return torch.where(gold == BLANK, mask_id, shown)
