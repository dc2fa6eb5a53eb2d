"""Writes graphs to ONNX files, with dynamic numbers of sentences, tokens and slots."""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch.export import Dim

from emendo.errors import ExportError
from emendo.export.graph import LexiconGraph, NetworkGraph
from emendo.modeling.disentangled_attention import fix_deberta_positions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor, nn

    from emendo.modeling import CopyCTCForEditing

# The limit of a protobuf, and so of an ONNX file without external data.
_MOST_BYTES = 2**31 - 2**20


def write_network(model: CopyCTCForEditing, path: Path) -> None:
    """Write `network.onnx`: input_ids, attention_mask → three_way, states."""
    fix_deberta_positions(model.model.encoder)
    sentences, tokens = Dim("sentences", min=1), Dim("tokens", min=2)
    # More than one sentence, of different lengths: what is 1 in an example stays 1.
    pad_id = model.config.encoder.pad_token_id or 0
    input_ids = torch.full((3, 7), model.config.mask_id)
    attention_mask = torch.ones_like(input_ids)
    input_ids[1, 5:], attention_mask[1, 5:] = pad_id, 0
    shape = {0: sentences, 1: tokens}
    write_graph(
        NetworkGraph(model),
        path,
        {"input_ids": (input_ids, shape), "attention_mask": (attention_mask, shape)},
        ["three_way", "states"],
    )


def write_lexicon(model: CopyCTCForEditing, path: Path, *, candidates: int) -> None:
    """Write `lexicon.onnx`: states, labels → top_ids, top_scores, label_scores."""
    slots, each = Dim("slots", min=1), Dim("labels", min=1)
    states = torch.randn(5, model.config.hidden_size)
    labels = torch.zeros(5, 3, dtype=torch.int64)
    write_graph(
        LexiconGraph(model, candidates),
        path,
        {"states": (states, {0: slots}), "labels": (labels, {0: slots, 1: each})},
        ["top_ids", "top_scores", "label_scores"],
    )


def write_graph(
    module: nn.Module,
    path: Path,
    inputs: dict[str, tuple[Tensor, dict[int, Dim]]],
    outputs: list[str],
) -> None:
    """Write any module: each input has a name, an example and its dynamic sizes."""
    tensors = [*module.parameters(), *module.buffers()]
    size = sum(each.numel() * each.element_size() for each in tensors)
    if size > _MOST_BYTES:
        raise ExportError(
            f"{path.name} would have {size / 2**30:.1f} GiB; an ONNX file has at most 2, and "
            "bundles have no weights in other files"
        )
    with _quiet(), torch.no_grad():
        program = torch.onnx.export(
            module.eval(),
            tuple(example for example, _ in inputs.values()),
            dynamo=True,
            input_names=list(inputs),
            output_names=outputs,
            dynamic_shapes=tuple(shape for _, shape in inputs.values()),
            external_data=False,
            verbose=False,
        )
        assert program is not None
        program.save(str(path))


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the exporter's warnings about its own internals."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
