"""The weights of emendo's Russian model, to train on: `encoder = "emendo-ru"`."""

from pathlib import Path


def model() -> Path:
    """Return the folder that `emendo train` starts from."""
    return Path(__file__).parent / "model"
