"""What was done to a sentence, remembered until too many others came after it."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from emendo.bundle.levels import Level
    from emendo.text import Edit

# A sentence longer than this is seldom seen twice, and is not worth its memory.
_MAX_CHARACTERS = 10_000


class SentenceCache:
    """Edits by level and sentence; the one that was not asked for the longest goes first.

    Any number of threads may use it. Two that miss the same sentence both do the work.
    """

    def __init__(self, size: int) -> None:
        if size < 0:
            raise ValueError(f"cache_size is {size}; use 0 to remember nothing")
        self._size = size
        self._edits: OrderedDict[tuple[Level, str], tuple[Edit, ...]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._edits)

    def look_up(self, level: Level, sentences: Iterable[str]) -> dict[str, tuple[Edit, ...]]:
        """Return the edits of those sentences that are known at a level."""
        found = {}
        with self._lock:
            for sentence in sentences:
                edits = self._edits.get((level, sentence))
                if edits is not None:
                    self._edits.move_to_end((level, sentence))
                    found[sentence] = edits
        return found

    def remember(self, level: Level, results: Mapping[str, tuple[Edit, ...]]) -> None:
        """Add sentences, and forget the oldest."""
        with self._lock:
            for sentence, edits in results.items():
                if len(sentence) <= _MAX_CHARACTERS:
                    self._edits[level, sentence] = edits
                    self._edits.move_to_end((level, sentence))
            while len(self._edits) > self._size:
                self._edits.popitem(last=False)
