"""Text in, edits out, over any engine that runs the network; torch-free."""

from emendo.inference.backend import Backend, Batch, NetworkOutput, WordScores
from emendo.inference.editor import Editor
from emendo.inference.levels import Level

__all__ = ["Backend", "Batch", "Editor", "Level", "NetworkOutput", "WordScores"]
