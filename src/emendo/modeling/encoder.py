"""The pretrained encoder: loaded without what nothing reads, and set up to train fast on CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from transformers import AutoModel, PretrainedConfig, PreTrainedModel

from emendo.modeling.attention import ENCODER_ATTENTION
from emendo.modeling.disentangled_attention import quicken_deberta
from emendo.modeling.dropout import Dropout
from emendo.modeling.layer_norm import LayerNorm
from emendo.modeling.precision import compute_dtype

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def build_encoder(config: PretrainedConfig) -> PreTrainedModel:
    """Build an encoder without weights."""
    return _quicken(_without_pooler(AutoModel.from_config, config))


def load_encoder(name: str | Path, vocab_size: int) -> PreTrainedModel:
    """Load a pretrained encoder in single precision, with at least `vocab_size` embeddings."""
    encoder = _without_pooler(AutoModel.from_pretrained, name, dtype=torch.float32)
    if encoder.config.vocab_size < vocab_size:
        encoder.resize_token_embeddings(vocab_size)
    # Saved models would tell where on this machine it was found.
    encoder.config._name_or_path = ""
    return _quicken(encoder)


def _without_pooler(
    build: Callable[..., PreTrainedModel], *arguments: Any, **options: Any
) -> PreTrainedModel:
    """Build an encoder without the pooler, which nothing reads: without a gradient it stops DDP."""
    try:
        return build(*arguments, add_pooling_layer=False, **options)
    except TypeError:
        # Encoders that never had one do not know the option.
        encoder = build(*arguments, **options)
        if getattr(encoder, "pooler", None) is not None:
            setattr(encoder, "pooler", None)  # noqa: B010
        return encoder


def _quicken(encoder: PreTrainedModel) -> PreTrainedModel:
    """Replace what is slow in training on CPU by what computes the same (docs/decisions/0007)."""
    for module in list(encoder.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Dropout:
                setattr(module, name, Dropout(child.p))
            elif type(child) is nn.LayerNorm:
                # The same parameters, under the same names.
                child.__class__ = LayerNorm
    quicken_deberta(encoder)
    if encoder.config._attn_implementation == "sdpa" and encoder.is_backend_compatible():
        encoder.set_attn_implementation(ENCODER_ATTENTION)
    embeddings = getattr(encoder, "embeddings", None)
    if isinstance(embeddings, nn.Module):
        embeddings.register_forward_hook(_narrow)
    return encoder


def _narrow(_module: nn.Module, _arguments: Any, states: Any) -> Any:
    """Let autocast on CPU start from its own type: it would add bf16 to fp32 in every layer."""
    if isinstance(states, Tensor) and states.device.type == "cpu":
        return states.to(compute_dtype(states))
    return states
