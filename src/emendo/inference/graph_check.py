"""Checks that graphs, tokenizer and `bundle.json` fit together, before the first text.

A graph contains little information on its shapes, so it is run once over a few tokens. Whether it
can read `max_tokens` tokens is not tested, because that would take longer than loading it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from emendo.bundle.format import CONFIG, TOKENIZER
from emendo.ctc.alphabet import THREE_WAY, count_slots
from emendo.errors import BundleError
from emendo.inference.backend import Batch

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from numpy.typing import NDArray

    from emendo.bundle import Bundle
    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.text import TextTokenizer

    Result = TypeVar("Result")

_TOKENS = 8
_MOST_CHARACTERS = 300


def check_graphs(bundle: Bundle, backend: Backend, tokenizer: TextTokenizer) -> None:
    """Run a bundle's graphs once, and compare the shapes with `bundle.json`.

    Raises:
        BundleError: They do not fit together.
    """
    _check_tokenizer(bundle, tokenizer)
    output = _check_network(bundle, backend, tokenizer)
    _check_lexicon(bundle, backend, tokenizer, output.states[0, :1])


def _check_tokenizer(bundle: Bundle, tokenizer: TextTokenizer) -> None:
    config, where = bundle.config, bundle.folder / CONFIG
    if tokenizer.vocab_size > config.vocab_size:
        raise BundleError(
            f"{bundle.folder / TOKENIZER} has {tokenizer.vocab_size:,} tokens, but the network has "
            f"{config.vocab_size:,} in {CONFIG}; export the bundle again"
        )
    for name, own in (("pad_id", tokenizer.pad_id), ("mask_id", tokenizer.mask_id)):
        if getattr(config, name) != own:
            raise BundleError(
                f"{where}: {name} is {getattr(config, name)}, but {own} in {TOKENIZER}; export "
                "the bundle again"
            )


def _check_network(bundle: Bundle, backend: Backend, tokenizer: TextTokenizer) -> NetworkOutput:
    config = bundle.config
    ids = np.full((1, min(config.max_tokens, _TOKENS)), config.vocab_size - 1, np.int64)
    ids[0, 0], ids[0, -1] = tokenizer.bos_id, tokenizer.eos_id
    batch = Batch(ids, np.ones_like(ids), ids)
    output = _run(
        f"the network of {bundle.folder} cannot read {ids.size} tokens, where vocab_size is "
        f"{config.vocab_size}",
        lambda: backend.run(batch),
    )
    slots = (1, count_slots(ids.size, config.upsampling))
    _check_shape(bundle, "network", "scores", output.three_way, (*slots, THREE_WAY))
    _check_shape(bundle, "network", "states", output.states, (*slots, output.states.shape[-1]))
    return output


def _check_lexicon(
    bundle: Bundle, backend: Backend, tokenizer: TextTokenizer, state: NDArray[np.floating]
) -> None:
    config = bundle.config
    forbidden = set(tokenizer.forbidden_ids)
    # A trimmed encoder has rows without a piece, which must never be written.
    rows = range(min(config.vocab_size, tokenizer.vocab_size))
    last = next(k for k in reversed(rows) if k not in forbidden)
    labels = np.array([[last, config.vocab_size]])
    words = _run(
        f"the lexicon of {bundle.folder} cannot look up words",
        lambda: backend.look_up(state, labels),
    )
    best = (1, config.candidates)
    _check_shape(bundle, "lexicon", "words (candidates)", words.top_ids, best)
    _check_shape(bundle, "lexicon", "scores of words (candidates)", words.top_scores, best)
    _check_shape(bundle, "lexicon", "scores of labels", words.label_scores, labels.shape)
    has_last, has_more = (words.label_scores[0] > -np.inf).tolist()
    in_range = ((words.top_ids >= 0) & (words.top_ids < config.vocab_size)).all()
    if has_more or not has_last or not in_range:
        raise BundleError(
            f"{bundle.folder / CONFIG}: vocab_size is {config.vocab_size}, but the lexicon has "
            f"{'fewer' if in_range and not has_more else 'more'} words; export the bundle again"
        )


def _check_shape(
    bundle: Bundle, graph: str, what: str, found: NDArray[np.generic], shape: tuple[int, ...]
) -> None:
    if found.shape != shape:
        raise BundleError(
            f"the {graph} of {bundle.folder} returns {what} of shape {list(found.shape)}, but "
            f"{CONFIG} requires {list(shape)}; export the bundle again"
        )


def _run(failure: str, work: Callable[[], Result]) -> Result:
    try:
        return work()
    # Engines raise various exceptions, and a graph may return fewer or other arrays.
    except Exception as error:
        raise BundleError(f"{failure}: {in_one_line(error)}; export the bundle again") from error


def in_one_line(error: Exception) -> str:
    """Return an engine's message, shortened: it can be long, and the cause is at its end."""
    said = " ".join(str(error).split())
    if len(said) <= _MOST_CHARACTERS:
        return said
    half = _MOST_CHARACTERS // 2
    return f"{said[:half]} … {said[-half:]}"
