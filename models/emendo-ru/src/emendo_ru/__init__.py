"""A Russian model for emendo: `emendo.load_editor("ru")`."""

from pathlib import Path


def bundle() -> Path:
    """Return the folder that `emendo.load_editor` loads."""
    return Path(__file__).parent / "bundle"
