"""emendo corrects and rewrites text in one parallel pass."""

from importlib import import_module
from typing import TYPE_CHECKING

from emendo.auto_models import register_when_asked as _register_when_asked

if TYPE_CHECKING:
    from emendo.bundle.levels import Level as Level
    from emendo.bundle.levels import LevelName as LevelName
    from emendo.engine_names import BackendName as BackendName
    from emendo.engine_names import Precision as Precision
    from emendo.errors import AccessError as AccessError
    from emendo.errors import BundleError as BundleError
    from emendo.errors import ConfigError as ConfigError
    from emendo.errors import DeadlineError as DeadlineError
    from emendo.errors import EditError as EditError
    from emendo.errors import EmendoError as EmendoError
    from emendo.errors import EngineError as EngineError
    from emendo.errors import ExportError as ExportError
    from emendo.errors import FormatError as FormatError
    from emendo.errors import JobError as JobError
    from emendo.errors import MissingExtraError as MissingExtraError
    from emendo.errors import RequestError as RequestError
    from emendo.errors import ServerError as ServerError
    from emendo.errors import StorageError as StorageError
    from emendo.errors import TextTypeError as TextTypeError
    from emendo.errors import TokenizerError as TokenizerError
    from emendo.errors import TooLargeError as TooLargeError
    from emendo.errors import TrainingError as TrainingError
    from emendo.inference import Editor as Editor
    from emendo.inference import Editors as Editors
    from emendo.inference.loading import load_editor as load_editor
    from emendo.inference.loading import load_editors as load_editors
    from emendo.text import Edit as Edit
    from emendo.text import EditedText as EditedText
    from emendo.text import EditPair as EditPair
    from emendo.text import EditType as EditType
    from emendo.text import TextTokenizer as TextTokenizer
    from emendo.text import apply_edits as apply_edits
    from emendo.text.markup import Markup as Markup

__version__ = "0.1.0.dev0"

_ERRORS = (
    "AccessError",
    "BundleError",
    "ConfigError",
    "DeadlineError",
    "EditError",
    "EmendoError",
    "EngineError",
    "ExportError",
    "FormatError",
    "JobError",
    "MissingExtraError",
    "RequestError",
    "ServerError",
    "StorageError",
    "TextTypeError",
    "TokenizerError",
    "TooLargeError",
    "TrainingError",
)
# Loaded on first use, so that `emendo --help` does not wait for numpy.
_HOMES = {
    "BackendName": "emendo.engine_names",
    "Edit": "emendo.text",
    "EditPair": "emendo.text",
    "EditType": "emendo.text",
    "EditedText": "emendo.text",
    "Editor": "emendo.inference",
    "Editors": "emendo.inference",
    "Level": "emendo.bundle.levels",
    "LevelName": "emendo.bundle.levels",
    "Markup": "emendo.text.markup",
    "Precision": "emendo.engine_names",
    "TextTokenizer": "emendo.text",
    "apply_edits": "emendo.text",
    "load_editor": "emendo.inference.loading",
    "load_editors": "emendo.inference.loading",
    **dict.fromkeys(_ERRORS, "emendo.errors"),
}

__all__ = list(_HOMES)

_register_when_asked()


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'emendo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_HOMES, *(name for name in globals() if name.startswith("__"))})
