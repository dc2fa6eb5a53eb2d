"""The export of a model folder to a bundle, tested on text before it is put in place."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from emendo.bundle import Bundle, BundleConfig, Level, drafted_bundle, seal_bundle
from emendo.bundle.format import (
    DEFAULT_LEVEL,
    FOR_TRAINING,
    INT8_LEXICON,
    INT8_NETWORK,
    LEXICON,
    NETWORK,
    SENTENCE,
    TOKENIZER,
    UNITS,
)
from emendo.errors import ExportError
from emendo.export.onnx import write_lexicon, write_network
from emendo.export.parity import TEXTS, Agreement, check_parity, compare_backends
from emendo.export.quantize import quantize_lexicon, quantize_network
from emendo.inference.onnx_backend import open_onnx
from emendo.languages import DEFAULT_LANGUAGE
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.text import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_log = logging.getLogger(__name__)

_PARITY_TEXTS = 200


@dataclass(frozen=True)
class ExportReport:
    """The bundle that was written, and its agreement with the network."""

    bundle: Bundle
    fp32: Agreement
    int8: Agreement | None


def export_bundle(  # noqa: PLR0913 - what a bundle says of itself
    model_folder: Path | str,
    out: Path | str,
    *,
    languages: Sequence[str] = (DEFAULT_LANGUAGE,),
    calibration: Sequence[str] | None = None,
    int8: bool = False,
    fp32: bool = True,
    levels: Mapping[str, Level] | None = None,
    candidates: int = 4,
    for_training: bool = False,
    on_step: Callable[[str, int, int], object] | None = None,
) -> ExportReport:
    """Write a bundle; nothing is written unless it makes the same edits as the network.

    Args:
        model_folder: The folder of a run of `emendo train`, or the `model` in it.
        out: The bundle's folder.
        languages: The languages that the model was trained on.
        calibration: A few hundred texts like those to be edited; int8 needs them. Network and
            graphs are also compared on them.
        int8: Also write int8 graphs, a quarter of the size.
        fp32: Keep the graphs in single precision; a bundle without them is small, and never runs
            in bf16.
        levels: The levels by name; one neutral level if not given.
        candidates: K, the number of likeliest words that the lexicon returns for a slot.
        for_training: Also keep the weights in the bundle, for further training.
        on_step: Called regularly with the name of a step, how much of it is done, and the total.

    Raises:
        ExportError: The folder has no model that can be exported, int8 has no calibration texts,
            or the graphs do not make the same edits as the network.
    """
    if int8 and not calibration:
        raise ExportError("int8 needs calibration texts: a few hundred like those to be edited")
    if not (int8 or fp32):
        raise ExportError("neither fp32 nor int8: the bundle would have no graphs")
    folder = _model_folder(Path(model_folder))
    model, tokenizer = _load(folder)
    texts = list(calibration[:_PARITY_TEXTS] if calibration else TEXTS)
    reference = TorchBackend(model, candidates=candidates)
    config = BundleConfig(
        upsampling=model.config.upsampling,
        pad_id=tokenizer.pad_id,
        rep_id=tokenizer.rep_id,
        mask_id=tokenizer.mask_id,
        vocab_size=model.config.vocab_size,
        max_tokens=model.config.max_tokens,
        languages=tuple(languages),
        candidates=candidates,
        levels=dict(levels or {DEFAULT_LEVEL: Level()}),
        task=model.config.task,
        unit=UNITS.get(model.config.task, SENTENCE),
    )
    quantized = None
    on_step = on_step or _say_nothing
    with drafted_bundle(out) as draft:
        tokenizer.save(draft / TOKENIZER)
        on_step("writing graphs", 0, 2)
        write_network(model, draft / NETWORK)
        on_step("writing graphs", 1, 2)
        write_lexicon(model, draft / LEXICON, candidates=candidates)
        on_step("writing graphs", 2, 2)
        bundle = Bundle(draft, seal_bundle(draft, config))
        exact = open_onnx(bundle)
        agreement = check_parity(reference, exact, tokenizer, texts)
        if int8:
            assert calibration
            calibrated = (exact, tokenizer, calibration)
            quantize_network(draft / NETWORK, draft / INT8_NETWORK, *calibrated, on_step=on_step)
            quantize_lexicon(draft / LEXICON, draft / INT8_LEXICON, *calibrated, on_step=on_step)
            bundle = Bundle(draft, seal_bundle(draft, config))
            quantized = compare_backends(
                reference, open_onnx(bundle, is_int8=True), tokenizer, texts
            )
            _log.info("int8 gives the same edits for %.1f %% of the texts", 100 * quantized.share)
        if not fp32:
            (draft / NETWORK).unlink()
            (draft / LEXICON).unlink()
        if for_training:
            for name in FOR_TRAINING:
                shutil.copyfile(folder / name, draft / name)
        config = seal_bundle(draft, config)
    return ExportReport(Bundle(Path(out), config), agreement, quantized)


def _say_nothing(name: str, done: int, total: int) -> None:
    del name, done, total


def _model_folder(folder: Path) -> Path:
    for each in (folder, folder / "model"):
        if all((each / name).is_file() for name in (*FOR_TRAINING, TOKENIZER)):
            return each
    raise ExportError(
        f"{folder} has no trained model ({', '.join((*FOR_TRAINING, TOKENIZER))}); give the "
        "folder of a finished run of `emendo train`, or the `model` in it"
    )


def _load(folder: Path) -> tuple[CopyCTCForEditing, TextTokenizer]:
    model = CopyCTCForEditing.from_pretrained(
        folder, dtype=torch.float32, use_safetensors=True, local_files_only=True
    ).eval()
    return model, TextTokenizer.from_file(folder / TOKENIZER, rep_id=model.config.rep_id)
