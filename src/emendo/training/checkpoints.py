"""Complete checkpoints: a marker with the hash of every file is written last.

The Trainer writes straight into `checkpoint-N`, so a kill during a save leaves a broken one, with
the highest number.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

from emendo.errors import TrainingError
from emendo.files import sha256_of, write_whole

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "complete.json"
_NAME = re.compile(r"checkpoint-(\d+)")


def mark_complete(checkpoint: Path) -> None:
    """Write the marker of a checkpoint after all its files."""
    hashes = {
        path.relative_to(checkpoint).as_posix(): sha256_of(path)
        for path in sorted(checkpoint.rglob("*"))
        if path.is_file() and path.name != MARKER
    }
    write_whole(checkpoint / MARKER, json.dumps(hashes, indent=1))


def is_complete(checkpoint: Path) -> bool:
    """Whether the marker exists and every file matches it."""
    try:
        hashes = json.loads((checkpoint / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(hashes) and all(
        (checkpoint / name).is_file() and sha256_of(checkpoint / name) == expected
        for name, expected in hashes.items()
    )


def last_complete(folder: Path) -> Path | None:
    """Return the newest complete checkpoint of a stage."""
    found = sorted(_checkpoints(folder), key=_step, reverse=True)
    return next(filter(is_complete, found), None)


def remove_after(folder: Path, checkpoint: Path | None) -> None:
    """Remove checkpoints newer than this one: broken, or of steps that are repeated."""
    last = _step(checkpoint) if checkpoint else -1
    for path in _checkpoints(folder):
        if _step(path) > last:
            shutil.rmtree(path)


def check_own(checkpoint: Path) -> None:
    """Refuse another user's checkpoint: its optimizer files are pickles, which can run code.

    Raises:
        TrainingError: Another user owns it.
    """
    owner = checkpoint.stat().st_uid
    if hasattr(os, "getuid") and owner != os.getuid():
        raise TrainingError(
            f"{checkpoint} belongs to another user (uid {owner}). Its optimizer files are pickles "
            "and could run any code, so only your own runs can be resumed; train from its "
            "model folder instead (model.encoder = ...)"
        )


def _checkpoints(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.is_dir() and _NAME.fullmatch(path.name)]


def _step(checkpoint: Path) -> int:
    match = _NAME.fullmatch(checkpoint.name)
    assert match, checkpoint
    return int(match[1])
