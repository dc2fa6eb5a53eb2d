"""Attention for training on CPU, where torch's own kernels are slow.

The backward pass of its flash kernel takes several times the forward one there; its plain kernel
checks and scales weights in passes of their own. Shapes: B sentences, A heads, S queries, N keys,
D width of a head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from emendo.modeling.dropout import dropout

if TYPE_CHECKING:
    from torch import Tensor, nn

# What a vector register holds in bf16: softmax takes shorter rows value by value.
_SHORTEST_ROW = 32


def plain_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    is_visible: Tensor | None = None,
    *,
    scale: float | None = None,
    drop: float = 0.0,
) -> Tensor:
    """Return what [B, A, S, D] queries see, as two products around a softmax.

    Args:
        query: [B, A, S, D]
        key: [B, A, N, D]
        value: [B, A, N, D]
        is_visible: [B, 1, 1 or S, N]; every query sees at least one key.
        scale: Factor of the scores, 1 / √D if not given.
        drop: Share of the weights to drop.
    """
    B, A, S, D = query.shape
    N = key.shape[2]
    lowest = torch.finfo(query.dtype).min
    bias = query.new_zeros((B, 1, 1, N))
    if is_visible is not None:
        bias = bias.masked_fill(~is_visible, lowest)
    if N < _SHORTEST_ROW:
        rest = _SHORTEST_ROW - N
        key, value = (F.pad(part, (0, 0, 0, rest)) for part in (key, value))
        bias = F.pad(bias, (0, rest), value=lowest)
    bias = bias.expand(B, A, -1, -1).flatten(0, 1)
    query, key, value = (part.reshape(B * A, -1, D) for part in (query, key, value))
    scale = D**-0.5 if scale is None else scale
    weights = torch.baddbmm(bias, query, key.transpose(1, 2), alpha=scale).softmax(dim=-1)
    if drop:
        weights = dropout(weights, drop)
    return torch.bmm(weights, value).view(B, A, S, D)


def _encoder_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    is_plain = (
        module.training
        and query.device.type == "cpu"
        and query.shape[:2] == key.shape[:2]
        and (attention_mask is None or attention_mask.dtype == torch.bool)
        and options.get("position_bias") is None
        and not (options.get("is_causal") or getattr(module, "is_causal", False))
    )
    if not is_plain:
        return sdpa_attention_forward(
            module,
            query,
            key,
            value,
            attention_mask,
            dropout=dropout,
            scaling=scaling,
            **options,
        )
    seen = plain_attention(query, key, value, attention_mask, scale=scaling, drop=dropout)
    return seen.transpose(1, 2).contiguous(), None


ENCODER_ATTENTION = "emendo_sdpa"
"""transformers' name for "sdpa" with `plain_attention` where that is faster."""
AttentionInterface.register(ENCODER_ATTENTION, _encoder_attention)
AttentionMaskInterface.register(ENCODER_ATTENTION, sdpa_mask)
