"""An autoregressive Transformer to compare editing with: in torch, and as graphs with a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import BartConfig, BartForConditionalGeneration

from emendo.export.onnx import write_graph

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from emendo.inference import Batch
    from emendo.modeling import CopyCTCConfig

    Graph = Callable[..., list[NDArray]]

# Where BART's table of positions starts.
_FIRST_POSITION = 2


def autoregressive(config: CopyCTCConfig) -> BartForConditionalGeneration:
    """Return an untrained BART with the width, depth and vocabulary of a network's encoder."""
    encoder = config.encoder
    return BartForConditionalGeneration(
        BartConfig(
            vocab_size=config.vocab_size,
            d_model=encoder.hidden_size,
            encoder_layers=encoder.num_hidden_layers,
            decoder_layers=encoder.num_hidden_layers,
            encoder_attention_heads=encoder.num_attention_heads,
            decoder_attention_heads=encoder.num_attention_heads,
            encoder_ffn_dim=encoder.intermediate_size,
            decoder_ffn_dim=encoder.intermediate_size,
            max_position_embeddings=514,
            forced_eos_token_id=None,
        )
    ).eval()


def generate(
    transformer: BartForConditionalGeneration, batch: Batch, beams: int
) -> NDArray[np.int64]:
    """Write as many tokens as the sources have, by `generate` of transformers."""
    length = batch.input_ids.shape[1]
    with torch.inference_mode():
        tokens = transformer.generate(
            torch.from_numpy(batch.input_ids),
            attention_mask=torch.from_numpy(batch.attention_mask),
            num_beams=beams,
            do_sample=False,
            min_new_tokens=length,
            max_new_tokens=length,
            use_cache=True,
        )
    return tokens[:, 1:].numpy()


