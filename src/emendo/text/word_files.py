"""Files of words, one per line: a user's dictionary, as `emendo edit --dictionary` reads it.

A file is replaced as a whole after its content has reached the disk, so that a kill leaves the old
file or the new one. Several processes can share a file.
"""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from emendo.errors import FormatError, TooLargeError
from emendo.files import replaced_file

try:
    import fcntl
except ImportError:  # pragma: no cover - there is none on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

MAX_WORDS = 10_000
"""The most words in a dictionary."""
_MAX_WORD = 100
# Dictionaries in memory. A full one with the longest words takes 5 MB.
_REMEMBERED = 1000
_MOST_BYTES = 16 << 20
# Of each word, beside the string: its place in the tuple.
_PLACE = 8
# Windows editors write a byte order mark, which is not part of the first word.
_ENCODING = "utf-8-sig"


class WordFiles:
    """Reads and changes files of words; unchanged files are not read again.

    The cache is bounded by number and by bytes; it always keeps the last file.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[Path, tuple[tuple[int, ...], tuple[str, ...]]] = OrderedDict()
        self._bytes = 0
        self._known_lock = Lock()

    def words(self, path: Path) -> tuple[str, ...]:
        """Return the words of a file; none if there is no file."""
        try:
            figures = path.stat()
        except FileNotFoundError:
            return ()
        # A file is replaced, never modified, so a new file has another inode number.
        version = (figures.st_ino, figures.st_mtime_ns, figures.st_size)
        with self._known_lock:
            known = self._known.get(path)
            if known and known[0] == version:
                self._known.move_to_end(path)
                return known[1]
        words = _read(path)
        self._remember(path, version, words)
        return words

    def _remember(self, path: Path, version: tuple[int, ...], words: tuple[str, ...]) -> None:
        with self._known_lock:
            _, old = self._known.pop(path, ((), ()))
            self._known[path] = version, words
            self._bytes += bytes_of(words) - bytes_of(old)
            while len(self._known) > 1 and (
                len(self._known) > _REMEMBERED or self._bytes > _MOST_BYTES
            ):
                _, (_, forgotten) = self._known.popitem(last=False)
                self._bytes -= bytes_of(forgotten)

    def change(self, path: Path, change: Callable[[set[str]], set[str]]) -> bool:
        """Replace a file's words; return whether they differ. Its folder must exist.

        Raises:
            TooLargeError: There would be too many words.
            FormatError: It is not UTF-8, so it cannot be written again as it is.
        """
        # Of a link, the file that it stands for is replaced.
        path = path.resolve()
        with self._lock, _file_lock(path.parent):
            # Not by `words`: a network filesystem may return outdated attributes after another
            # machine has replaced the file. Opening it by name gives the new one.
            old = set(read_words(path)) if path.exists() else set()
            new = change(old)
            if new != old:
                check_size(new)
                _write(path, sorted(new))
            return new != old


def read_words(path: Path) -> tuple[str, ...]:
    """Return the words of a file.

    Raises:
        FormatError: It is not UTF-8.
        OSError: It cannot be read.
    """
    try:
        return _words_in(path.read_text(encoding=_ENCODING))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name} is not UTF-8; save it in this encoding") from error


def _read(path: Path) -> tuple[str, ...]:
    try:
        return _words_in(path.read_text(encoding=_ENCODING, errors="replace"))
    except FileNotFoundError:
        return ()


def _words_in(text: str) -> tuple[str, ...]:
    return tuple(word for line in text.split("\n") if (word := line.strip()))


def bytes_of(words: Collection[str]) -> int:
    """Return the memory that words take in a tuple."""
    return sum(map(sys.getsizeof, words)) + _PLACE * len(words)


def check_word(word: str) -> str:
    """Return a word if it can be stored in a file.

    Raises:
        FormatError: It is empty or has white space.
        TooLargeError: It is too long.
    """
    # Line breaks, spaces and surrogates can never be part of a word.
    if not word or any(c.isspace() or unicodedata.category(c) in ("Cc", "Cs") for c in word):
        raise FormatError("a word must not be empty or contain spaces")
    if len(word) > _MAX_WORD:
        raise TooLargeError(f"a word may have at most {_MAX_WORD} characters")
    return word


def check_size(words: set[str]) -> None:
    """Raise `TooLargeError` if these are more words than a dictionary may have."""
    if len(words) > MAX_WORDS:
        raise TooLargeError(f"a dictionary may have at most {MAX_WORDS:,} words")


@contextmanager
def _file_lock(folder: Path) -> Iterator[None]:
    """Lock a folder while one of its files is read and replaced."""
    if fcntl is None:
        yield
        return
    with (folder / ".lock").open("a") as file:
        # Released when the file is closed, even by a kill.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, words: Iterable[str]) -> None:
    """Replace a file atomically."""
    for left in path.parent.glob(f".{path.name}.*.partial"):
        # Left by a killed process; with the lock held, nobody is writing it.
        left.unlink(missing_ok=True)
    with (
        replaced_file(path) as partial,
        partial.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(word + "\n" for word in words)
        if path.exists():
            shutil.copymode(path, partial)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    if fcntl is None:  # pragma: no cover - Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
