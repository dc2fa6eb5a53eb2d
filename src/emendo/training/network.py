"""The network of a run: a new one over an encoder, or a trained one, possibly with more slots."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from emendo.errors import ConfigError
from emendo.modeling import CopyCTCConfig, CopyCTCForEditing
from emendo.modeling.more_slots import with_more_slots

if TYPE_CHECKING:
    from pathlib import Path

    from emendo.text import TextTokenizer
    from emendo.training.config import ModelOptions

# The shape of a network over an encoder, if the run file does not say otherwise.
_NEW: dict[str, Any] = {
    "upsampling": 4,
    "decoder_layers": 2,
    "slot_positions": True,
    "head": "factored",
    "use_keep": True,
}


def with_shape(options: ModelOptions, start: Path) -> ModelOptions:
    """Return options with every value of the shape.

    Args:
        options: None is replaced by the trained model's value, or the default.
        start: The trained model's folder, or an encoder.

    Raises:
        ConfigError: A trained model cannot get the shape that is asked for.
    """
    shape = _NEW
    if _is_emendo(start):
        config = CopyCTCConfig.from_pretrained(start)
        shape = {name: getattr(config, name) for name in _NEW}
        _check(options, shape)
    given = {name: getattr(options, name) for name in _NEW}
    return replace(
        options, **{name: shape[name] if value is None else value for name, value in given.items()}
    )


def _check(options: ModelOptions, shape: dict[str, Any]) -> None:
    """Raise `ConfigError` if a model of this shape cannot get another one."""
    for name, own in shape.items():
        wanted = getattr(options, name)
        if wanted is None or wanted == own:
            continue
        may = "leave the key out"
        if name == "upsampling":
            if wanted > own and wanted % own == 0:
                continue
            may = f"use a multiple of {own}"
        if name == "slot_positions" and wanted:
            continue
        raise ConfigError(
            f"model.{name} is {json.dumps(wanted)}, but {options.encoder} was trained with "
            f"{json.dumps(own)}: {may}, or start from an encoder"
        )


def load_network(options: ModelOptions, tokenizer: TextTokenizer, start: Path) -> CopyCTCForEditing:
    """Return a trained model for further training, or a new network over an encoder.

    Args:
        options: As returned by `with_shape`.
        tokenizer: Of the model or encoder.
        start: The folder of a model, or an encoder.
    """
    settings: dict[str, Any] = {
        "source_dropout": options.source_dropout,
        "keep_dropout": options.keep_dropout,
        "glancing": options.glancing,
        "lexical_sample": options.lexical_sample,
        "lexical_tail": options.lexical_tail,
        **({"task": options.task} if options.task else {}),
    }
    shape = {name: getattr(options, name) for name in _NEW}
    if _is_emendo(start):
        model = CopyCTCForEditing.from_pretrained(start, dtype=torch.float32)
        for name, value in settings.items():
            setattr(model.config, name, value)
        if any(getattr(model.config, name) != value for name, value in shape.items()):
            model = with_more_slots(
                model, shape["upsampling"], slot_positions=shape["slot_positions"]
            )
    else:
        model = CopyCTCForEditing.from_encoder(options.encoder, tokenizer, **shape, **settings)
    model.get_input_embeddings().weight.requires_grad_(not options.freeze_embeddings)
    return model


def _is_emendo(folder: Path) -> bool:
    file = folder / "config.json"
    if not file.is_file():
        return False
    config = json.loads(file.read_text(encoding="utf-8"))
    return bool(config.get("model_type") == CopyCTCConfig.model_type)
