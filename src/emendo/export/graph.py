"""The two graphs of a bundle, as thin modules around the trained network.

Shapes: B sentences, N tokens, S slots, R of them to look up, L labels, K words, H width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from emendo.modeling import CopyCTCForEditing


class NetworkGraph(nn.Module):
    """Everything except the lexical head."""

    def __init__(self, model: CopyCTCForEditing) -> None:
        super().__init__()
        self.network = model.model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Turn [B, N] tokens into [B, S, 3] three-way scores and [B, S, H] slot states."""
        output = self.network(input_ids, attention_mask)
        return output.three_way, output.slot_states


class LexiconGraph(nn.Module):
    """The lexical head over the whole vocabulary: `lexicon.top_words` without chunks.

    Chunks depend on the number of slots, which is dynamic in a graph.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, model: CopyCTCForEditing, candidates: int) -> None:
        super().__init__()
        self.head = model.lexicon
        self.candidates = candidates
        weight = model.get_input_embeddings().weight.detach()
        forbidden = torch.tensor(model.config.forbidden_ids, dtype=torch.int64)
        bias = model.lexicon.bias.detach().index_fill(0, forbidden, float("-inf"))
        self.register_buffer("weight", weight.t().contiguous())
        self.register_buffer("bias", bias)

    def forward(self, states: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Turn [R, H] states and [R, L] labels into [R, K] words, their log P, and the labels'."""
        # As a batch of one: ONNX Runtime fuses a plain product with its bias, and then does not
        # run it in int8.
        logits = (self.head(states).unsqueeze(0) @ self.weight + self.bias).squeeze(0)
        values, ids = logits.topk(self.candidates, dim=-1)
        highest = values[:, :1]
        normalizer = (logits - highest).exp().sum(dim=-1, keepdim=True).log() + highest
        size = self.bias.shape[0]
        is_word = (labels >= 0) & (labels < size)
        asked = logits.gather(1, labels.clamp(0, size - 1)) - normalizer
        # A log-probability is at most 0; rounding must not make it more.
        scores = (values - normalizer).clamp(max=0)
        return ids, scores, asked.clamp(max=0).masked_fill(~is_word, float("-inf"))
