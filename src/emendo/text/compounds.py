"""Compounds: words that are written together, which no list has all of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.text.known_words import KnownWords

# Letters of a part, since shorter words are found by chance; parts and letters of a compound.
_SHORTEST_PART, _MOST_PARTS, _LONGEST = 4, 3, 48


class Compounds:
    """The compounds of known words, in lower case."""

    def __init__(self, words: KnownWords, links: Sequence[str]) -> None:
        """Take words, and the links between two of them; the empty link counts as one."""
        self._words = words
        self._links = tuple(links)

    def __contains__(self, word: str) -> bool:
        """Whether it consists of two known words or more."""
        return len(word) <= _LONGEST and self._is_compound(word, _MOST_PARTS)

    def _is_compound(self, word: str, most: int) -> bool:
        for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if self._is_first(word[:place]):
                rest = word[place:]
                if rest in self._words or (most > 2 and self._is_compound(rest, most - 1)):
                    return True
        return False

    def _is_first(self, part: str) -> bool:
        """Whether it is a known word with a link after it."""
        return any(
            part.endswith(link)
            and len(part) - len(link) >= _SHORTEST_PART
            and part[: len(part) - len(link)] in self._words
            for link in self._links
        )
