"""Loads an editor from a bundle's folder, with an engine and a precision."""

from __future__ import annotations

import platform
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, get_args

from emendo.bundle import Bundle, find_bundle, installed_models, open_bundle
from emendo.bundle.format import (
    CORRECTION,
    KNOWN_WORDS,
    LEXICON,
    MISSPELLINGS,
    NETWORK,
    PASSAGE,
    TOKENIZER,
)
from emendo.engine_names import BackendName, Precision
from emendo.errors import ConfigError, MissingExtraError
from emendo.inference.calibration import Calibration
from emendo.inference.editor import Editor
from emendo.inference.editors import Editors, check_languages, check_tasks
from emendo.inference.graph_check import check_graphs
from emendo.inference.sentence_editor import SentenceEditor
from emendo.languages import DEFAULT_LANGUAGE
from emendo.text import TextTokenizer
from emendo.text.known_words import KnownWords
from emendo.text.misspellings import Misspellings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from emendo.bundle.levels import LevelName
    from emendo.inference.backend import Backend, Batch

AUTO: Final = "auto"
ONNX: Final = "onnx"
OPENVINO: Final = "openvino"
FP32: Final = "fp32"
BF16: Final = "bf16"
INT8: Final = "int8"


def load_editor(  # noqa: PLR0913 - each has a default
    model: Path | str | Bundle | None = None,
    *,
    level: LevelName | str | None = None,
    backend: BackendName = AUTO,
    precision: Precision = AUTO,
    threads: int = 1,
    providers: Sequence[str] | None = None,
    rounds: int | None = None,
    batch_tokens: int = 512,
    alternatives: bool = False,
    cache_size: int = 10_000,
    on_batch: Callable[[Batch], object] | None = None,
) -> Editor:
    """Load a model.

    Args:
        model: The name of an installed model, such as "en", the folder of a bundle made by
            `emendo export`, or an opened bundle; by default the installed model, if there is only
            one, or only one that corrects.
        level: The level for calls that name none: "precise", "balanced" or "thorough", if the
            bundle has them; by default the bundle's own default.
        backend: "onnx", "openvino", or "auto": OpenVINO if it is installed and can run in bf16,
            otherwise ONNX Runtime.
        precision: "fp32", "int8" (if the bundle has it), "bf16" (OpenVINO), or "auto": bf16 if
            engine and processor support it, otherwise fp32, or int8 if the bundle has only that.
        threads: Threads for one batch. Several processes with one thread each are faster.
        providers: Execution providers of ONNX Runtime, such as ["CUDAExecutionProvider"].
        rounds: How often a sentence may be edited; by default twice if the model corrects, and
            once otherwise.
        batch_tokens: Source tokens in one batch, including padding; memory grows with it.
        alternatives: Whether edits list other replacements.
        cache_size: Number of sentences whose edits are cached; 0 turns the cache off.
        on_batch: Called with each batch before it is run, for statistics.

    Raises:
        BundleError: There is no such model, or its bundle is damaged or does not fit together.
        ConfigError: There is no such backend or precision.
        MissingExtraError: No engine is installed.
    """
    bundle = model if isinstance(model, Bundle) else open_bundle(find_bundle(model))
    config = bundle.config

    @cache
    def tokenizer() -> TextTokenizer:
        return TextTokenizer.from_file(bundle.file(TOKENIZER), rep_id=config.rep_id)

    graphs = open_backend(
        bundle,
        backend=backend,
        precision=precision,
        threads=threads,
        providers=providers,
        meanwhile=tokenizer,
    )
    check_graphs(bundle, graphs, tokenizer())
    # Tables of words are for correction: another task may write any word.
    corrects = config.task == CORRECTION
    sentence_editor = SentenceEditor(
        graphs,
        tokenizer(),
        rounds=rounds if rounds is not None else 2 if corrects else 1,
        batch_tokens=batch_tokens,
        alternatives=alternatives,
        language=next(iter(config.languages), ""),
        misspellings=_misspellings(bundle) if corrects else None,
        known_words=KnownWords.from_file(bundle.file(KNOWN_WORDS))
        if corrects and bundle.has(KNOWN_WORDS)
        else None,
        calibration=Calibration(config.calibration),
        together=config.unit == PASSAGE,
        on_batch=on_batch,
    )
    return Editor(
        sentence_editor,
        languages=config.languages,
        task=config.task,
        unit=config.unit,
        levels=config.levels,
        default_level=level or config.default_level,
        cache_size=cache_size,
    )


class EditorOptions(TypedDict, total=False):
    """Those of `load_editor` that `load_editors` takes for all models."""

    backend: BackendName
    precision: Precision
    threads: int
    providers: Sequence[str] | None
    rounds: int | None
    batch_tokens: int
    alternatives: bool
    cache_size: int


