"""Errors in marks, capitals and spaces: commas, full stops, apostrophes, hyphens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.synthesis.changes import Change, pick, replace
from emendo.synthesis.sentence import POSSESSIVE
from emendo.text import Edit

if TYPE_CHECKING:
    from random import Random

    from emendo.synthesis.sentence import Sentence

_FINAL = frozenset(".!?")
_CLAUSES = frozenset(
    ["because", "that", "if", "when", "which", "who", "and", "but", "so", "while", "although", "or"]
)


def drop_mark(sentence: Sentence, rng: Random) -> Change | None:
    """Leave out a comma or the mark at the end."""
    tokens = sentence.tokens
    options = []
    for i, token in enumerate(tokens):
        change = Change(i, i + 1, Edit(token.start, token.end, ""))
        if token.text == "," and 0 < i < len(tokens) - 1:
            options.append((3.0, change))
        elif token.text in _FINAL and i == len(tokens) - 1 and i > 2:
            # Short sentences have no other mark to lose, and headings need none.
            options.append((0.3, change))
        elif token.text in ":;" and i:
            options.append((0.5, change))
        elif token.text in '"”“)(' and i and len(tokens) > 4:
            edit = Edit(token.body, token.end, "")
            options.append((0.15, Change(i, i + 1, edit)))
    return pick(options, rng)


def add_mark(sentence: Sentence, rng: Random) -> Change | None:
    """Write a comma where none belongs: before "that", between a subject and its verb."""
    options = []
    for i, token in enumerate(sentence.tokens):
        before = sentence.tag(i - 1)
        if i < 2 or before in (",", "#") or not token.is_word or token.start == token.body:
            continue
        if token.lower in _CLAUSES:
            weight = 3.0
        elif before in "NS" and token.tag in "mbhxVZDp":
            weight = 1.0
        elif before == "r" or i == 2:
            weight = 0.8
        elif token.tag in "rp":
            weight = 0.6
        else:
            weight = 0.03
        options.append((weight, Change(i, i + 1, Edit(token.start, token.start, ","))))
    return pick(options, rng)


def change_mark(sentence: Sentence, rng: Random) -> Change | None:
    """Write one mark for another."""
    tokens = sentence.tokens
    options = []
    for i, token in enumerate(tokens):
        is_last = i == len(tokens) - 1
        if not is_last and token.text in _MARKS:
            for wrong, weight in _MARKS[token.text]:
                edit = Edit(token.body, token.end, wrong)
                options.append((weight, Change(i, i + 1, edit)))
        elif is_last and token.text in _FINAL and i > 1:
            for wrong, weight in _LAST_MARKS[token.text]:
                edit = Edit(token.body, token.end, wrong)
                options.append((weight, Change(i, i + 1, edit)))
    return pick(options, rng)


_MARKS = {
    ",": ((";", 0.6), (".", 0.1), (":", 0.1)),
    ";": ((",", 6.0), (":", 1.0)),
    ":": ((",", 1.5), (";", 2.0), (".", 0.3)),
}
_LAST_MARKS = {
    ".": ((",", 0.3), ("..", 0.2), ("?", 0.05), ("!", 0.1)),
    "?": ((".", 4.0), ("??", 0.3)),
    "!": ((".", 1.0), ("!!", 0.4)),
}


def misplace_apostrophe(sentence: Sentence, rng: Random) -> Change | None:
    """Leave an apostrophe out of a possessive, misplace it, or put one into a plural."""
    options = []
    mark = "’" if "’" in sentence.text else "'"
    for i, token in enumerate(sentence.tokens):
        text = token.text
        if token.tag == POSSESSIVE:
            stem = token.lower.rstrip("'").removesuffix("'s")
            bare = text[: len(stem)]
            plural = bare if bare.endswith("s") else f"{bare}s"
            options.append((3.0, replace(sentence, i, i + 1, plural)))
            if not bare.endswith("s"):
                options.append((1.0, replace(sentence, i, i + 1, f"{bare}s{mark}")))
                options.append((1.0, replace(sentence, i, i + 1, bare)))
            elif text.endswith(("'", "’")):
                options.append((1.0, replace(sentence, i, i + 1, f"{bare[:-1]}{mark}s")))
        elif token.tag == "S" and text.islower() and text.endswith("s") and len(text) > 3:
            options.append((0.15, replace(sentence, i, i + 1, f"{token.lemma}{mark}s")))
    return pick(options, rng)


def change_hyphen(sentence: Sentence, rng: Random) -> Change | None:
    """Write a compound without its hyphen, or two words with one."""
    options = []
    for i, token in enumerate(sentence.tokens):
        if "-" in token.text and token.is_word:
            options.append((3.0, replace(sentence, i, i + 1, token.text.replace("-", " "))))
            if token.text.islower():
                options.append((0.7, replace(sentence, i, i + 1, token.text.replace("-", "", 1))))
        elif token.text.islower() and sentence.tag(i - 1) + token.tag in ("NN", "NS", "RJ", "RP"):
            before = sentence.tokens[i - 1]
            if before.text.islower() and token.body - before.end == 1:
                joined = f"{before.text}-{token.text}"
                options.append((0.15, replace(sentence, i - 1, i + 1, joined)))
    return pick(options, rng)


def change_case(sentence: Sentence, rng: Random) -> Change | None:
    """Write a small letter for a capital, or a capital for a small one."""
    options = []
    for i, token in enumerate(sentence.tokens):
        text = token.text
        if not token.is_word or (len(text) > 1 and text.isupper()):
            continue
        if text[0].isupper():
            weight = 1.5 if text == "I" else 2.0 if i == 0 else 1.0
            new = text[0].lower() + text[1:]
        elif token.tag in "NS" and len(text) > 3:
            weight, new = 0.12, text[0].upper() + text[1:]
        else:
            continue
        options.append((weight, Change(i, i + 1, Edit(token.body, token.end, new))))
    return pick(options, rng)


def change_space(sentence: Sentence, rng: Random) -> Change | None:
    """Leave out the space after a mark, or write one before it."""
    options = []
    for i, token in enumerate(sentence.tokens):
        if token.text not in ",.;:?!" or not i:
            continue
        if i + 1 < len(sentence.tokens):
            following = sentence.tokens[i + 1]
            if following.is_word and following.start < following.body:
                edit = Edit(following.start, following.body, "")
                options.append((1.0, Change(i, i + 2, edit)))
        if token.start == token.body:
            options.append((0.6, Change(i, i + 1, Edit(token.start, token.start, " "))))
    return pick(options, rng)
