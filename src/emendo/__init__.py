"""emendo corrects and rewrites text in one parallel pass."""

from emendo.inference import Editor
from emendo.inference.loading import load_editor
from emendo.text import Edit, EditedText, EditPair, TextTokenizer, apply_edits

__version__ = "0.1.0.dev0"

__all__ = [
    "Edit",
    "EditPair",
    "EditedText",
    "Editor",
    "TextTokenizer",
    "apply_edits",
    "load_editor",
]
