"""The words of users, on disk: a folder for each key, in it one for each user, a file a dictionary.

A file has one word a line, as `emendo edit --dictionary` reads it. It is replaced whole, after its
content has reached the disk: whoever kills the server finds the old file or the new one. Several
servers may share a folder.
"""

from __future__ import annotations

import os
import secrets
import unicodedata
from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import RequestError, TooLargeError
from emendo.serving.access import NAME

try:
    import fcntl
except ImportError:  # pragma: no cover - there is none on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

DEFAULT = "default"
_MAX_WORDS = 10_000
_MAX_WORD = 100
_MAX_USERS = 10_000
_MAX_DICTIONARIES = 100
_REMEMBERED = 1000
_SUFFIX = ".txt"


class Shelf(NamedTuple):
    """Where a dictionary stands."""

    owner: str
    """Of the API key."""
    user: str = DEFAULT
    dictionary: str = DEFAULT

    @classmethod
    def of(cls, owner: str, user: str = "", dictionary: str = "") -> Shelf:
        """Check names that come from outside.

        Raises:
            RequestError: A name could lead to another place on the disk.
        """
        user, dictionary = (user or DEFAULT).lower(), (dictionary or DEFAULT).lower()
        for what, name in (("username", user), ("dict", dictionary)):
            if not NAME.fullmatch(name):
                raise RequestError(
                    f"'{what}' may have letters, digits and . _ @ + - and at most 64 of them"
                )
        return cls(owner, user, dictionary)


class UserWords:
    """Dictionaries in a folder, or in memory where there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._in_memory: dict[Shelf, tuple[str, ...]] = {}
        self._known: OrderedDict[Path, tuple[tuple[int, ...], tuple[str, ...]]] = OrderedDict()

    def words(self, shelf: Shelf) -> tuple[str, ...]:
        """Return a dictionary's words, sorted."""
        if self._folder is None:
            return self._in_memory.get(shelf, ())
        return self._read(self._path(self._folder, shelf))

    def add(self, shelf: Shelf, words: Iterable[str]) -> bool:
        """Add words; return whether one of them is new.

        Raises:
            RequestError: A word has white space, or is none.
            TooLargeError: The dictionary is full.
        """
        new = {_check(word) for word in words}
        return self._change(shelf, lambda old: old | new)

    def delete(self, shelf: Shelf, words: Iterable[str]) -> bool:
        """Take words out; return whether one of them was there."""
        gone = {_check(word) for word in words}
        return self._change(shelf, lambda old: old - gone)

    def _change(self, shelf: Shelf, change: Callable[[set[str]], set[str]]) -> bool:
        with self._lock:
            if self._folder is None:
                old = set(self._in_memory.get(shelf, ()))
                new = change(old)
                if new != old:
                    _check_size(new)
                    if shelf not in self._in_memory and len(self._in_memory) >= _MAX_USERS:
                        raise TooLargeError("there is no room for further dictionaries")
                    self._in_memory[shelf] = tuple(sorted(new))
                return new != old
            path = self._path(self._folder, shelf)
            if not path.exists():
                if not change(set()):
                    return False
                _make_room(path)
            with _file_lock(path.parent):
                old = set(self._read(path))
                new = change(old)
                if new != old:
                    _check_size(new)
                    _write(path, sorted(new))
                return new != old

    def _read(self, path: Path) -> tuple[str, ...]:
        try:
            figures = path.stat()
        except FileNotFoundError:
            return ()
        # A file is replaced, never written to: another file has another number.
        version = (figures.st_ino, figures.st_mtime_ns, figures.st_size)
        known = self._known.get(path)
        if known and known[0] == version:
            return known[1]
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        words = tuple(line for line in lines if line)
        self._known[path] = version, words
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return words

    @staticmethod
    def _path(folder: Path, shelf: Shelf) -> Path:
        path = folder / shelf.owner / shelf.user / (shelf.dictionary + _SUFFIX)
        # The names were checked where they came in; a mistake there must not write elsewhere.
        assert path.parent.parent.parent == folder
        assert ".." not in path.parts
        return path


def _check(word: str) -> str:
    # What splits a line or a word, or is no text, can never stand in one.
    if not word or any(c.isspace() or unicodedata.category(c) in ("Cc", "Cs") for c in word):
        raise RequestError("a word may not be empty, and has no spaces")
    if len(word) > _MAX_WORD:
        raise TooLargeError(f"a word may have {_MAX_WORD} characters")
    return word


def _check_size(words: set[str]) -> None:
    if len(words) > _MAX_WORDS:
        raise TooLargeError(f"a dictionary may have {_MAX_WORDS:,} words")


def _make_room(path: Path) -> None:
    """Make the folders of a new dictionary, unless there are too many."""
    user = path.parent
    if not user.exists():
        user.parent.mkdir(parents=True, exist_ok=True)
        if sum(1 for _ in os.scandir(user.parent)) >= _MAX_USERS:
            raise TooLargeError("there is no room for further users")
        user.mkdir(exist_ok=True)
        _flush_folder(user.parent)
    if sum(each.name.endswith(_SUFFIX) for each in os.scandir(user)) >= _MAX_DICTIONARIES:
        raise TooLargeError("there is no room for further dictionaries")


@contextmanager
def _file_lock(folder: Path) -> Iterator[None]:
    """Keep other servers away while a file of a folder is read and replaced."""
    if fcntl is None:
        yield
        return
    with (folder / ".lock").open("a") as file:
        # Released when the file is closed, also by a kill.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, words: Iterable[str]) -> None:
    """Replace a file whole or not at all."""
    for left in path.parent.glob(f".{path.name}.*.partial"):
        # Of a server that was killed; we have the lock, so nobody is writing it.
        left.unlink(missing_ok=True)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(word + "\n" for word in words)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Have a folder's own entries reach the disk."""
    if fcntl is None:  # pragma: no cover - Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