def load_editors(
    models: Sequence[Path | str | Bundle] = (),
    *,
    level: LevelName | str | None = None,
    on_batch: Callable[[Batch, str], object] | None = None,
    on_model: Callable[[str], object] | None = None,
    **options: Unpack[EditorOptions],
) -> Editors:
    """Load several models; each paragraph of a text gets the one for its language.

    Args:
        models: As for `load_editor`. The first is the default, for paragraphs whose language is
            unclear. By default all installed models that correct, the one for
            English first.
        level: As for `load_editor`; a model without this level uses its own default.
        on_batch: Called with each batch before it is run, and with the language of its model.
        on_model: Called with the language of each model when it is loaded.
        options: Those of `load_editor`, the same for every model.

    Raises:
        BundleError: As for `load_editor`.
        ConfigError: As for `load_editor`; or two models are for the same language, or none has the
            level.
        MissingExtraError: As for `load_editor`.
    """
    bundles = [
        model if isinstance(model, Bundle) else open_bundle(find_bundle(model))
        for model in models or _default_models()
    ]
    check_languages([bundle.config.languages for bundle in bundles])
    check_tasks([bundle.config.task for bundle in bundles])
    names = dict.fromkeys(name for bundle in bundles for name in bundle.config.levels)
    if level is not None and level not in names:
        raise ConfigError(f"there is no level {level!r}; levels: {', '.join(names)}")
    editors = []
    for bundle in bundles:
        language = next(iter(bundle.config.languages), "")
        editors.append(
            load_editor(
                bundle,
                level=level if level in bundle.config.levels else None,
                on_batch=on_batch and partial(_with_language, on_batch, language),
                **options,
            )
        )
        if on_model:
            on_model(language)
    return Editors(editors)


def _with_language(on_batch: Callable[[Batch, str], object], language: str, batch: Batch) -> object:
    return on_batch(batch, language)


def _default_models() -> list[str | None]:
    """Return the installed models that correct, the one for English first."""
    names = sorted(
        (
            model.name
            for model in installed_models()
            if open_bundle(model.folder).config.task == CORRECTION
        ),
        key=lambda name: name != DEFAULT_LANGUAGE,
    )
    # None gives the message that no model is installed.
    return [*names] or [None]


def _misspellings(bundle: Bundle) -> Misspellings | None:
    if not bundle.has(MISSPELLINGS):
        return None
    return Misspellings.from_file(
        bundle.file(MISSPELLINGS), confidence=bundle.config.misspelling_confidence
    )


def open_backend(
    bundle: Bundle,
    *,
    backend: BackendName = AUTO,
    precision: Precision = AUTO,
    threads: int = 1,
    providers: Sequence[str] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Backend:
    """Load a bundle's graphs.

    The arguments are those of `load_editor`; `meanwhile` is called while the engine loads.
    """
    backend, precision = choose_engine(
        bundle, backend=backend, precision=precision, providers=providers
    )
    if backend == OPENVINO:
        from emendo.inference.openvino_backend import open_openvino

        return open_openvino(
            bundle,
            is_int8=precision == INT8,
            is_bf16=precision == BF16,
            threads=threads,
            meanwhile=meanwhile,
        )
    from emendo.inference.onnx_backend import CPU, open_onnx

    return open_onnx(
        bundle,
        is_int8=precision == INT8,
        threads=threads,
        providers=providers or (CPU,),
        meanwhile=meanwhile,
    )


def choose_engine(
    bundle: Bundle,
    *,
    backend: BackendName = AUTO,
    precision: Precision = AUTO,
    providers: Sequence[str] | None = None,
) -> tuple[BackendName, Precision]:
    """Return the backend and the precision that `load_editor` uses on this machine.

    Raises:
        ConfigError: There is no such backend or precision, or not together.
    """
    check_engine(backend, precision)
    has_fp32 = bundle.has(NETWORK, LEXICON)
    if backend == AUTO:
        may_be_bf16 = precision == BF16 or (precision == AUTO and has_fp32)
        prefers_openvino = providers is None and _prefers_openvino(may_be_bf16=may_be_bf16)
        backend = OPENVINO if prefers_openvino else ONNX
    if backend == OPENVINO:
        from emendo.inference.openvino_backend import has_bf16

        if precision == AUTO:
            precision = BF16 if has_fp32 and has_bf16() else FP32 if has_fp32 else INT8
        return backend, precision
    if precision == BF16:
        raise ConfigError("ONNX Runtime has no bf16 on CPUs; use the backend openvino, or fp32")
    if precision == AUTO:
        precision = FP32 if has_fp32 else INT8
    return backend, precision


def check_engine(backend: str, precision: str) -> None:
    """Refuse unknown names.

    Raises:
        ConfigError: There is no such backend or precision.
    """
    for what, name, known in (
        ("backend", backend, get_args(BackendName)),
        ("precision", precision, get_args(Precision)),
    ):
        if name not in known:
            raise ConfigError(
                f"there is no {what} {name!r}; there is {', '.join(known[:-1])} and {known[-1]}"
            )


def _prefers_openvino(*, may_be_bf16: bool) -> bool:
    """Whether OpenVINO is installed and is the faster engine, or the only one.

    It is faster in bf16 if the processor has units for that. In int8 and fp32 the two are about
    equal, and ONNX Runtime takes less memory (docs/decisions/0009-two-graphs.md).
    """
    if find_spec("onnxruntime") is None and find_spec("openvino") is None:
        raise MissingExtraError("emendo.load_editor", "edit")
    if find_spec("openvino") is None:
        return False
    if find_spec("onnxruntime") is None:
        return True
    if not may_be_bf16:
        return False
    from emendo.inference.openvino_backend import has_bf16

    return platform.machine().lower() in ("x86_64", "amd64") and has_bf16()
