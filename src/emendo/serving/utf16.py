"""Positions in UTF-16 code units, as in Java, JavaScript and LanguageTool."""

from __future__ import annotations

import re
from bisect import bisect_left

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16Positions:
    """Turns positions of a text from code points into UTF-16 code units."""

    def __init__(self, text: str) -> None:
        # Most texts have no character that takes two.
        self._pairs = [] if text.isascii() else [m.start() for m in _ASTRAL.finditer(text)]

    def __call__(self, position: int) -> int:
        """Return a position in code units."""
        return position + bisect_left(self._pairs, position)
