"""Misspelt words that are meant to stand as they are: quoted ones, and those cut short (goin')."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPENING, _CLOSING = "\"'“‘«»„‚”’`", "\"'”’»«“‘`"
_APOSTROPHES = ("'", "’", "ʼ")


def is_meant_so(text: str, start: int, end: int, rights: Iterable[str]) -> bool:
    """Whether a word stands alone in quotation marks, or an apostrophe replaces its last letters.

    Args:
        text: The sentence.
        start: Where the word starts.
        end: Where it ends.
        rights: Its possible corrections.
    """
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before and after and before in _OPENING and after in _CLOSING:
        return True
    word = text[start:end].lower()
    return after in _APOSTROPHES and any(right.lower().startswith(word) for right in rights)
