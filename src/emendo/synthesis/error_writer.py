"""Writes errors into sentences: draws their number and kinds from the tables."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import RequestError
from emendo.languages import DEFAULT_LANGUAGE, ErrorRules, load_language
from emendo.synthesis.confusions import confuse, find_places
from emendo.synthesis.sentence import Sentence, read_sentence
from emendo.synthesis.tables import load_tables
from emendo.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from emendo.synthesis.changes import Change

# Writers differ: the rate of a sentence is drawn from a gamma distribution of this shape, the
# number of its errors from a Poisson distribution of that rate.
_SHAPE = 2.0
# An error that finds no place is drawn again up to this many times.
_TRIES = 12
_MIN_WORDS_FOR_TWO = 5
_FEWEST_WORDS = 3
_NO_RULES = ErrorRules(lambda _: {})


class WrongSentence(NamedTuple):
    """A clean sentence with errors written into it."""

    target: str
    """The clean sentence."""
    errors: tuple[tuple[Edit, str], ...]
    """What turns the target into the source, in order, with the kind of each error."""

    @property
    def source(self) -> str:
        """The sentence with the errors."""
        return apply_edits(self.target, [edit for edit, _ in self.errors])


class ErrorWriter:
    """Writes errors of one language into clean sentences."""

    def __init__(
        self,
        language: str = DEFAULT_LANGUAGE,
        *,
        errors_per_100_words: float = 10.0,
        kinds: tuple[str, ...] = (),
        more: Path | None = None,
    ) -> None:
        """Read the tables.

        Args:
            language: A two-letter code; docs/how-to/synthesize.md describes the tables.
            errors_per_100_words: In sentences that get errors; each of these gets at least one.
            kinds: Only these, in their usual proportions; by default all. A kind that is named
                twice is drawn twice as often.
            more: Another table of confusions.

        Raises:
            RequestError: There are no tables for that language, or no errors of a kind.
        """
        self._tables = load_tables(language, more)
        known = load_language(language)
        self._words = known.word_tables
        rules = known.load_error_rules() if known.load_error_rules else _NO_RULES
        self._makers = rules.makers(self._tables)
        self._fit = rules.fit
        self._rate = errors_per_100_words / 100
        draws = self._tables.draws
        if unknown := [kind for kind in kinds if kind not in draws]:
            raise RequestError(
                f"there are no errors of the kind {unknown[0]!r}; kinds: {', '.join(draws)}"
            )
        self._kinds = list(kinds or draws)
        self._weights = list(accumulate(draws[kind] for kind in self._kinds))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of errors."""
        return tuple(self._kinds)

    def write(self, text: str, rng: Random) -> WrongSentence:
        """Write errors into a clean sentence; without a place for any it stays clean."""
        sentence = read_sentence(text, self._words)
        count = self._draw_count(sentence, rng)
        found: list[tuple[Change, str]] = []
        for _ in range(count):
            for _ in range(_TRIES):
                kind = rng.choices(self._kinds, cum_weights=self._weights)[0]
                change = self._make(kind, sentence, rng)
                if change is not None and _is_free(change, found) and _is_change(change, text):
                    found.append((change, kind))
                    break
        found.sort(key=lambda item: item[0].first)
        wrong = WrongSentence(text, tuple((change.edit, kind) for change, kind in found))
        # Two errors can undo each other: "the the" of "the".
        return wrong if wrong.source != text else WrongSentence(text, ())

    def write_kind(self, text: str, kind: str, rng: Random) -> WrongSentence:
        """Write one error of one kind; a sentence without a place for it stays clean."""
        sentence = read_sentence(text, self._words)
        for _ in range(_TRIES):
            change = self._make(kind, sentence, rng)
            if change is not None and _is_change(change, text):
                return WrongSentence(text, ((change.edit, kind),))
        return WrongSentence(text, ())

    def _make(self, kind: str, sentence: Sentence, rng: Random) -> Change | None:
        maker = self._makers.get(kind)
        if maker is None or rng.random() < 0.5:
            places = find_places(sentence, kind, self._tables)
            if places:
                return confuse(places, sentence, rng, self._fit)
        return maker(sentence, rng) if maker else None

    def _draw_count(self, sentence: Sentence, rng: Random) -> int:
        words = sum(token.is_word for token in sentence.tokens)
        if words < _FEWEST_WORDS:
            return 0
        count = _poisson(rng.gammavariate(_SHAPE, self._rate / _SHAPE) * words, rng)
        return max(1, min(count, words // 3 if words >= _MIN_WORDS_FOR_TWO else 1))


def _poisson(mean: float, rng: Random) -> int:
    """Draw from a Poisson distribution; its means are small here."""
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


def _is_free(change: Change, found: list[tuple[Change, str]]) -> bool:
    return all(change.last <= other.first or other.last <= change.first for other, _ in found)


def _is_change(change: Change, text: str) -> bool:
    edit = change.edit
    return text[edit.start : edit.end] != edit.replacement
