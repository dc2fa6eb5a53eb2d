"""A cache of the edits of recent sentences."""

from __future__ import annotations

import sys
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from emendo.bundle.levels import Level
    from emendo.text import Edit

# A longer sentence seldom occurs twice, and is not worth the memory.
_MAX_CHARACTERS = 10_000
# Bytes for each cached sentence; a usual one takes about half of this, with its edits.
_BYTES_EACH = 1500
# The minimum, even if few sentences are cached.
_LEAST_BYTES = 2**20
# The size of an entry without its text, and of an edit, whose replacement is usually short.
_ENTRY, _EDIT = 250, 250


class SentenceCache:
    """Edits by level and sentence; the least recently used entry is removed first.

    It is bounded by number and by bytes, so that long sentences take no more than their share.

    Any number of threads can use it. If two miss the same sentence, both do the work.
    """

    def __init__(self, size: int) -> None:
        if size < 0:
            raise ConfigError(f"cache_size is {size}; use 0 to turn the cache off")
        self._size = size
        self._bytes = 0
        self._most_bytes = max(_LEAST_BYTES, size * _BYTES_EACH)
        self._edits: OrderedDict[tuple[Level, str], tuple[Edit, ...]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._edits)

    def look_up(self, level: Level, sentences: Iterable[str]) -> dict[str, tuple[Edit, ...]]:
        """Return the edits of the sentences that are cached at a level."""
        found = {}
        with self._lock:
            for sentence in sentences:
                edits = self._edits.get((level, sentence))
                if edits is not None:
                    self._edits.move_to_end((level, sentence))
                    found[sentence] = edits
        return found

    def remember(self, level: Level, results: Mapping[str, tuple[Edit, ...]]) -> None:
        """Add sentences, and remove the oldest."""
        with self._lock:
            for sentence, edits in results.items():
                if len(sentence) <= _MAX_CHARACTERS:
                    old = self._edits.pop((level, sentence), None)
                    self._bytes -= 0 if old is None else _size(sentence, old)
                    self._edits[level, sentence] = edits
                    self._bytes += _size(sentence, edits)
            while len(self._edits) > self._size or self._bytes > self._most_bytes:
                (_, sentence), edits = self._edits.popitem(last=False)
                self._bytes -= _size(sentence, edits)


def _size(sentence: str, edits: tuple[Edit, ...]) -> int:
    return sys.getsizeof(sentence) + _ENTRY + _EDIT * len(edits)
