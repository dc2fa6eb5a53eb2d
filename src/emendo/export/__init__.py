"""From a trained network to a bundle that edits without torch."""

from emendo.errors import require

require("emendo.export", "export", "torch", "transformers", "onnx", "onnxscript", "onnxruntime")

from emendo.inference.engines import import_onnxruntime

# The first import of the engine decides whether its telemetry is on.
import_onnxruntime()

from emendo.export.bundling import ExportReport, export_bundle

__all__ = ["ExportReport", "export_bundle"]
