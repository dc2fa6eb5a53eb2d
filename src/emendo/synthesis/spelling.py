"""Misspells words: known misspellings, and others made by the same slips."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from emendo.synthesis.changes import Change, replace

if TYPE_CHECKING:
    from random import Random

    from emendo.synthesis.sentence import Sentence
    from emendo.synthesis.tables import ErrorTables

# How often a word with known misspellings gets one of them.
_KNOWN = 0.6
_MAX_CACHED = 20_000


class Speller:
    """Misspells words of one language."""

    def __init__(self, tables: ErrorTables) -> None:
        self._known = tables.misspellings
        self._letters = tables.letters
        # A cache of the places in a word where letters can be wrong, because words recur.
        self._slips = lru_cache(_MAX_CACHED)(self._find_slips)

    def misspell(self, sentence: Sentence, rng: Random) -> Change | None:
        """Misspell one word; long words more often than short ones."""
        tokens = sentence.tokens
        weights = [_weight(token.text) if token.is_word else 0 for token in tokens]
        if not any(weights):
            return None
        index = rng.choices(range(len(tokens)), weights)[0]
        token = tokens[index]
        if token.text != token.lower and token.text[1:] != token.lower[1:]:
            return None
        wrong = self.misspell_word(token.lower, rng)
        return replace(sentence, index, index + 1, wrong) if wrong else None

    def misspell_word(self, word: str, rng: Random) -> str:
        """Return a misspelling of a word in lower case, or "" if none is known."""
        known = self._known.get(word)
        if known and rng.random() < _KNOWN:
            # The first are the most frequent.
            return known[min(int(rng.expovariate(0.7)), len(known) - 1)]
        slips, totals = self._slips(word)
        if not slips:
            return ""
        wrong = rng.choices(slips, cum_weights=totals)[0]
        return "" if wrong == word else wrong

    def _find_slips(self, word: str) -> tuple[list[str], list[float]]:
        framed = f"^{word}$"
        found: dict[str, float] = {}
        for size in (0, 1, 2):
            for i in range(1, len(framed) - size):
                key = (framed[i - 1], framed[i : i + size], framed[i + size])
                for wrong, rate in self._letters.get(key, ()):
                    # The first letter is hardly ever wrong.
                    weight = rate * (0.1 if i == 1 else 1.0)
                    new = framed[1:i] + wrong + framed[i + size : -1]
                    if new != word:
                        found[new] = found.get(new, 0.0) + weight
        totals: list[float] = []
        for weight in found.values():
            totals.append(weight + (totals[-1] if totals else 0.0))
        return list(found), totals


def _weight(word: str) -> int:
    """Return how likely a word is to be misspelt; names hardly ever are."""
    if len(word) < 3 or word.isupper() or not word.isalpha():
        return 0
    return 2 * min(len(word), 12) - 5 if word.islower() else 1
