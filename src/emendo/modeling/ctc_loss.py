"""The likelihood of a target: folded emissions, and the engine's own CTC over them.

docs/explanation/copy-aware-ctc.md has the equations. Shapes: B sentences, S slots, M labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from emendo.ctc.alphabet import ADD_COLUMN, BLANK_COLUMN, KEEP_COLUMN
from emendo.labels import IGNORE, NO_LABEL

if TYPE_CHECKING:
    from emendo.modeling.lexicon import LexicalScores

LOG_ZERO = -1e30
"""Stands for log 0: far below any real score, yet sums of it stay finite in single precision,
where -inf would turn gradients into NaN."""


class Targets(NamedTuple):
    """Labels of a batch, numbered for the CTC kernels."""

    labels: Tensor
    """[B, M] labels, IGNORE where padded; M is at least 1."""
    columns: Tensor
    """[B, M] column of each label in the emissions: 1 + the first place of an equal label."""
    lengths: Tensor
    """[B]"""

    @classmethod
    def of(cls, labels: Tensor) -> Targets:
        """Number the labels of a batch, [B, M]."""
        if labels.shape[1] == 0:
            labels = F.pad(labels, (0, 1), value=IGNORE)
        equal = labels.unsqueeze(2) == labels.unsqueeze(1)
        # argmax of booleans is the first True.
        columns = 1 + equal.int().argmax(dim=2)
        return cls(labels, columns, (labels != IGNORE).sum(dim=1))


def three_way_log_probs(
    three_way: Tensor, slot_keep_ids: Tensor, normalizer: Tensor | None = None
) -> Tensor:
    """Return [B, S, 3] log P of KEEP, BLANK and ADD, KEEP impossible where it has no label.

    Args:
        three_way: [B, S, 3] scores, or [B, S, 2] of a flat head.
        slot_keep_ids: [B, S] the label KEEP stands for, or NO_LABEL.
        normalizer: [B, S] log of the summed exponentials of all words: a flat head's ADD.
    """
    three_way = three_way.to(torch.promote_types(three_way.dtype, torch.float32))
    if normalizer is not None:
        three_way = torch.cat([three_way, normalizer.unsqueeze(-1)], dim=-1)
    no_keep = torch.zeros_like(three_way, dtype=torch.bool)
    no_keep[..., KEEP_COLUMN] = slot_keep_ids == NO_LABEL
    return three_way.masked_fill(no_keep, float("-inf")).log_softmax(dim=-1)


def folded_emissions(
    three_way: Tensor, scores: LexicalScores, rows: Tensor, slot_keep_ids: Tensor, targets: Targets
) -> Tensor:
    """Return [B, S, 1+M] log P' of BLANK and of each label (equation 4).

    Args:
        three_way: [B, S, 3] log-probabilities.
        scores: Of the labels, at the slots `rows`; elsewhere ADD cannot emit.
        rows: [R] flat slots b·S + s.
        slot_keep_ids: [B, S] the label KEEP stands for, or NO_LABEL.
        targets: The labels.
    """
    B, S, _ = three_way.shape
    M = targets.labels.shape[1]
    written = scores.labels - scores.normalizer.unsqueeze(1)
    written = written + three_way[..., ADD_COLUMN].reshape(-1)[rows].unsqueeze(1)
    add = three_way.new_full((B * S, M), LOG_ZERO).index_copy(0, rows, written.to(three_way.dtype))
    is_kept = slot_keep_ids.unsqueeze(2) == targets.labels.unsqueeze(1)
    keep = torch.where(is_kept, three_way[..., KEEP_COLUMN, None], LOG_ZERO)
    labels = torch.logaddexp(add.view(B, S, M).clamp(min=LOG_ZERO), keep)
    return torch.cat([three_way[..., BLANK_COLUMN, None], labels], dim=-1)


def ctc_loss(emissions: Tensor, targets: Targets, slot_lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Return [B] −log P of the targets, 0 for those that do not fit, and which [B] do not.

    Args:
        emissions: [B, S, 1+M] of `folded_emissions`; they need not sum to 1.
        targets: The labels.
        slot_lengths: [B] slots that are not padding.
    """
    loss = _CTCLoss.apply(emissions, targets.columns, slot_lengths, targets.lengths)
    unfit = loss.detach() > -LOG_ZERO / 2
    return loss.masked_fill(unfit, 0.0), unfit


class _CTCLoss(torch.autograd.Function):
    """torch's CTC with a gradient that is right for emissions over part of the alphabet.

    torch returns exp(x) − occupancy, which is the gradient only if the input is normalised.
    Taking the occupancy out of it gives the gradient for any input: −occupancy.
    """

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, columns: Tensor, slot_lengths: Tensor, lengths: Tensor
    ) -> Tensor:
        needs_grad = ctx.needs_input_grad[0]
        scores = emissions.detach().transpose(0, 1).contiguous()
        with torch.enable_grad():
            scores.requires_grad_(needs_grad)
            loss = F.ctc_loss(scores, columns, slot_lengths, lengths, blank=0, reduction="none")
            if needs_grad:
                (gradient,) = torch.autograd.grad(loss.sum(), scores)
        if needs_grad:
            occupancy = (scores.detach().exp() - gradient).transpose(0, 1)
            slots = torch.arange(emissions.shape[1], device=emissions.device)
            is_slot = slots < slot_lengths.unsqueeze(1)
            fits = loss.detach() < -LOG_ZERO / 2
            # A target without a path has NaN for a gradient.
            counts = (is_slot & fits.unsqueeze(1)).unsqueeze(-1)
            ctx.save_for_backward(occupancy.masked_fill(~counts, 0.0))
        return loss.detach()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (occupancy,) = ctx.saved_tensors
        return -occupancy * gradients[0].view(-1, 1, 1), None, None, None
