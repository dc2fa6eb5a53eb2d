"""Lines and columns as the protocol counts them, and positions of a text.

A line ends with CRLF, LF or CR and nothing else; a column counts code units of UTF-8, UTF-16 or
UTF-32, whichever client and server agreed on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from lsprotocol.types import Position, PositionEncodingKind, Range

if TYPE_CHECKING:
    from collections.abc import Callable

_LINE_END = re.compile(r"\r\n|\r|\n")


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_UNITS: dict[str, Callable[[str], int]] = {
    PositionEncodingKind.Utf8: _utf8,
    PositionEncodingKind.Utf16: _utf16,
    PositionEncodingKind.Utf32: len,
}


class Lines:
    """The lines of a text."""

    def __init__(self, text: str, encoding: str) -> None:
        self._text = text
        self._units = _UNITS[encoding]
        self._starts = [0]
        self._ends = []
        for match in _LINE_END.finditer(text):
            self._ends.append(match.start())
            self._starts.append(match.end())
        self._ends.append(len(text))

    def position(self, offset: int) -> Position:
        """Return the line and the column of a position."""
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        return Position(line, self._units(before))

    def range(self, start: int, end: int) -> Range:
        """Return a span as a range."""
        return Range(self.position(start), self.position(end))

    def offset(self, position: Position) -> int:
        """Return the position at a line and a column; a column behind the line is its end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[position.line], self._ends[position.line]
        line = self._text[start:end]
        if line.isascii():
            return min(start + position.character, end)
        # What points into a character points to where it starts.
        places = range(len(line) + 1)
        found = bisect_right(places, position.character, key=lambda n: self._units(line[:n]))
        return start + found - 1

    def span(self, place: Range) -> tuple[int, int]:
        """Return a range as a span."""
        return self.offset(place.start), self.offset(place.end)
