"""A list of known words: a network may write only these.

A network writes pieces of words, so it can write "thier" or "comming". The list prevents that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from emendo.errors import FormatError
from emendo.text.words import split_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from emendo.text.edits import Edit, EditedText

_APOSTROPHES = str.maketrans("’ʼ", "''")
_HYPHENS = re.compile("[-‐‑]")
_POSSESSIVE = re.compile("'s?$")
_IN_CAPITALS = "'S"
_NO_POSSESSIVE = "I's"
# The end of a word, with an apostrophe or a closing quotation mark.
_CLOSED = re.compile(r"\w['’ʼ](?!\w)")
# Endings that cannot be a possessive (students'), and so may be half a contraction (I').
_CUT = re.compile(r"[^\W\d_sSxXzZß]['’ʼ](?!\w)")
_NUMBER = re.compile(r"(?:\d+(?:[.,:/]\d+)*)(?:st|nd|rd|th|s)?", re.IGNORECASE)


class KnownWords:
    """A list of words; names have their capitals, everything else is in lower case."""

    def __init__(self, words: Collection[str]) -> None:
        """Take a list."""
        self._words = frozenset(words)
        # In headlines and at the start of a sentence, any word can have a capital.
        self._capitals = frozenset(word.upper() for word in self._words if not word.islower())

    @classmethod
    def from_file(cls, path: Path) -> KnownWords:
        """Read a file with a word on each line; lines that start with # are comments.

        Raises:
            FormatError: It is not UTF-8.
        """
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path} is not UTF-8 ({error.reason}); copy or export the bundle again"
            ) from error
        return cls([line for line in lines if line and not line.startswith("#")])

    def __contains__(self, word: str) -> bool:
        """Whether it is a word, a form with 's or a compound of words."""
        word = word.translate(_APOSTROPHES)
        if word == _NO_POSSESSIVE:
            return False
        bare = _POSSESSIVE.sub("", word.removesuffix(_IN_CAPITALS) if word.isupper() else word)
        return self._has(word) or self._has(bare) or self._is_hyphenated(bare)

    def _is_hyphenated(self, word: str) -> bool:
        parts = _HYPHENS.split(word)
        return len(parts) > 1 and all(self._has(part) or part.isdigit() for part in parts)

    def _has(self, word: str) -> bool:
        return (
            word in self._words
            # "London" is a word and "london" is none; "table" and "Table" both are, "taBle" is not.
            or (word.lower() in self._words and _is_usual(word))
            or (word.isupper() and word in self._capitals)
            or _NUMBER.fullmatch(word) is not None
        )

    def common(self) -> Iterator[str]:
        """Yield the words without capitals and marks."""
        return (word for word in self._words if word.islower() and word.isalpha())

    def contractions(self) -> Iterator[str]:
        """Yield the words with an apostrophe inside: don't."""
        return (word for word in self._words if "'" in word and word.replace("'", "").isalpha())

    def only_words(self, edited: EditedText) -> EditedText:
        """Leave out edits and alternatives that introduce unknown words.

        Words of the text itself may be written elsewhere in it, known or not; those of letters
        alone also with other capitals.
        """
        if not edited.edits:
            return edited
        source = edited.source
        places = set(_words(source))
        own = {word for start, end in places for word in _forms(source[start:end])}
        # A word that is corrected here is not offered elsewhere.
        trusted = {
            word
            for start, end in places
            if not any(start <= edit.end and edit.start <= end for edit in edited.edits)
            for word in _forms(source[start:end])
        }

        def is_known(edit: Edit, own: set[str] = own) -> bool:
            text = source[: edit.start] + edit.replacement + source[edit.end :]
            first, last = edit.start, edit.start + len(edit.replacement)
            growth = last - edit.end

            def is_new(start: int, end: int) -> bool:
                # A word that it touches may be new: a deletion between two of them makes one.
                before = end <= first and (start, end) in places
                after = last <= start and (start - growth, end - growth) in places
                return start <= last and first <= end and not before and not after

            return not _cuts(source, edit) and all(
                not own.isdisjoint(_forms(text[start:end])) or text[start:end] in self
                for start, end in _words(text)
                if is_new(start, end)
            )

        def offering(edit: Edit) -> Edit:
            others = (
                each
                for each in edit.alternatives
                if is_known(replace(edit, replacement=each), trusted)
            )
            return replace(edit, alternatives=tuple(others))

        kept = [edit for edit in edited.edits if is_known(edit)]
        found = edited.only(kept)
        if not any(edit.alternatives for edit in kept):
            return found
        return replace(found, edits=tuple(map(offering, found.edits)))


def _cuts(source: str, edit: Edit) -> bool:
    """Whether an edit writes half a contraction: "im" to "I'"."""
    after = source[edit.end : edit.end + 1]
    was, now = source[edit.start : edit.end], edit.replacement
    has_half = any(each.end() <= len(now) for each in _CUT.finditer(now + after))
    # A quotation that was closed before still is.
    return has_half and len(_CLOSED.findall(now + after)) > len(_CLOSED.findall(was + after))


def _forms(word: str) -> set[str]:
    """Return a word, and a name in lower case: "kubernetes" may become "Kubernetes".

    A misspelling such as "i'l" is not a name: "I'l" would be no better.
    """
    return {word, word.lower()} if word.isalpha() else {word}


def _is_usual(word: str) -> bool:
    """Whether capitals are where sentences and headlines have them."""
    return word.islower() or word.isupper() or word[1:].islower() or len(word) == 1


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of words with letters."""
    for _, body, end in split_words(text):
        if any(map(str.isalpha, text[body:end])):
            yield body, end
