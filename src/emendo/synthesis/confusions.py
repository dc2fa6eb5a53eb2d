"""Errors from tables: words that are confused, left out or superfluous."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emendo.synthesis.changes import Change, insert, pick, replace

if TYPE_CHECKING:
    from random import Random

    from emendo.synthesis.sentence import Sentence
    from emendo.synthesis.tables import Confusion, ErrorTables

# If all rows that fit have at least this weight, an error is always made.
_LIKELY = 5.0


Fit = Callable[[str, str], str]
"""`ErrorRules.fit` of the language."""
Place = tuple[float, int, "Confusion"]
"""The weight of an error, its word, and its row."""


def find_places(sentence: Sentence, kind: str, tables: ErrorTables) -> list[Place]:
    """Return the places where the rows of one kind fit."""
    places: list[Place] = []
    confusions, insertions = tables.confusions.get(kind, {}), tables.insertions.get(kind, {})
    for i, token in enumerate(sentence.tokens):
        for row in confusions.get(token.lower, ()):
            if _fits(row, sentence, i):
                places.append((row.weight, i, row))
        if insertions:
            for row in insertions.get(token.tag, ()):
                if sentence.tag(i - 1) in row.before:
                    places.append((row.weight, i, row))
    return places


def _fits(row: Confusion, sentence: Sentence, index: int) -> bool:
    size = len(row.right)
    for offset in range(1, size):
        if sentence.lower(index + offset) != row.right[offset]:
            return False
    if row.before and sentence.tag(index - 1) not in row.before:
        return False
    return not row.after or sentence.tag(index + size) in row.after


def confuse(places: list[Place], sentence: Sentence, rng: Random, fit: Fit) -> Change | None:
    """Make the error of one of the rows that fit, or sometimes none if all are unlikely."""
    point = rng.random() * max(_LIKELY, sum(place[0] for place in places))
    for weight, index, row in places:
        point -= weight
        if point <= 0:
            return _apply(row, index, sentence, fit)
    return None


def _apply(row: Confusion, index: int, sentence: Sentence, fit: Fit) -> Change | None:
    size = len(row.right)
    if not size:
        following = sentence.tokens[index]
        if following.tag == "?" and (index == 0 or not following.is_name):
            return None
        if (
            row.kind == "extra article"
            and following.tag == "J"
            and not _is_in_phrase(sentence, index)
        ):
            return None
        return insert(sentence, index, fit(row.wrong, following.lower))
    if not row.wrong and len(sentence.tokens) < 4:
        return None
    wrong = row.wrong
    if row.kind == "wrong article":
        following_word = sentence.lower(index + size)
        fitting = fit(wrong, following_word)
        # Of two forms of one article, the one that does not fit is the error.
        wrong = fitting if fitting != fit(row.right[0], following_word) else wrong
    if sentence.tokens[index].text.isupper() and len(sentence.tokens[index].text) > 1:
        # US and IT are not pronouns.
        return None
    return replace(sentence, index, index + size, wrong)


def _is_in_phrase(sentence: Sentence, index: int) -> bool:
    """Whether an adjective stands before a noun."""
    return sentence.tag(index + 1) in "NSJ?"


def change_family(sentence: Sentence, tables: ErrorTables, rng: Random) -> Change | None:
    """Write a word with the same root: importance for important."""
    options = []
    for i, token in enumerate(sentence.tokens):
        others = tables.families.get(token.lower)
        if others and not token.is_name:
            options += [(1.0 / len(others), replace(sentence, i, i + 1, o)) for o in others]
    return pick(options, rng)
