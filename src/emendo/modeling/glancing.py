"""Glancing: in training, show the decoder some of the answer where it is far from it.

Shapes: B sentences, N tokens, T slots a token, S = N·T slots, R of them shown, H width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from emendo.ctc.alphabet import ADD_COLUMN, BLANK, BLANK_COLUMN, KEEP_COLUMN, THREE_WAY
from emendo.modeling.layer_norm import LayerNorm
from emendo.modeling.precision import wide_dtype

if TYPE_CHECKING:
    from emendo.modeling.ctc_loss import Targets

# Beside words of variance 1.
_OPERATION_START = 0.5
_TINY = 1e-12


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


def gold_operations(gold: Tensor, slot_keep_ids: Tensor) -> Tensor:
    """Return [B, S] which of KEEP, BLANK and ADD gives each gold label of a path."""
    operation = torch.where(gold == slot_keep_ids, KEEP_COLUMN, ADD_COLUMN)
    return torch.where(gold == BLANK, BLANK_COLUMN, operation)


class UsualSlots(NamedTuple):
    """What the slots of each sentence are like, so that what is shown can be like them."""

    mean: Tensor
    """[B, T, H] of the tokens' first slots, of their second ones, and so on."""
    spread: Tensor
    """[B, 1] how far slots are from their mean: the root of the mean square of a value."""

    @classmethod
    @torch.no_grad()
    def of(cls, slots: Tensor, is_token: Tensor) -> UsualSlots:
        """Measure [B, S, H] slots, given which [B, N] tokens are no padding."""
        values = slots.unflatten(1, (is_token.shape[1], -1)).to(wide_dtype(slots.dtype))
        weight = is_token.to(values.dtype)
        weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1)
        mean = (weight[:, :, None, None] * values).sum(dim=1)
        squares = (values - mean.unsqueeze(1)).square().mean(dim=(2, 3))
        return cls(mean, (weight * squares).sum(dim=1, keepdim=True).sqrt())

    def at(self, sentence: Tensor, slot: Tensor) -> UsualSlots:
        """Return mean and spread for [R] slots of [R] sentences: [R, H] and [R, 1]."""
        return UsualSlots(self.mean[sentence, slot % self.mean.shape[1]], self.spread[sentence])


class GoldSlots(nn.Module):
    """What the decoder reads at a slot that is shown its answer (equation 7a)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = LayerNorm(width)
        self.operations = nn.Parameter(torch.empty(THREE_WAY, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with operations that differ, and count less than words."""
        nn.init.normal_(self.operations, std=_OPERATION_START)

    def forward(self, words: Tensor, operations: Tensor, usual: UsualSlots) -> Tensor:
        """Turn [R, H] embeddings and [R] operations, by column, into [R, H] slots.

        `usual` has the mean and the spread at each of them.
        """
        wide = wide_dtype(words.dtype)
        gold = self.norm(words).to(wide) + self.operations[operations]
        gold = gold * gold.square().mean(dim=-1, keepdim=True).clamp(min=_TINY).rsqrt()
        return usual.mean + usual.spread * gold
