"""One error in a sentence: the words it replaces, and their replacement."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from emendo.synthesis.sentence import Sentence
from emendo.text import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

Maker = Callable[[Sentence, Random], "Change | None"]
"""Makes an error of one kind in a sentence; None if there is no place for it."""


class Change(NamedTuple):
    """An error, as an edit of the clean text."""

    first: int
    """The first word of the error, which no other error may touch."""
    last: int
    """One past the last such word."""
    edit: Edit


def replace(sentence: Sentence, first: int, last: int, words: str) -> Change:
    """Write `words` for the words [first, last), with the capital of the first of them.

    Without words, the old words and the white space before them are deleted; a new first word of
    the sentence then gets the capital.
    """
    tokens = sentence.tokens
    if words:
        old = tokens[first].text
        new = words
        # I is always a capital.
        if old[0].isupper() and (old != "I" or first == 0):
            new = new[0].upper() + new[1:]
        elif old == "I" and new.startswith("i "):
            new = f"I{new[1:]}"
        if "’" in sentence.text:
            new = new.replace("'", "’")
        return Change(first, last, Edit(tokens[first].body, tokens[last - 1].end, new))
    if first > 0 or last >= len(tokens):
        return Change(first, last, Edit(tokens[first].start, tokens[last - 1].end, ""))
    following = tokens[last]
    start = tokens[first].body
    new = following.text
    if tokens[first].text[0].isupper():
        new = new[0].upper() + new[1:]
    return Change(first, last + 1, Edit(start, following.end, new))


def insert(sentence: Sentence, index: int, words: str) -> Change:
    """Write `words` before the word at `index`."""
    token = sentence.tokens[index]
    if index > 0:
        return Change(index, index + 1, Edit(token.start, token.start, f" {words}"))
    text = token.text
    if text[0].isupper() and not token.is_name and text != "I":
        text = text[0].lower() + text[1:]
    new = f"{words[0].upper()}{words[1:]} {text}"
    return Change(0, 1, Edit(token.body, token.end, new))


def pick(options: Sequence[tuple[float, Change]], rng: Random) -> Change | None:
    """Draw one of the options by their weights, or none if they add up to less than one.

    So an unlikely error does not become frequent just because there is no place for a likelier one.
    """
    total = sum(weight for weight, _ in options)
    point = rng.random() * max(1.0, total)
    if point >= total:
        return None
    for weight, change in options:
        point -= weight
        if point <= 0:
            return change
    return options[-1][1]
