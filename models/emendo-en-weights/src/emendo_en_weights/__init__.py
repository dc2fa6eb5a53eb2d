"""The weights of emendo's English model, to train on: `encoder = "emendo-en"`."""

from pathlib import Path


def model() -> Path:
    """Return the folder that `emendo train` starts from."""
    return Path(__file__).parent / "model"
