"""Where a slot stands: which token of the sentence it belongs to, and which of its slots it is.

Shapes: B sentences, N tokens, T slots a token, S = N·T slots, H width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from emendo.modeling.precision import wide_dtype

_LONGEST_WAVE = 10_000.0
# Beside states that differ by 0.3 to 0.8 within a sentence: enough to be found, too little to drown
# a word.
_START = 0.1


class SlotPositions(nn.Module):
    """Adds to the decoder's inputs where they stand (equation 7b).

    The encoder's own positions are not enough: some are relative and not added to the states, and
    a slot that shows a word has lost its state. Waves are computed, not looked up, so that
    sentences may be as long as the encoder reads.
    """

    def __init__(self, width: int, upsampling: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.empty(width))
        self.slots = nn.Parameter(torch.empty(upsampling, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start small beside what the encoder says."""
        nn.init.constant_(self.gain, _START)
        nn.init.normal_(self.slots, std=_START)

    def forward(self, slots: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return [B, S, H] slots and [B, N, H] states that know their places."""
        tokens = self.gain * _waves(states)
        places = (tokens.unsqueeze(1) + self.slots).flatten(0, 1)
        return slots + places.to(slots.dtype), states + tokens.to(states.dtype)


def _waves(states: Tensor) -> Tensor:
    """Return [N, H] sines and cosines of the tokens' numbers, of variance 1."""
    _, N, H = states.shape
    half = -(-H // 2)
    device, wide = states.device, wide_dtype(states.dtype)
    rates = torch.arange(half, device=device, dtype=wide) * (-math.log(_LONGEST_WAVE) / half)
    # In half precision, neighbours far into a sentence would have the same angles.
    angles = torch.arange(N, device=device, dtype=wide).unsqueeze(1) * rates.exp()
    return math.sqrt(2) * torch.cat([angles.sin(), angles.cos()], dim=1)[:, :H]
