"""One sentence for each edit that says what is wrong, and names the words at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from emendo.text.confusables import meanings

if TYPE_CHECKING:
    from emendo.text import Edit

_LONGEST = 60
_REACH = 60
_WORD_BEFORE = re.compile(r"(\w[\w'’-]*)\W*\Z")
_WORD_AFTER = re.compile(r"\W*(\w[\w'’-]*)")
_MARKS = {
    ",": "comma",
    ".": "full stop",
    ";": "semicolon",
    ":": "colon",
    "?": "question mark",
    "!": "exclamation mark",
    "'": "apostrophe",
    "’": "apostrophe",
    "-": "hyphen",
    "–": "dash",
    "—": "dash",
    '"': "quotation mark",
}
_PARTS = {"article": "article", "preposition": "preposition", "pronoun": "pronoun"}


def explain(source: str, edit: Edit) -> str:
    """Return the sentence for an edit of a text."""
    old = source[edit.start : edit.end].strip()
    new = edit.replacement.strip()
    before = _WORD_BEFORE.search(source[max(0, edit.start - _REACH) : edit.start])
    after = _WORD_AFTER.match(source[edit.end : edit.end + _REACH])
    where = (
        f"after {_quoted(before[1])}" if before else f"before {_quoted(after[1])}" if after else ""
    )
    # What is added to a noun is told from the noun.
    ahead = f"before {_quoted(after[1])}" if after else where
    if not new:
        return _needless(edit.type, old, where, ahead)
    if not old:
        return _missing(edit.type, new, where, ahead)
    return _wrong(edit.type, old, new)


def explain_many(source: str, start: int, end: int, replacement: str) -> str:
    """Return the sentence for several edits in one span."""
    return _wrong("other", source[start:end].strip(), replacement.strip())


def _missing(kind: str, new: str, where: str, ahead: str) -> str:
    if kind == "punctuation" and new in _MARKS:
        return _sentence(f"A {_MARKS[new]} seems to be missing", where)
    if kind in _PARTS:
        return _sentence(f"The {_PARTS[kind]} {_quoted(new)} seems to be missing", ahead)
    if not new:
        return _sentence("A space seems to be missing", where)
    return _sentence(f"{_quoted(new)} seems to be missing", where)


def _needless(kind: str, old: str, where: str, ahead: str) -> str:
    if kind == "punctuation" and old in _MARKS:
        return _sentence(f"The {_MARKS[old]} does not seem to be needed", where)
    if kind in _PARTS:
        return _sentence(f"The {_PARTS[kind]} {_quoted(old)} does not seem to be needed", ahead)
    if not old:
        return _sentence("There is a space too many", where)
    return _sentence(f"{_quoted(old)} does not seem to be needed", where)


def _wrong(kind: str, old: str, new: str) -> str:
    was, now = _quoted(old), _quoted(new)
    sentences = {
        "spelling": f"Possible spelling mistake: {was} is probably meant to be {now}.",
        "casing": f"The capitals of {was} seem to be wrong; write {now}.",
        "punctuation": f"The punctuation of {was} seems to be wrong; write {now}.",
        "spacing": f"{was} is usually written {now}.",
        "article": f"Use the article {now} here instead of {was}.",
        "preposition": f"Use the preposition {now} here instead of {was}.",
        "pronoun": f"Use {now} here instead of {was}.",
        "agreement": f"The verb {was} does not seem to agree with its subject; use {now}.",
        "tense": f"The verb form {was} does not seem to fit here; use {now}.",
        "number": f"Singular or plural: {was} should probably be {now}.",
        "word order": f"The words {was} would usually stand in the order {now}.",
        "confused word": _confused(old, new),
        "word choice": f"The word {now} seems to fit better here than {was}.",
    }
    return sentences.get(kind, f"Consider {now} instead of {was}.")


def _confused(old: str, new: str) -> str:
    was, now = _quoted(old), _quoted(new)
    known = meanings(old, new)
    if known is None:
        return f"{was} and {now} are easily confused; {now} seems to be meant here."
    return f"{was} {known[0]}; {now} {known[1]} and seems to be meant here."


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part) + "."


def _quoted(text: str) -> str:
    shown = " ".join(text.split())
    return f"“{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}”"
