"""Layer norm whose parameters get an exact gradient on CPU.

There torch adds up the gradient of weight and bias in the type of the input, and bf16 stops
growing after a few hundred of the thousands of rows that a step has: most of it can be lost.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from emendo.modeling.precision import wide_dtype


class LayerNorm(nn.LayerNorm):
    """`nn.LayerNorm`, in single precision on CPU whenever a gradient is wanted."""

    def forward(self, states: Tensor) -> Tensor:
        """Normalise the last dimension."""
        if states.device.type != "cpu" or not torch.is_grad_enabled():
            return super().forward(states)
        return super().forward(states.to(wide_dtype(states.dtype))).to(states.dtype)
