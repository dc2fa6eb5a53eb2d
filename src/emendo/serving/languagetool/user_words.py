"""The words of users on disk: a folder for each key and user, a file for each dictionary.

Several servers can share a folder; `text/word_files.py` explains how files stay intact.
"""

from __future__ import annotations

import errno
import os
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import RequestError, StorageError, TooLargeError
from emendo.serving.access import NAME
from emendo.text.word_files import WordFiles, bytes_of, check_size, check_word, flush_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

DEFAULT = "default"
_MAX_USERS = 10_000
_MAX_DICTIONARIES = 100
# Bytes of all words together, without a folder.
_MAX_IN_MEMORY = 16 * 2**20
_SUFFIX = ".txt"
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Shelf(NamedTuple):
    """The location of a dictionary."""

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
                    f"'{what}' may have at most 64 characters: letters, digits and . _ @ + -"
                )
        return cls(owner, user, dictionary)


class UserWords:
    """Dictionaries in a folder, or in memory if there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._in_memory: dict[Shelf, tuple[str, ...]] = {}
        self._bytes = 0
        self._files = WordFiles()

    def words(self, shelf: Shelf) -> tuple[str, ...]:
        """Return a dictionary's words, sorted."""
        if self._folder is None:
            return self._in_memory.get(shelf, ())
        return self._files.words(self._path(self._folder, shelf))

    def add(self, shelf: Shelf, words: Iterable[str]) -> bool:
        """Add words; return whether one of them is new.

        Raises:
            RequestError: A word is empty or has white space.
            TooLargeError: The dictionary is full.
            StorageError: The disk is full.
        """
        new = {check_word(word) for word in words}
        return self._change(shelf, lambda old: old | new)

    def delete(self, shelf: Shelf, words: Iterable[str]) -> bool:
        """Remove words; return whether one of them was present."""
        gone = {check_word(word) for word in words}
        return self._change(shelf, lambda old: old - gone)

    def _change(self, shelf: Shelf, change: Callable[[set[str]], set[str]]) -> bool:
        with self._lock:
            if self._folder is None:
                old = set(self._in_memory.get(shelf, ()))
                new = change(old)
                if new != old:
                    check_size(new)
                    if shelf not in self._in_memory and len(self._in_memory) >= _MAX_USERS:
                        raise TooLargeError("the limit of dictionaries is reached")
                    more = bytes_of(new) - bytes_of(old)
                    if more > 0 and self._bytes + more > _MAX_IN_MEMORY:
                        raise TooLargeError(
                            "the memory for dictionaries is full; start the server with a folder "
                            "for them (--dictionaries)"
                        )
                    self._bytes += more
                    self._in_memory[shelf] = tuple(sorted(new))
                return new != old
            path = self._path(self._folder, shelf)
            try:
                if not path.exists():
                    if not change(set()):
                        return False
                    _make_room(path)
                return self._files.change(path, change)
            except OSError as error:
                if error.errno in _FULL:
                    raise StorageError(
                        "the disk of the dictionaries is full; nothing was changed"
                    ) from error
                raise

    @staticmethod
    def _path(folder: Path, shelf: Shelf) -> Path:
        path = folder / shelf.owner / shelf.user / (shelf.dictionary + _SUFFIX)
        # The names were checked before; a mistake there must not write to another place.
        assert path.parent.parent.parent == folder
        assert ".." not in path.relative_to(folder).parts
        return path


def _make_room(path: Path) -> None:
    """Make the folders of a new dictionary, unless there are too many."""
    user = path.parent
    if not user.exists():
        user.parent.mkdir(parents=True, exist_ok=True)
        if sum(1 for _ in os.scandir(user.parent)) >= _MAX_USERS:
            raise TooLargeError("the limit of users is reached")
        user.mkdir(exist_ok=True)
        flush_folder(user.parent)
    if sum(each.name.endswith(_SUFFIX) for each in os.scandir(user)) >= _MAX_DICTIONARIES:
        raise TooLargeError("the limit of dictionaries is reached")
