"""Atomic writes of files and folders, and hashes of files."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Large enough that reading, not Python, is what takes the time.
_BLOCK = 1 << 20
# Windows flushes a file only through a handle that may write.
_FLUSHED = "rb+" if os.name == "nt" else "rb"


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to; the file written there then replaces `path`.

    It is flushed to the disk first, so that a power cut leaves the old file or the new one. After
    an error the old one stays. A killed process leaves a file `.<name>.<anything>.partial`.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        _flush(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically, so that even a power cut leaves no partial file."""
    with replaced_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Yield a path for a new folder, whose files are flushed and which then replaces `path`."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        yield partial
        for file in partial.rglob("*"):
            if file.is_file():
                _flush(file)
        shutil.rmtree(path, ignore_errors=True)
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _flush(path: Path) -> None:
    with path.open(_FLUSHED) as written:
        os.fsync(written.fileno())


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file of any size, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
