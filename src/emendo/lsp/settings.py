"""What a user may set in the editor, and what is said of what he may not."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTO = "auto"
_NAMES = ("model", "level", "language", "dictionary", "minConfidence")


@dataclass(frozen=True)
class Settings:
    """How documents are checked."""

    dictionary: Path
    """The file that words are added to."""
    models: tuple[str, ...] = ()
    """Bundles' folders or installed models' names; none means all that are installed."""
    level: str | None = None
    """None is the model's default."""
    language: str = AUTO
    words: tuple[str, ...] = ()
    """Words besides those of the file."""
    min_confidence: float = 0.0

    def updated(self, given: Mapping[str, Any]) -> tuple[Settings, list[str]]:
        """Return the settings with what was given, and what is wrong with the rest of it."""
        settings, complaints = self, []
        for name, value in given.items():
            try:
                settings = replace(settings, **_parse(name, value))
            except ConfigError as error:
                complaints.append(str(error))
        return settings, complaints


def _parse(name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the JSON holds
    if name not in _NAMES:
        near = difflib.get_close_matches(name, _NAMES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(_NAMES)}"
        raise ConfigError(f"there is no setting {name!r}; {hint}")
    if name == "minConfidence":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ConfigError("the setting 'minConfidence' must be a number from 0 to 1")
        return {"min_confidence": float(value)}
    if name == "dictionary" and isinstance(value, list):
        if not all(isinstance(word, str) for word in value):
            raise ConfigError("the setting 'dictionary' must be a path, or a list of words")
        return {"words": tuple(value)}
    if name == "model" and isinstance(value, list):
        if not value or not all(isinstance(each, str) and each for each in value):
            raise ConfigError("the setting 'model' must be a string, or a list of strings")
        return {"models": tuple(str(Path(each).expanduser()) for each in value)}
    if not isinstance(value, str) or not value:
        what = "a path, or a list of words" if name == "dictionary" else "a string"
        raise ConfigError(f"the setting {name!r} must be {what}")
    if name == "model":
        return {"models": (str(Path(value).expanduser()),)}
    if name == "dictionary":
        return {name: Path(value).expanduser()}
    return {name: value}
