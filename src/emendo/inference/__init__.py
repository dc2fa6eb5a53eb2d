"""Text in, edits out, over any engine that runs the network; torch-free."""

from emendo.bundle.levels import Level
from emendo.inference.backend import Backend, Batch, NetworkOutput, WordScores
from emendo.inference.document import DocumentEditor
from emendo.inference.editor import Editor

__all__ = [
    "Backend",
    "Batch",
    "DocumentEditor",
    "Editor",
    "Level",
    "NetworkOutput",
    "WordScores",
]
