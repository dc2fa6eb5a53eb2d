"""The ONNX Runtime backend: runs on every platform, and on CUDA with its CUDA build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emendo.errors import BundleError, require

require("emendo.inference.onnx_backend", "edit", "onnxruntime")

from emendo.inference.engines import import_onnxruntime
from emendo.inference.graph_backend import open_graphs
from emendo.inference.graph_check import in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from emendo.bundle import Bundle
    from emendo.inference.graph_backend import GraphBackend

ort = import_onnxruntime()

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
_WARNINGS = 3


class OnnxGraph:
    """A graph in a session of ONNX Runtime."""

    def __init__(self, path: Path, *, threads: int = 1, providers: Sequence[str] = (CPU,)) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _WARNINGS
        # The next level optimises image layouts: of no use here, and a quarter of the loading time.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        # Memory kept for the next batch would grow to that of the largest batch, and with the
        # layouts of other shapes. docs/decisions/0009-two-graphs.md has the cost of allocating it
        # again.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        try:
            self._session = ort.InferenceSession(
                str(path), sess_options=options, providers=list(providers)
            )
        # ONNX Runtime's errors have no other common class.
        except Exception as error:
            raise BundleError(f"ONNX Runtime cannot load {path}: {in_one_line(error)}") from error
        self._inputs = [each.name for each in self._session.get_inputs()]

    def __call__(self, *inputs: NDArray[Any]) -> Sequence[NDArray[Any]]:
        """Run it."""
        outputs: Sequence[NDArray[Any]] = self._session.run(
            None, dict(zip(self._inputs, inputs, strict=True))
        )
        return outputs


def open_onnx(
    bundle: Bundle,
    *,
    is_int8: bool = False,
    threads: int = 1,
    providers: Sequence[str] = (CPU,),
    meanwhile: Callable[[], object] | None = None,
) -> GraphBackend:
    """Load a bundle's graphs in ONNX Runtime.

    Args:
        bundle: The model.
        is_int8: Run the int8 graphs instead of those in single precision.
        threads: Within an operation; several processes with one thread each are faster.
        providers: Execution providers of ONNX Runtime; the first that works is used.
        meanwhile: As for `open_graphs`.
    """
    return open_graphs(
        bundle,
        lambda path: OnnxGraph(path, threads=threads, providers=providers),
        is_int8=is_int8,
        meanwhile=meanwhile,
    )
