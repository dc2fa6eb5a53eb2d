"""The word beside a place in a text, to show edits without a width or a visible text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emendo.text.segmentation import Span

# A word longer than this is taken in part.
_REACH = 100
_WORD_BEFORE = re.compile(r"\S+\Z")
_WORD_BEFORE_SPACE = re.compile(r"\S+\s*\Z")
_WORD_AFTER = re.compile(r"\S+")
_WORD_AFTER_SPACE = re.compile(r"\s*\S+")


def widen(text: str, start: int, end: int, *, left: int, right: int) -> Span | None:
    """Return a span together with the word before it, or the one after it.

    Args:
        text: The text.
        start: Where the span starts.
        end: Where it ends.
        left: Nothing before this position is included.
        right: Nothing after this position is included.

    Returns:
        The wider span, or None if there is no word on either side.
    """
    before = text[max(left, start - _REACH) : start]
    after = text[end : min(right, end + _REACH)]
    for pattern_before, pattern_after in (
        (_WORD_BEFORE, _WORD_AFTER),
        (_WORD_BEFORE_SPACE, _WORD_AFTER_SPACE),
    ):
        if match := pattern_before.search(before):
            return start - len(match.group()), end
        if match := pattern_after.match(after):
            return start, end + len(match.group())
    return None
