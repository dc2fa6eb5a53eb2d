"""emendo corrects and rewrites text in one parallel pass."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emendo.inference import Editor as Editor
    from emendo.inference.loading import load_editor as load_editor
    from emendo.text import Edit as Edit
    from emendo.text import EditedText as EditedText
    from emendo.text import EditPair as EditPair
    from emendo.text import TextTokenizer as TextTokenizer
    from emendo.text import apply_edits as apply_edits

__version__ = "0.1.0.dev0"

# Found when they are asked for, so that `emendo --help` need not wait for numpy.
_HOMES = {
    "Edit": "emendo.text",
    "EditPair": "emendo.text",
    "EditedText": "emendo.text",
    "Editor": "emendo.inference",
    "TextTokenizer": "emendo.text",
    "apply_edits": "emendo.text",
    "load_editor": "emendo.inference.loading",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emendo' has no attribute {name!r}")
