"""Imports the engines with their telemetry off.

docs/decisions/0019-no-telemetry.md describes what they do by default.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

# ONNX Runtime reads it when it is imported, and then neither starts its uploader nor writes an id.
# Other releases use the second name.
_ONNX_RUNTIME_SWITCHES = ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")
_OPENVINO_REPORTER = "openvino_telemetry"


def import_onnxruntime() -> Any:  # noqa: ANN401
    """Import ONNX Runtime with its telemetry off."""
    for switch in _ONNX_RUNTIME_SWITCHES:
        os.environ.setdefault(switch, "1")
    return import_module("onnxruntime")


def import_openvino() -> Any:  # noqa: ANN401
    """Import OpenVINO without its telemetry package.

    OpenVINO works without that package if it is not installed, so its import is made to fail while
    OpenVINO loads.
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
