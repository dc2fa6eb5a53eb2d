"""DeBERTa's attention for short sentences: relative positions only as far as the batch is long.

transformers projects all 512 relative positions in every layer of every pass, and looks up each
pair of tokens among them. A sentence of N tokens has 2N − 1 distances. Their scores are one small
product, and a shifted view of it lays them onto the N × N pairs.
Shapes: B sentences, A heads, N tokens, D width of a head.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.models.deberta_v2.modeling_deberta_v2 import (
    DebertaV2Encoder,
    make_log_bucket_position,
)
from transformers.models.deberta_v2.modeling_deberta_v2 import (
    DisentangledSelfAttention as SlowAttention,
)

from emendo.modeling.dropout import dropout


class DisentangledAttention(SlowAttention):
    """What transformers' class of this name computes, with the same parameters, in less time."""

    key_table: Tensor | None = None
    query_table: Tensor | None = None
    """[2 · span, H] projections of all relative positions, once the weights do not change."""

    def fix_positions(self, rel_embeddings: Tensor) -> None:
        """Project the relative positions once for all passes to come.

        Args:
            rel_embeddings: [2 · span, H] of relative positions.
        """
        with torch.no_grad():
            if "c2p" in self.pos_att_type:
                self.key_table = self._key_projection()(rel_embeddings)
            if "p2c" in self.pos_att_type:
                self.query_table = self._query_projection()(rel_embeddings)

    def _key_projection(self) -> nn.Module:
        return self.key_proj if self.share_att_key else self.pos_key_proj

    def _query_projection(self) -> nn.Module:
        return self.query_proj if self.share_att_key else self.pos_query_proj

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor,
        output_attentions: bool = False,
        query_states: Tensor | None = None,
        relative_pos: Tensor | None = None,
        rel_embeddings: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Return [B, N, H] what the tokens see of each other.

        Args:
            hidden_states: [B, N, H]
            attention_mask: [B, 1, N, N] of pairs that are no padding.
            output_attentions: Whether to return the weights, too.
            query_states: Not used by the encoder itself; left to transformers.
            relative_pos: Not needed; distances are counted here.
            rel_embeddings: [2 · span, H] of relative positions.
        """
        if query_states is not None or not self.relative_attention or output_attentions:
            return super().forward(
                hidden_states,
                attention_mask,
                output_attentions,
                query_states,
                relative_pos,
                rel_embeddings,
            )
        assert rel_embeddings is not None
        query, key, value = (
            self._split(projection(hidden_states))
            for projection in (self.query_proj, self.key_proj, self.value_proj)
        )
        N, D = query.shape[2:]
        terms = 1 + ("c2p" in self.pos_att_type) + ("p2c" in self.pos_att_type)
        scale = (D * terms) ** -0.5
        query = query * scale
        scores = query @ key.transpose(-1, -2)
        keys, queries = self._places(N, rel_embeddings)
        if keys is not None:
            scores = scores + _aligned(query @ self._split(keys[None]).transpose(-1, -2))
        if queries is not None:
            places = self._split(queries[None]) * scale
            scores = scores + _aligned(key @ places.transpose(-1, -2)).transpose(-1, -2)
        # Padding is seen by nobody; what it sees itself is read by nobody.
        is_hidden = ~attention_mask.bool().any(dim=-2, keepdim=True)
        weights = scores.masked_fill(is_hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
        if self.training and self.dropout.p:
            weights = dropout(weights, self.dropout.p)
        return (weights @ value).transpose(1, 2).flatten(2), None

    def _split(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def _places(self, tokens: int, rel_embeddings: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return [2N, H] distances as keys, falling, and as queries, rising, as far as used."""
        rising = self._rows(tokens, rel_embeddings.device)
        if self.key_table is not None or self.query_table is not None:
            # Of token q looking at token k the distance is q − k, which falls along a row.
            falling = F.pad(rising[:-1].flip(0), (0, 1))
            return (
                None if self.key_table is None else F.embedding(falling, self.key_table),
                None if self.query_table is None else F.embedding(rising, self.query_table),
            )
        distances = self.pos_dropout(rel_embeddings[rising])
        keys = queries = None
        if "c2p" in self.pos_att_type:
            keys = self._key_projection()(F.pad(distances[:-1].flip(0), (0, 0, 0, 1)))
        if "p2c" in self.pos_att_type:
            queries = self._query_projection()(distances)
        return keys, queries

    def _rows(self, tokens: int, device: torch.device) -> Tensor:
        """Return [2N] where the distances 1 − N to N stand; `_aligned` needs one too many."""
        span = self.pos_ebd_size
        distances = torch.arange(1 - tokens, tokens + 1, device=device)
        if self.position_buckets > 0:
            distances = make_log_bucket_position(
                distances, self.position_buckets, self.max_relative_positions
            ).to(torch.int64)
        return (distances + span).clamp(0, 2 * span - 1)


def _aligned(scores: Tensor) -> Tensor:
    """Turn [..., N, 2N] scores by distance into [..., N, N] scores by place.

    Row r, column c of the result is row r, column c − r + N − 1 of the input: a view in which each
    row starts one column earlier than the row before.
    """
    N = scores.shape[-2]
    flat = scores.flatten(-2)[..., N - 1 : N - 1 + N * (2 * N - 1)]
    return flat.unflatten(-1, (N, 2 * N - 1))[..., :N]


def quicken_deberta(encoder: nn.Module) -> None:
    """Let every layer of a DeBERTa encoder attend by `DisentangledAttention`."""
    for module in encoder.modules():
        if type(module) is SlowAttention:
            # The same parameters, under the same names.
            module.__class__ = DisentangledAttention


def fix_deberta_positions(encoder: nn.Module) -> None:
    """Let a DeBERTa encoder project relative positions once: for a graph, whose weights stay."""
    for module in encoder.modules():
        if isinstance(module, DebertaV2Encoder) and module.relative_attention:
            for attention in module.modules():
                if isinstance(attention, DisentangledAttention):
                    attention.fix_positions(module.get_rel_embedding())
