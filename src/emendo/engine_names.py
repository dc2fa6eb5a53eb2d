"""The names of engines and precisions, as callers give them."""

from __future__ import annotations

from typing import Literal

BackendName = Literal["auto", "onnx", "openvino"]
Precision = Literal["auto", "fp32", "bf16", "int8"]
