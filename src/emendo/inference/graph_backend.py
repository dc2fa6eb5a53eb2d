"""A backend over two exported graphs, for any engine.

The network: tokens to three-way scores and slot states. The lexicon: slot states to words. Engines
differ only in how they run a graph (`onnx_backend.py`, `openvino_backend.py`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, LEXICON, NETWORK
from emendo.bundle.graph_file import check_graph_file
from emendo.ctc import Alphabet
from emendo.ctc.alphabet import count_slots
from emendo.errors import BundleError
from emendo.inference.backend import NetworkOutput, WordScores
from emendo.inference.shapes import few_rows, few_tokens, fill_columns, fill_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from emendo.bundle import Bundle, BundleConfig
    from emendo.inference.backend import Batch

# Scores in one [slots, V] table; an engine keeps several (8 MB each).
_CHUNK = 2_000_000


class Graph(Protocol):
    """An exported graph, loaded by an engine."""

    def __call__(self, *inputs: NDArray[Any]) -> Sequence[NDArray[Any]]:
        """Run it, in any thread: inputs and outputs in the graph's own order."""
        ...


class GraphBackend:
    """Runs a bundle's two graphs."""

    def __init__(
        self, network: Graph, lexicon: Graph, config: BundleConfig, *, has_few_shapes: bool = False
    ) -> None:
        """Combine two graphs.

        Args:
            network: Tokens to slots.
            lexicon: Slots to words.
            config: The bundle's.
            has_few_shapes: Pad batches to one of a few shapes: for an engine that compiles for
                each new shape, this takes more time than the padding, and memory each time.
        """
        self._network = network
        self._lexicon = lexicon
        self._config = config
        self._has_few_shapes = has_few_shapes

    @property
    def alphabet(self) -> Alphabet:
        """The symbols its slots choose from."""
        return Alphabet(self._config.vocab_size, self._config.upsampling)

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that the encoder has positions for."""
        return self._config.max_tokens

    def run(self, batch: Batch) -> NetworkOutput:
        """Run everything except the lexical head over a batch."""
        if not self._has_few_shapes:
            return NetworkOutput(*self._network(batch.input_ids, batch.attention_mask))
        rows, tokens = batch.input_ids.shape
        columns = few_tokens(tokens, self.max_tokens)
        three_way, states = self._network(
            fill_rows(fill_columns(batch.input_ids, columns, self._config.pad_id), few_rows(rows)),
            fill_rows(fill_columns(batch.attention_mask, columns, 0), few_rows(rows)),
        )
        slots = count_slots(tokens, self._config.upsampling)
        return NetworkOutput(three_way[:rows, :slots], states[:rows, :slots])

    def look_up(self, states: NDArray[np.floating], labels: NDArray[np.int64]) -> WordScores:
        """Score words at [R, H] slots: the likeliest, and for each slot its [R, L] labels."""
        rows = len(states)
        if not rows:
            # Engines do not agree on what a graph gives for no rows.
            nothing = np.empty((0, self._config.candidates))
            return WordScores(nothing.astype(np.int64), nothing, labels.astype(np.float32))
        # Chunks of equal size: a small remainder would cost as much as a whole chunk.
        chunks = -(-rows * self._config.vocab_size // _CHUNK)
        found = [
            self._look_up(*part)
            for part in zip(
                np.array_split(states, chunks), np.array_split(labels, chunks), strict=True
            )
        ]
        return WordScores(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _look_up(
        self, states: NDArray[np.floating], labels: NDArray[np.int64]
    ) -> Sequence[NDArray[Any]]:
        if not self._has_few_shapes:
            return self._lexicon(states, labels)
        rows = few_rows(len(states))
        found = self._lexicon(fill_rows(states, rows), fill_rows(labels, rows))
        return [part[: len(states)] for part in found]


def open_graphs(
    bundle: Bundle,
    open_graph: Callable[[Path], Graph],
    *,
    is_int8: bool,
    has_few_shapes: bool = False,
    meanwhile: Callable[[], object] | None = None,
) -> GraphBackend:
    """Load a bundle's two graphs in parallel: engines load without Python's lock.

    Args:
        bundle: The model.
        open_graph: Loads a graph from a checked file.
        is_int8: Use the int8 graphs instead of those in single precision.
        has_few_shapes: As for `GraphBackend`.
        meanwhile: Called in this thread while the network, the larger graph, is loading.

    Raises:
        BundleError: The bundle was exported without them, they are damaged, or need other files.
    """
    names = (INT8_NETWORK, INT8_LEXICON) if is_int8 else (NETWORK, LEXICON)
    if not bundle.has(*names):
        kind, option = ("int8", "--int8") if is_int8 else ("single-precision", "--fp32")
        raise BundleError(
            f"the bundle {bundle.folder} has no {kind} graphs; choose another precision, or "
            f"`emendo export` it with {option}"
        )

    def opened(name: str) -> Graph:
        path = bundle.file(name)
        check_graph_file(path)
        return open_graph(path)

    with ThreadPoolExecutor(1) as pool:
        network = pool.submit(opened, names[0])
        lexicon = opened(names[1])
        if meanwhile:
            meanwhile()
        return GraphBackend(network.result(), lexicon, bundle.config, has_few_shapes=has_few_shapes)
