"""Slips that need no tables: letters that are confused or mistyped, words that change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.synthesis.changes import Change, pick, replace
from emendo.synthesis.marks import change_case, change_hyphen, change_mark, change_space, drop_mark
from emendo.text import Edit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from emendo.synthesis.changes import Maker
    from emendo.synthesis.sentence import Sentence

# How often a misspelling is one of the language's own; the others are mistyped letters.
_OWN = 0.7
_SHORTEST = 4


class Slips:
    """Misspells words as writers of one language do."""

    def __init__(self, confused: Sequence[tuple[str, str]]) -> None:
        """Take the language's confusions.

        Args:
            confused: Right and wrong letters, in lower case: ("ß", "ss").
        """
        self._confused = confused

    def misspell(self, sentence: Sentence, rng: Random) -> Change | None:
        """Misspell one word, never its first letter."""
        tokens = [
            (i, token)
            for i, token in enumerate(sentence.tokens)
            if token.is_word and len(token.text) >= _SHORTEST and token.text[1:].islower()
        ]
        if not tokens:
            return None
        index, token = rng.choice(tokens)
        wrong = self.misspell_word(token.text, rng)
        return replace(sentence, index, index + 1, wrong) if wrong != token.text else None

    def misspell_word(self, word: str, rng: Random) -> str:
        """Return a misspelling of a word, or the word itself if none is found."""
        own = [
            word[:at] + wrong + word[at + len(right) :]
            for right, wrong in self._confused
            for at in _places(word, right)
        ]
        if own and rng.random() < _OWN:
            return rng.choice(own)
        at = rng.randrange(1, len(word) - 1)
        left_out = word[:at] + word[at + 1 :]
        doubled = word[:at] + word[at] + word[at:]
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return rng.choice((left_out, left_out, doubled, swapped))


def _places(word: str, letters: str) -> list[int]:
    return [at for at in range(1, len(word)) if word.startswith(letters, at)]


def swap_neighbours(sentence: Sentence, rng: Random) -> Change | None:
    """Write two neighbouring words in the other order."""
    options = []
    tokens = sentence.tokens
    for i in range(1, len(tokens) - 1):
        first, second = tokens[i], tokens[i + 1]
        if first.is_word and second.is_word and second.body - first.end == 1:
            edit = Edit(first.body, second.end, f"{second.text} {first.text}")
            options.append((1.0, Change(i, i + 2, edit)))
    return pick(options, rng)


def drop_comma(sentence: Sentence, rng: Random) -> Change | None:
    """Leave out a comma."""
    options = [
        (1.0, Change(i, i + 1, Edit(token.start, token.end, "")))
        for i, token in enumerate(sentence.tokens)
        if token.text == "," and i
    ]
    return pick(options, rng)


def add_comma(before: Collection[str]) -> Maker:
    """Return a maker that writes a comma before one of some words, where none belongs.

    Args:
        before: Words in lower case, such as "und".
    """

    def make(sentence: Sentence, rng: Random) -> Change | None:
        tokens = sentence.tokens
        options = [
            (1.0, Change(i, i + 1, Edit(tokens[i].start, tokens[i].start, ",")))
            for i in range(2, len(tokens))
            if tokens[i].lower in before and tokens[i - 1].is_word
        ]
        return pick(options, rng)

    return make


def double_word(words: Collection[str]) -> Maker:
    """Return a maker that writes one of some words twice."""

    def make(sentence: Sentence, rng: Random) -> Change | None:
        options = [
            (1.0, Change(i, i + 1, Edit(token.start, token.start, f" {token.text}")))
            for i, token in enumerate(sentence.tokens)
            if i and token.text in words
        ]
        return pick(options, rng)

    return make


def slip_makers(
    confused: Sequence[tuple[str, str]], *, doubled: Collection[str], after_comma: Collection[str]
) -> dict[str, Maker]:
    """Return what makes the errors of a language that has no rules of its own, by kind.

    Args:
        confused: As for `Slips`.
        doubled: Words that are written twice by mistake.
        after_comma: Words before which writers add a comma.
    """
    return {
        "misspelling": Slips(confused).misspell,
        "casing": change_case,
        "missing comma": drop_comma,
        "missing punctuation": drop_mark,
        "extra punctuation": add_comma(after_comma),
        "wrong punctuation": change_mark,
        "hyphen": change_hyphen,
        "spacing": change_space,
        "word order": swap_neighbours,
        "doubled word": double_word(doubled),
    }
