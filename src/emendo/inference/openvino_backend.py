"""The OpenVINO backend: the faster engine on x86 servers with bf16 units."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from emendo.errors import BundleError, require

require("emendo.inference.openvino_backend", "openvino", "openvino")

from emendo.inference.engines import import_openvino
from emendo.inference.graph_backend import open_graphs
from emendo.inference.graph_check import in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from emendo.bundle import Bundle
    from emendo.inference.graph_backend import GraphBackend

ov = import_openvino()

_DEVICE = "CPU"
# One for the life of the process: each `Core` sets its own signal stack and, when destroyed,
# restores the previous one, even if that no longer exists. The next signal would end the process.
_CORE = ov.Core()


class OpenVinoGraph:
    """A graph that OpenVINO has compiled."""

    def __init__(self, path: Path, *, threads: int = 1, is_bf16: bool = False) -> None:
        options = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if is_bf16 else "f32",
        }
        try:
            compiled = _CORE.compile_model(str(path), _DEVICE, options)
        # OpenVINO raises bare RuntimeErrors.
        except RuntimeError as error:
            raise BundleError(f"OpenVINO cannot load {path}: {in_one_line(error)}") from error
        self._compiled = compiled
        # A request serves one thread at a time, so there are as many as threads ran at once.
        self._idle = deque([compiled.create_infer_request()])
        self._inputs, self._outputs = len(compiled.inputs), len(compiled.outputs)

    def __call__(self, *inputs: NDArray[Any]) -> Sequence[NDArray[Any]]:
        """Run it; safe for any number of threads."""
        # For missing inputs the engine would use whatever is in its memory.
        if len(inputs) != self._inputs:
            raise BundleError(f"the graph has {self._inputs} inputs instead of {len(inputs)}")
        try:
            request = self._idle.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        try:
            # Copies, because the engine overwrites its arrays with the next batch.
            results = request.infer(list(inputs), share_inputs=True)
            return [results[k].copy() for k in range(self._outputs)]
        finally:
            self._idle.append(request)


def has_bf16() -> bool:
    """Whether this processor runs bf16 natively, by AMX or AVX-512."""
    return "BF16" in _CORE.get_property(_DEVICE, "OPTIMIZATION_CAPABILITIES")


def open_openvino(
    bundle: Bundle,
    *,
    is_int8: bool = False,
    is_bf16: bool = False,
    threads: int = 1,
    meanwhile: Callable[[], object] | None = None,
) -> GraphBackend:
    """Load a bundle's graphs in OpenVINO.

    Args:
        bundle: The model.
        is_int8: Run the int8 graphs instead of those in single precision.
        is_bf16: Compute in bf16, which helps only if the processor has units for it.
        threads: For one batch; several processes with one thread each are faster.
        meanwhile: As for `open_graphs`.
    """
    return open_graphs(
        bundle,
        lambda path: OpenVinoGraph(path, threads=threads, is_bf16=is_bf16),
        is_int8=is_int8,
        has_few_shapes=True,
        meanwhile=meanwhile,
    )
