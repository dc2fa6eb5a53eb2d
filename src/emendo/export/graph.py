"""The two graphs of a bundle, as thin modules around the trained network.

Shapes: B sentences, N tokens, S slots, R of them to look up, L labels, K words, H width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from emendo.modeling.config import FLAT

if TYPE_CHECKING:
    from emendo.modeling import CopyCTCForEditing


class NetworkGraph(nn.Module):
    """Everything except the lexical head, of which a flat head needs the sum over all words."""

    def __init__(self, model: CopyCTCForEditing) -> None:
        super().__init__()
        self.network = model.model
        self.words = Words(model) if model.config.head == FLAT else None
        self.has_keep = model.config.use_keep

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Turn [B, N] tokens into [B, S, 3] three-way scores and [B, S, H] slot states."""
        output = self.network(input_ids, attention_mask)
        three_way = output.three_way
        if self.words is not None:
            queries = self.words.head(output.slot_states)
            normalizer = self.words(queries).logsumexp(dim=-1, keepdim=True)
            three_way = torch.cat([three_way, normalizer], dim=-1)
        if not self.has_keep:
            impossible = torch.full_like(three_way[..., :1], float("-inf"))
            three_way = torch.cat([impossible, three_way[..., 1:]], dim=-1)
        return three_way, output.slot_states


class Words(nn.Module):
    """The scores of all words of the vocabulary, without chunks.

    Chunks depend on the number of slots, which is dynamic in a graph.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, model: CopyCTCForEditing) -> None:
        super().__init__()
        self.head = model.lexicon
        weight = model.get_input_embeddings().weight.detach()
        forbidden = torch.tensor(model.config.forbidden_ids, dtype=torch.int64)
        bias = model.lexicon.bias.detach().index_fill(0, forbidden, float("-inf"))
        self.register_buffer("weight", weight.t().contiguous())
        self.register_buffer("bias", bias)

    def forward(self, queries: Tensor) -> Tensor:
        """Turn [B, S, H] queries, the head's output, into [B, S, V] scores."""
        return queries @ self.weight + self.bias


class LexiconGraph(nn.Module):
    """The lexical head: `lexicon.top_words` over the whole vocabulary at once."""

    def __init__(self, model: CopyCTCForEditing, candidates: int) -> None:
        super().__init__()
        self.words = Words(model)
        self.candidates = candidates

    def forward(self, states: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Turn [R, H] states and [R, L] labels into [R, K] words, their log P, and the labels'."""
        # As a batch of one: ONNX Runtime fuses a plain product with its bias, and then does not
        # run it in int8.
        logits = self.words(self.words.head(states).unsqueeze(0)).squeeze(0)
        values, ids = logits.topk(self.candidates, dim=-1)
        highest = values[:, :1]
        normalizer = (logits - highest).exp().sum(dim=-1, keepdim=True).log() + highest
        size = self.words.bias.shape[0]
        is_word = (labels >= 0) & (labels < size)
        asked = logits.gather(1, labels.clamp(0, size - 1)) - normalizer
        # A log-probability is at most 0; rounding must not make it more.
        scores = (values - normalizer).clamp(max=0)
        return ids, scores, asked.clamp(max=0).masked_fill(~is_word, float("-inf"))
