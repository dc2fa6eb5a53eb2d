"""The network: encoder → T slots for every token → decoder → three-way scores.

It returns scores and knows no loss. Shapes: B sentences, N tokens, S = N·T slots, H width.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from emendo.ctc.alphabet import BLANK_COLUMN, KEEP_COLUMN, THREE_WAY
from emendo.errors import ConfigError
from emendo.modeling.config import FLAT, CopyCTCConfig
from emendo.modeling.decoder import SlotDecoder, SlotUpsampler
from emendo.modeling.encoder import build_encoder
from emendo.modeling.precision import compute_dtype
from emendo.modeling.slot_positions import SlotPositions

# A new network keeps everything: P(KEEP) starts at about 0.98, and 0.88 at the edges goes to
# BLANK, where KEEP is impossible.
_KEEP_HEAD_START, _BLANK_HEAD_START = 6.0, 2.0


class CopyCTCOutput(NamedTuple):
    """Scores of one pass."""

    three_way: Tensor
    """[B, S, 3] unnormalised scores of KEEP, BLANK and ADD; of a flat head only the first two."""
    slot_states: Tensor
    """[B, S, H] what the lexical head reads."""


class ThreeWayHead(nn.Module):
    """Scores of KEEP, BLANK and ADD; a flat head gets ADD's from its words instead."""

    def __init__(self, width: int, vocab_size: int, *, is_flat: bool) -> None:
        super().__init__()
        rows = THREE_WAY - is_flat
        # In a flat softmax, KEEP and BLANK have all words of the vocabulary against them.
        self._offset = math.log(vocab_size) if is_flat else 0.0
        self.weight = nn.Parameter(torch.zeros(rows, width))
        self.bias = nn.Parameter(torch.zeros(rows))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Start by keeping everything."""
        nn.init.zeros_(self.weight)
        # transformers marks what it has loaded; its guards only know functions of nn.init.
        if not getattr(self.bias, "_is_hf_initialized", False):
            self.bias.zero_()
            self.bias[KEEP_COLUMN] = self._offset + _KEEP_HEAD_START
            self.bias[BLANK_COLUMN] = self._offset + _BLANK_HEAD_START

    def forward(self, slot_states: Tensor) -> Tensor:
        """Score [B, S, H] slots, in single precision: scores are large and differences small."""
        wide = torch.promote_types(slot_states.dtype, torch.float32)
        with torch.autocast(slot_states.device.type, enabled=False):
            return F.linear(slot_states.to(wide), self.weight.to(wide), self.bias.to(wide))


class CopyCTCPreTrainedModel(PreTrainedModel):
    """Saving, loading and initial weights, shared by both models."""

    config_class = CopyCTCConfig
    base_model_prefix = "model"
    supports_gradient_checkpointing = False
    _supports_sdpa = True
    _supports_flash_attn = True

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        # Called for parts that a checkpoint does not hold. Each part knows how to start.
        reset = getattr(module, "reset_parameters", None)
        if reset is not None:
            reset()


class CopyCTCModel(CopyCTCPreTrainedModel):
    """Slot states and three-way scores over any `AutoModel` encoder."""

    # What a `CopyCTCForEditing` checkpoint has besides.
    _keys_to_ignore_on_load_unexpected = [r"^lexicon\.", r"^gold_slots\."]  # noqa: RUF012

    def __init__(self, config: CopyCTCConfig) -> None:
        super().__init__(config)
        self.encoder: PreTrainedModel = build_encoder(config.encoder)
        width = config.hidden_size
        if self.get_input_embeddings().embedding_dim != width:
            raise ConfigError(
                f"the encoder's embeddings have {self.get_input_embeddings().embedding_dim} "
                f"dimensions and its states {width}; emendo writes words with the encoder's own "
                "embeddings, so take an encoder where both are the same (not ALBERT)"
            )
        self.upsampler = SlotUpsampler(width, config.upsampling)
        self.decoder = SlotDecoder(
            width,
            config.encoder.num_attention_heads,
            config.decoder_layers,
            float(getattr(config.encoder, "hidden_dropout_prob", 0.1)),
            SlotPositions(width, config.upsampling) if config.slot_positions else None,
        )
        self.three_way = ThreeWayHead(width, config.vocab_size, is_flat=config.head == FLAT)
        self.post_init()

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the encoder's token embeddings."""
        embeddings = self.encoder.get_input_embeddings()
        assert isinstance(embeddings, nn.Embedding)
        return embeddings

    def encode(
        self, input_ids: Tensor, attention_mask: Tensor, embeddings: Tensor | None = None
    ) -> Tensor:
        """Return [B, N, H] states of the source tokens; in training some go unseen.

        Args:
            input_ids: [B, N]
            attention_mask: [B, N]
            embeddings: [B, N, H] of the tokens, if they have been looked up.
        """
        source: dict[str, Tensor] = {"input_ids": input_ids}
        if self.training and self.config.source_dropout:
            if embeddings is None:
                embeddings = self.get_input_embeddings()(input_ids)
            share = self.config.source_dropout
            seen = torch.rand(input_ids.shape, device=input_ids.device) >= share
            embeddings = embeddings * seen.unsqueeze(-1)
        if embeddings is not None:
            source = {"inputs_embeds": embeddings}
        states = self.encoder(**source, attention_mask=attention_mask)[0]
        return states.to(compute_dtype(states))

    def refine(self, slots: Tensor, states: Tensor, attention_mask: Tensor) -> CopyCTCOutput:
        """Score [B, S, H] slots, fresh from the upsampler or with gold tokens among them."""
        slot_states = self.decoder(slots, states, attention_mask != 0)
        return CopyCTCOutput(three_way=self.three_way(slot_states), slot_states=slot_states)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> CopyCTCOutput:
        """Score the slots of [B, N] source tokens."""
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        states = self.encode(input_ids, attention_mask)
        return self.refine(self.upsampler(states), states, attention_mask)
