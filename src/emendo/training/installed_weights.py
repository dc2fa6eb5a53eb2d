"""Models to train on that were installed as packages, found by name.

A package names its model in the entry points of group `emendo.weights`; what stands there is a
function that returns the folder of the model.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from emendo.errors import ConfigError

GROUP = "emendo.weights"
_HOW_TO_INSTALL = (
    "none is installed; the weights of emendo-en are the package emendo-en-weights, from a "
    "checkout: pip install ./models/emendo-en-weights"
)


def find_weights(encoder: str) -> str:
    """Return the folder of an installed model, or what was asked for: a folder or a hub's name.

    Raises:
        ConfigError: It is a name of ours that is not installed, or its package is damaged.
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
            f"model.encoder is {encoder!r}: no folder and no installed model has that name; {known}"
        )
    return encoder
