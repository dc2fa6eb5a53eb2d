"""Which pairs are worth training on; those that are not are counted by reason."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from emendo.text import EditPair

EMPTY_SIDE = "source or target has no words"
LONG_TEXT = "source or target has too many characters"
UNLIKE = "source and target differ too much in length"
DUPLICATE = "pair is a duplicate"
IDENTICAL = "share of pairs that change nothing is used up"

_REMEMBERED = 20_000_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairFilter:
    """Refuses pairs by their text, before encoding.

    `PairEncoder` refuses pairs that a network cannot be trained on (too many tokens, too few
    slots). Pairs that change nothing are kept: they teach KEEP.
    """

    max_characters: int = 20_000
    """Of either text. Guards against broken files; increase it for encoders that read pages."""
    max_ratio: float | None = None
    """Characters of the longer text over those of the shorter. For mined and crawled pairs."""
    max_identical: float = 1.0
    """The largest share of pairs without a change among those kept, at any point of the stream. For
    corpora that are mostly correct; shuffle the file if such pairs are grouped in it."""
    unique: bool = False
    """Leave out exact duplicates. Takes about 75 bytes per pair for the first 20 million different
    pairs (1.5 GB); later pairs are compared only with those."""

    def __post_init__(self) -> None:
        if self.max_characters < 1:
            raise ConfigError(f"max_characters is {self.max_characters}; it must be at least 1")
        if self.max_ratio is not None and self.max_ratio < 1:
            raise ConfigError(f"max_ratio is {self.max_ratio}; it must be at least 1")
        if not 0 <= self.max_identical <= 1:
            raise ConfigError(f"max_identical is {self.max_identical}; it must be from 0 to 1")

    def apply(self, pairs: Iterable[EditPair], refused: Counter[str]) -> Iterator[EditPair]:
        """Yield the pairs that pass; add the others to `refused`, by reason."""
        seen: set[int] = set()
        kept = identical = 0
        for pair in pairs:
            reason = self._refusal(pair)
            # The network never reads outer white space.
            is_identical = pair.source.strip() == pair.target.strip()
            if reason is None and self.unique and not _is_new(pair, seen):
                reason = DUPLICATE
            if reason is None and is_identical and identical + 1 > self.max_identical * (kept + 1):
                reason = IDENTICAL
            if reason is not None:
                refused[reason] += 1
                continue
            kept += 1
            identical += is_identical
            yield pair

    def _refusal(self, pair: EditPair) -> str | None:
        """Return what is wrong with the pair by itself."""
        if not all(text.strip() for text in pair):
            return EMPTY_SIDE
        shorter, longer = sorted(map(len, pair))
        if longer > self.max_characters:
            return LONG_TEXT
        if self.max_ratio is not None and longer > self.max_ratio * shorter:
            return UNLIKE
        return None


def _is_new(pair: EditPair, seen: set[int]) -> bool:
    """Whether the pair is new; it is stored as long as there is room."""
    # The length keeps ("a", "bc") and ("ab", "c") apart. Surrogates have no UTF-8 of their own.
    data = f"{len(pair.source)} {pair.source}{pair.target}".encode("utf-8", "surrogatepass")
    key = int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
    if key in seen:
        return False
    if len(seen) < _REMEMBERED:
        seen.add(key)
        if len(seen) == _REMEMBERED:
            _log.warning(
                "after %d different pairs, duplicates of later pairs are not found", len(seen)
            )
    return True
