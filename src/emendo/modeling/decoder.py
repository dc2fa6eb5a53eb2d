"""From states to slots, and the Transformer layers over them.

Written out rather than taken from `nn.TransformerDecoderLayer`: that one's inference path runs a
masked softmax that took 39 % of a bf16 pass on CPU, and in training it drops attention weights
one by one, 20 % of a step (docs/decisions/0005-own-decoder-layer.md).
Shapes: B sentences, N tokens, S = N·T slots, H width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch.nn.functional as F
from torch import Tensor, nn

from emendo.modeling.attention import plain_attention
from emendo.modeling.dropout import Dropout
from emendo.modeling.layer_norm import LayerNorm

if TYPE_CHECKING:
    from emendo.modeling.slot_positions import SlotPositions


class SilentLinear(nn.Linear):
    """A layer that says nothing until it is trained, so that a residual starts as itself."""

    def reset_parameters(self) -> None:
        """Start at zero."""
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)


class SmallLinear(nn.Linear):
    """A layer that starts the way pretrained encoders did."""

    def reset_parameters(self) -> None:
        """Start small."""
        nn.init.normal_(self.weight, std=0.02)
        nn.init.zeros_(self.bias)


class SlotUpsampler(nn.Module):
    """One state becomes T: each slot is the state plus its own projection of it."""

    def __init__(self, width: int, upsampling: int) -> None:
        super().__init__()
        self.upsampling = upsampling
        self.projection = SmallLinear(width, upsampling * width)

    def forward(self, states: Tensor) -> Tensor:
        """Turn [B, N, H] states into [B, N·T, H] slots."""
        slots = states.unsqueeze(2) + self.projection(states).unflatten(-1, (self.upsampling, -1))
        return slots.flatten(1, 2)


class Attention(nn.Module):
    """Multi-head attention of some vectors over others."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = SmallLinear(width, width)
        self.key_value = SmallLinear(width, 2 * width)
        self.output = SilentLinear(width, width)

    def forward(self, queries: Tensor, memory: Tensor, is_visible: Tensor) -> Tensor:
        """Look from [B, S, H] queries at [B, N, H] memory, where [B, N] `is_visible`."""
        query = self._split(self.query(queries))
        key, value = map(self._split, self.key_value(memory).chunk(2, dim=-1))
        mask = is_visible[:, None, None, :]
        if self.training and queries.device.type == "cpu":
            seen = plain_attention(query, key, value, mask)
        else:
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.output(seen.transpose(1, 2).flatten(2))

    def _split(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class SlotDecoderLayer(nn.Module):
    """Slots look at each other, then at the source; each step adds to what was there."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.slot_norm = LayerNorm(width)
        self.slot_attention = Attention(width, heads)
        self.source_norm = LayerNorm(width)
        self.source_attention = Attention(width, heads)
        self.feed_norm = LayerNorm(width)
        self.widen = SmallLinear(width, 4 * width)
        self.narrow = SilentLinear(4 * width, width)
        self.dropout = Dropout(dropout)

    def forward(self, slots: Tensor, states: Tensor, is_slot: Tensor, is_token: Tensor) -> Tensor:
        """Refine [B, S, H] slots, given [B, N, H] states."""
        normed = self.slot_norm(slots)
        slots = slots + self.dropout(self.slot_attention(normed, normed, is_slot))
        looked = self.source_attention(self.source_norm(slots), states, is_token)
        slots = slots + self.dropout(looked)
        fed = self.narrow(F.gelu(self.widen(self.feed_norm(slots))))
        return slots + self.dropout(fed)


class SlotDecoder(nn.Module):
    """Transformer layers over the slots, which also look at the source tokens."""

    def __init__(
        self,
        width: int,
        heads: int,
        layers: int,
        dropout: float,
        positions: SlotPositions | None = None,
    ) -> None:
        super().__init__()
        self.positions = positions
        self.layers = nn.ModuleList(SlotDecoderLayer(width, heads, dropout) for _ in range(layers))
        self.norm = LayerNorm(width)

    def forward(self, slots: Tensor, states: Tensor, is_token: Tensor) -> Tensor:
        """Refine [B, S, H] slots, given the [B, N, H] states and which [B, N] are no padding."""
        is_slot = is_token.repeat_interleave(slots.shape[1] // states.shape[1], dim=1)
        if self.positions is not None:
            slots, states = self.positions(slots, states)
        for layer in self.layers:
            slots = layer(slots, states, is_slot, is_token)
        return self.norm(slots)
