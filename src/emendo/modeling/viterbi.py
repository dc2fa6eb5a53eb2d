"""The best alignment of a target, for a whole batch at once.

The loop runs over slots; sentences and states are one tensor, and so is the way back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from emendo.modeling.ctc_loss import LOG_ZERO

if TYPE_CHECKING:
    from emendo.modeling.ctc_loss import Targets


@torch.no_grad()
def best_columns(
    emissions: Tensor, targets: Targets, slot_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Return [B, S] the emission column of the best folded path, and which [B] have one.

    Column 0 is BLANK. At padding slots, and for targets that have no path, columns mean nothing.

    Args:
        emissions: [B, S, 1+M] of `folded_emissions`.
        targets: The labels.
        slot_lengths: [B] slots that are not padding.
    """
    B, S, _ = emissions.shape
    # States: a blank before, between and after the labels.
    M = targets.columns.shape[1]
    state_columns = targets.columns.new_zeros((B, 2 * M + 1))
    state_columns[:, 1::2] = targets.columns
    # From one label straight to the next, unless they are equal.
    may_skip = torch.zeros_like(state_columns, dtype=torch.bool)
    may_skip[:, 3::2] = targets.columns[:, 1:] != targets.columns[:, :-1]
    scores = emissions.gather(2, state_columns.unsqueeze(1).expand(B, S, -1))

    lowest = float("-inf")
    best = torch.full_like(scores[:, 0], lowest)
    best[:, 0] = 0.0
    steps = torch.zeros((S, B, 2 * M + 1), dtype=torch.int8, device=emissions.device)
    for slot in range(S):
        one = F.pad(best, (1, 0), value=lowest)[:, :-1]
        two = F.pad(best, (2, 0), value=lowest)[:, :-2].masked_fill(~may_skip, lowest)
        value, step = torch.stack([best, one, two]).max(dim=0)
        is_slot = (slot < slot_lengths).unsqueeze(1)
        best = torch.where(is_slot, value + scores[:, slot], best)
        steps[slot] = torch.where(is_slot, step, 0).to(torch.int8)

    # The path ends in the last label or in the blank after it.
    last = (2 * targets.lengths).unsqueeze(1)
    before = (last - 1).clamp(min=0)
    state = torch.where(best.gather(1, before) > best.gather(1, last), before, last)
    fits = best.gather(1, state).squeeze(1) > LOG_ZERO / 2
    columns = torch.empty((B, S), dtype=torch.int64, device=emissions.device)
    for slot in range(S - 1, -1, -1):
        columns[:, slot] = state_columns.gather(1, state).squeeze(1)
        # Impossible states point nowhere; stay inside the tensor.
        state = (state - steps[slot].gather(1, state)).clamp(min=0)
    return columns, fits
