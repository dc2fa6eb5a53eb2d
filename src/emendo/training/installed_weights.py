"""Models for further training that are installed as packages, found by name.

A package names its model in the entry points of group `emendo.weights`; the entry point is a
function that returns the folder of the model.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from emendo.errors import ConfigError

GROUP = "emendo.weights"
_HOW_TO_INSTALL = (
    "none is installed; the packages are emendo-en-weights, emendo-de-weights and "
    "emendo-ru-weights, from a checkout: pip install ./models/emendo-en-weights"
)


def find_weights(encoder: str) -> str:
    """Return the folder of an installed model, or the argument: a folder or a hub's name.

    Raises:
        ConfigError: It is an emendo model that is not installed, or its package is damaged.
    """
    if Path(encoder).exists():
        return encoder
    points = {point.name: point for point in entry_points(group=GROUP)}
    if encoder in points:
        folder = Path(points[encoder].load()())
        if not (folder / "config.json").is_file():
            raise ConfigError(f"{encoder} has no model in {folder}; install its package again")
        return str(folder)
    if encoder.startswith("emendo-"):
        known = f"installed: {', '.join(sorted(points))}" if points else _HOW_TO_INSTALL
        raise ConfigError(
            f"model.encoder is {encoder!r}: there is no such folder or installed model; {known}"
        )
    return encoder