class _Decoder(nn.Module):
    """BART's decoder for one token, with the keys and values of the tokens before it.

    Shapes: B sentences, N tokens, t written ones, L layers, A heads, D their width, K candidates.
    """

    def __init__(self, transformer: BartForConditionalGeneration, candidates: int) -> None:
        super().__init__()
        self.decoder = transformer.model.decoder
        self.words = transformer.lm_head
        self.heads = transformer.config.decoder_attention_heads
        self.candidates = candidates
        # As `min_new_tokens`: the end is not written.
        bias = transformer.final_logits_bias.clone()
        bias[:, transformer.config.eos_token_id] = float("-inf")
        self.register_buffer("bias", bias)

    def cross(self, states: Tensor) -> Tensor:
        """Return the [B, L, 2, A, N, D] keys and values of [B, N, H] encoder states."""
        layers = [layer.encoder_attn for layer in self.decoder.layers]
        return torch.stack([self._keys_values(layer, states) for layer in layers], dim=1)

    def step(
        self, tokens: Tensor, past: Tensor | None, cross: Tensor, attention_mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the [B, K] likeliest next tokens, their log P, and the new past."""
        written = 0 if past is None else past.shape[4]
        place = torch.full((1,), written + _FIRST_POSITION, dtype=torch.int64)
        embedded = self.decoder.embed_tokens(tokens) + self.decoder.embed_positions.weight[place]
        states = self.decoder.layernorm_embedding(embedded)
        mask = (attention_mask != 0)[:, None, None, :]
        now = []
        for k, layer in enumerate(self.decoder.layers):
            new = self._keys_values(layer.self_attn, states)
            kept = new if past is None else torch.cat([past[:, k], new], dim=3)
            now.append(kept)
            states = layer.self_attn_layer_norm(
                states + self._attend(layer.self_attn, states, kept)
            )
            states = layer.encoder_attn_layer_norm(
                states + self._attend(layer.encoder_attn, states, cross[:, k], mask)
            )
            inner = layer.fc2(layer.activation_fn(layer.fc1(states)))
            states = layer.final_layer_norm(states + inner)
        logits = self.words(states[:, -1]) + self.bias
        scores, ids = logits.log_softmax(dim=-1).topk(self.candidates, dim=-1)
        return ids, scores, torch.stack(now, dim=1)

    def _keys_values(self, layer: nn.Module, states: Tensor) -> Tensor:
        pair = [self._split(project(states)) for project in (layer.k_proj, layer.v_proj)]
        return torch.stack(pair, dim=1)

    def _attend(
        self, layer: nn.Module, states: Tensor, pair: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        query = self._split(layer.q_proj(states))
        seen = F.scaled_dot_product_attention(query, pair[:, 0], pair[:, 1], attn_mask=mask)
        return layer.out_proj(seen.transpose(1, 2).flatten(2))

    def _split(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class _Start(nn.Module):
    """Reads the source, and writes the first token."""

    def __init__(self, transformer: BartForConditionalGeneration, candidates: int) -> None:
        super().__init__()
        self.encoder = transformer.model.encoder
        self.decoder = _Decoder(transformer, candidates)
        self.first = transformer.config.decoder_start_token_id

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, ...]:
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask)[0]
        cross = self.decoder.cross(states)
        tokens = torch.full_like(input_ids[:, :1], self.first)
        return *self.decoder.step(tokens, None, cross, attention_mask), cross


class _Next(nn.Module):
    """Writes one more token."""

    def __init__(self, transformer: BartForConditionalGeneration, candidates: int) -> None:
        super().__init__()
        self.decoder = _Decoder(transformer, candidates)

    def forward(
        self, tokens: Tensor, past: Tensor, cross: Tensor, attention_mask: Tensor
    ) -> tuple[Tensor, ...]:
        return self.decoder.step(tokens, past, cross, attention_mask)


def write_graphs(
    transformer: BartForConditionalGeneration, folder: Path, candidates: int
) -> tuple[Path, Path]:
    """Write the two graphs; `candidates` is the number of beams."""
    sentences = torch.export.Dim("sentences", min=1)
    tokens = torch.export.Dim("tokens", min=2)
    written = torch.export.Dim("written", min=1)
    ids = torch.full((3, 7), 5)
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    read = {0: sentences, 1: tokens}
    start, following = (kind(transformer, candidates).eval() for kind in (_Start, _Next))
    with torch.no_grad():
        _, _, past, cross = start(ids, mask)
    past = past.repeat_interleave(4, dim=4)
    outputs = ["ids", "scores", "past_and_now"]
    paths = folder / "ar-start.onnx", folder / "ar-next.onnx"
    write_graph(
        start,
        paths[0],
        {"input_ids": (ids, read), "attention_mask": (mask, read)},
        [*outputs, "cross"],
    )
    write_graph(
        following,
        paths[1],
        {
            "tokens": (ids[:, :1], {0: sentences}),
            "past": (past, {0: sentences, 4: written}),
            "cross": (cross, {0: sentences, 4: tokens}),
            "attention_mask": (mask, read),
        },
        outputs,
    )
    return paths


class GraphGeneration:
    """Greedy decoding and beam search with the two graphs in an engine."""

    def __init__(self, start: Graph, following: Graph) -> None:
        self._start, self._next = start, following

    def generate(self, batch: Batch, beams: int) -> NDArray[np.int64]:
        """Write as many tokens as the sources have."""
        size, length = batch.input_ids.shape
        ids, scores, past, cross = self._start(batch.input_ids, batch.attention_mask)
        mask = batch.attention_mask
        if beams > 1:
            past, cross, mask = (np.repeat(each, beams, axis=0) for each in (past, cross, mask))
        tokens = ids[:, :beams].reshape(-1, 1)
        totals = scores[:, :beams]
        found = tokens
        for _ in range(length - 1):
            ids, scores, past = self._next(tokens, past, cross, mask)
            if beams == 1:
                tokens = ids[:, :1]
            else:
                reached = (totals[:, :, None] + scores.reshape(size, beams, -1)).reshape(size, -1)
                best = np.argsort(-reached, axis=1, kind="stable")[:, :beams]
                totals = np.take_along_axis(reached, best, axis=1)
                parents = (best // ids.shape[1] + beams * np.arange(size)[:, None]).reshape(-1)
                tokens = np.take_along_axis(ids.reshape(size, -1), best, axis=1).reshape(-1, 1)
                past, found = past[parents], found[parents]
            found = np.concatenate([found, tokens], axis=1)
        return found[::beams]
