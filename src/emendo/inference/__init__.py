"""Text in, edits out, over any engine that runs the network; torch-free."""

from emendo.bundle.levels import Level
from emendo.inference.backend import Backend, Batch, NetworkOutput, WordScores
from emendo.inference.editor import Editor
from emendo.inference.editors import Editors
from emendo.inference.sentence_editor import SentenceEditor

__all__ = [
    "Backend",
    "Batch",
    "Editor",
    "Editors",
    "Level",
    "NetworkOutput",
    "SentenceEditor",
    "WordScores",
]
