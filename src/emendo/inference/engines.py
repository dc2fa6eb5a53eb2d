"""The engines, imported so that they report nothing to their makers.

docs/decisions/0019-no-telemetry.md says what they would do, and how that is known.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

# ONNX Runtime reads it when it is imported, and then neither starts its uploader nor writes an id.
# Other releases know the switch by the second name.
_ONNX_RUNTIME_SWITCHES = ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")
_OPENVINO_REPORTER = "openvino_telemetry"


def import_onnxruntime() -> Any:  # noqa: ANN401
    """Import ONNX Runtime with its telemetry off."""
    for switch in _ONNX_RUNTIME_SWITCHES:
        os.environ.setdefault(switch, "1")
    return import_module("onnxruntime")


def import_openvino() -> Any:  # noqa: ANN401
    """Import OpenVINO without the package that reports for it.

    OpenVINO does without that package where it is not installed, so for the time of the import it
    is made to look that way.
    """
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    reporter = modules.get(_OPENVINO_REPORTER)
    modules[_OPENVINO_REPORTER] = None
    try:
        return import_module("openvino")
    finally:
        if reporter is None:
            del modules[_OPENVINO_REPORTER]
        else:
            modules[_OPENVINO_REPORTER] = reporter
