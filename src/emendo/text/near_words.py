"""Candidates for an unknown word: a few letters away, with a capital, an apostrophe or a space."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from emendo.text.compounds import Compounds
from emendo.text.meant_so import is_meant_so
from emendo.text.words import is_ending, split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.text.known_words import KnownWords

# Shorter words have too many neighbours; longer ones are not words.
_SHORTEST, _LONGEST = 4, 24
# Letters below which only one of them may be wrong.
_TWO_WRONG = 6
_MOST = 32
# Unknown words of a sentence that are looked up, so that its time has a limit; few have as many.
_MOST_UNKNOWN = 12


class NearWord(NamedTuple):
    """A word, and how many letters differ; a capital does not count."""

    text: str
    distance: int


class UnknownWord(NamedTuple):
    """The position of an unknown word, and similar known words, nearest first."""

    start: int
    end: int
    near: tuple[NearWord, ...]


class NearWords:
    """Finds known words that are similar to unknown ones."""

    def __init__(
        self,
        known: KnownWords,
        *,
        nouns_have_capitals: bool = False,
        compound_links: Sequence[str] = (),
        letters: str = "",
        weights: Sequence[float] = (),
    ) -> None:
        """Take a list.

        Args:
            known: The list.
            nouns_have_capitals: Whether a word with a capital inside a sentence need not be a name.
            compound_links: What may stand between known words that are written together, also
                nothing. Such compounds are not looked up, and are no candidates.
            letters: The accented letters that the language has. With others, a word is a variant
                of a known word: naïve.
            weights: How the language rates candidates, if not as usual.
        """
        self.known = known
        self.weights = tuple(weights)
        self._nouns_have_capitals = nouns_have_capitals
        self._compounds = Compounds(known, compound_links)
        self._letters = letters
        self._near = lru_cache(maxsize=4096)(self._look_up)

    def unknown(self, text: str) -> Iterator[UnknownWord]:
        """Yield a sentence's unknown words that have similar known words.

        A word with a capital is skipped, since it may be a name, unless it comes first or nouns
        have capitals. Quoted words, words with letters left out (goin') and the endings of names
        (song.als) are skipped, too. Of many unknown words, only the first are looked up.
        """
        is_first = True
        left = _MOST_UNKNOWN
        for _, start, end in split_words(text):
            word = text[start:end]
            if not word[:1].isalpha():
                continue
            has_capital = word[0].isupper() and (is_first or self._nouns_have_capitals)
            is_first = False
            if word in self.known or is_ending(text, start, end):
                continue
            lower = word[0].lower() + word[1:] if has_capital else word
            if not (_SHORTEST <= len(word) <= _LONGEST and lower.isalpha() and lower.islower()):
                continue
            if lower in self._compounds or self._plain(lower) in self.known:
                continue
            if not left:
                return
            left -= 1
            near = self._near(lower)
            if near and has_capital:
                near = tuple(
                    NearWord(each.text[0].upper() + each.text[1:], each.distance) for each in near
                )
            if near and not is_meant_so(text, start, end, (each.text for each in near)):
                yield UnknownWord(start, end, near)

    def _plain(self, word: str) -> str:
        """Return a word without accents that the language does not have."""
        return "".join(
            letter
            if letter in self._letters or not (base := normalize("NFD", letter)[0]).isascii()
            else base
            for letter in word
        )

    def _look_up(self, word: str) -> tuple[NearWord, ...]:
        # Imported here, since most texts have no such word and the import takes a while.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = {word.capitalize(): 0} if word.capitalize() in self.known else {}
        most = 2 if len(word) >= _TWO_WRONG else 1
        for length in range(len(word) - most, len(word) + most + 1):
            same_length = self._by_length.get(length, ())
            near = process.extract(
                word, same_length, scorer=OSA.distance, score_cutoff=most, limit=None
            )
            found.update((text, int(distance)) for text, distance, _ in near)
        found.update((text, 1) for text in self._split(word))
        found.update((text, 1) for text in self._contractions.get(word, ()))
        ordered = sorted(found.items(), key=lambda item: (item[1], item[0]))
        return tuple(NearWord(*item) for item in ordered[:_MOST])

    def _split(self, word: str) -> Iterator[str]:
        """Yield two known words that are written as one, the first of several letters or "a"."""
        for place in range(1, len(word) - 1):
            first, second = word[:place], word[place:]
            if (place > 1 or first == "a") and first in self._common and second in self._common:
                yield f"{first} {second}"

    def distance(self, word: str, other: str) -> int:
        """Return how many letters differ between two words, ignoring capitals."""
        from rapidfuzz.distance import OSA

        return int(OSA.distance(word.lower(), other.lower()))

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(word for words in self._by_length.values() for word in words)

    @cached_property
    def _contractions(self) -> dict[str, list[str]]:
        """Words with an apostrophe, by their spelling without it (dont)."""
        words: dict[str, list[str]] = defaultdict(list)
        for word in self.known.contractions():
            words[word.replace("'", "").lower()].append(word)
        return words

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        """The list by length, so that a look-up only compares with a part of it."""
        words: dict[int, list[str]] = defaultdict(list)
        for word in self.known.common():
            words[len(word)].append(word)
        return words
