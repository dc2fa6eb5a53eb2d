"""The weights of emendo's German model, to train on: `encoder = "emendo-de"`."""

from pathlib import Path


def model() -> Path:
    """Return the folder that `emendo train` starts from."""
    return Path(__file__).parent / "model"
