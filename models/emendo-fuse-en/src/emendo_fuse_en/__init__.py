"""An English model for emendo that fuses sentences: `emendo.load_editor("fuse-en")`."""

from pathlib import Path


def bundle() -> Path:
    """Return the folder that `emendo.load_editor` loads."""
    return Path(__file__).parent / "bundle"
