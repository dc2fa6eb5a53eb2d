"""Misspelt words that are meant so: quoted, or with letters left out (goin', 'fraid)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPENING, _CLOSING = "\"'“‘«»„‚”’`", "\"'”’»«“‘`"
_APOSTROPHES = ("'", "’", "ʼ")


def is_meant_so(text: str, start: int, end: int, rights: Iterable[str]) -> bool:
    """Whether a word stands alone in quotes, or an apostrophe replaces letters at its edge.

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
    whole = [right.lower() for right in rights if right.lower() != word]
    return (after in _APOSTROPHES and any(right.startswith(word) for right in whole)) or (
        before in _APOSTROPHES and any(right.endswith(word) for right in whole)
    )
