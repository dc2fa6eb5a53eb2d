"""Errors in the order of words, and words written twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.synthesis.changes import Change, pick, replace
from emendo.text import Edit

if TYPE_CHECKING:
    from random import Random

    from emendo.synthesis.sentence import Sentence

_QUESTIONS = frozenset(["what", "where", "when", "why", "how", "who", "which"])
# Neighbours that learners swap, by their classes.
_SWAPS = {
    "JN": 0.2, "JS": 0.2, "rV": 1.5, "rD": 1.5, "rZ": 1.5, "RV": 1.0, "RD": 1.0, "RZ": 1.0,
    "mr": 1.5, "br": 1.5, "hr": 1.5, "rP": 1.5, "rJ": 1.0, "ya": 0.8, "yo": 0.8, "NN": 0.1,
    "oy": 1.0, "VR": 0.8, "DR": 0.8, "mn": 0.4, "uJ": 0.8,
}  # fmt: skip
_DOUBLED = frozenset("aetpdibmhkcw")


def change_order(sentence: Sentence, rng: Random) -> Change | None:
    """Swap two neighbours, move an adverb, or ask in the order of a statement."""
    options = []
    tokens = sentence.tokens
    for i in range(len(tokens) - 1):
        first, second = tokens[i], tokens[i + 1]
        if not (second.text.islower() and first.is_word and second.body - first.end == 1):
            continue
        if i == 0 and (first.is_name or first.text == "I"):
            continue
        if first.text != "I" and i and not first.text.islower():
            continue
        weight = _SWAPS.get(first.tag + second.tag, 0.0)
        if weight:
            options.append((weight, _swap(sentence, i, i + 1, i + 2)))
    for i in range(1, len(tokens) - 1):
        if tokens[i - 1].lower in _QUESTIONS and tokens[i].tag in "mbhx" and i <= 2:
            size = _subject_size(sentence, i + 1)
            if size and tokens[-1].text == "?":
                options.append((6.0, _swap(sentence, i, i + 1, i + 1 + size)))
    for i in range(1, len(tokens) - 3):
        # She speaks English well: she speaks well English.
        if tokens[i].tag in "VDZ" and tokens[i].text.islower():
            size = _subject_size(sentence, i + 1)
            j = i + 1 + size
            if size and j < len(tokens) and tokens[j].tag in "Rr" and tokens[j].text.islower():
                options.append((1.5, _swap(sentence, i + 1, j, j + 1)))
    return pick(options, rng)


def _subject_size(sentence: Sentence, index: int) -> int:
    """Return how many words a short noun phrase has, 0 where there is none."""
    size = 0
    if sentence.tag(index) in "io":
        return 1
    while sentence.tag(index + size) in "aedJ" and size < 3:
        size += 1
    return size + 1 if sentence.tag(index + size) in "NS?" else 0


def _swap(sentence: Sentence, first: int, middle: int, last: int) -> Change:
    """Write the words [middle, last) before the words [first, middle)."""
    tokens, text = sentence.tokens, sentence.text
    front = text[tokens[first].body : tokens[middle - 1].end]
    back = text[tokens[middle].body : tokens[last - 1].end]
    if first == 0 and front[0].isupper():
        front = front[0].lower() + front[1:]
    return replace(sentence, first, last, f"{back} {front}")


def double_word(sentence: Sentence, rng: Random) -> Change | None:
    """Write a small word twice."""
    options = []
    for i, token in enumerate(sentence.tokens):
        if token.is_word and i and token.text.islower():
            weight = 2.0 if token.tag in _DOUBLED else 0.2
            edit = Edit(token.start, token.start, f" {token.text}")
            options.append((weight, Change(i, i + 1, edit)))
    return pick(options, rng)
