"""A piece table: a text as kept stretches of its source with new strings between them.

Rounds of replacements are composed on it with respect to the first source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Replacement = tuple[int, int, str]


class PieceTable:
    """The current text, each part of it either `(start, end)` of the source or a new string."""

    def __init__(self, source: str) -> None:
        self._source_length = len(source)
        self._pieces: list[tuple[int, int] | str] = [(0, len(source))] if source else []
        self.length = len(source)
        """Code points in the current text."""

    def replace(self, replacements: Iterable[Replacement]) -> None:
        """Replace spans of the current text, given sorted and not overlapping."""
        pieces: list[tuple[int, int] | str] = []
        old = iter(self._pieces)
        piece = next(old, None)
        position = 0
        for start, end, replacement in (*replacements, (self.length, self.length, "")):
            while piece is not None and position < end:
                size = _size(piece)
                keep = max(0, min(start - position, size))
                drop = min(end - position, size)
                if keep:
                    pieces.append(_cut(piece, 0, keep))
                rest = _cut(piece, drop, size) if drop < size else None
                position += drop
                piece = rest if rest is not None else next(old, None)
            if replacement:
                pieces.append(replacement)
        self._pieces = pieces
        self.length = sum(map(_size, pieces))

    def replacements(self) -> list[Replacement]:
        """Return the replacements of the source that give the current text."""
        result: list[Replacement] = []
        done, new = 0, ""
        for piece in (*self._pieces, (self._source_length, self._source_length)):
            if isinstance(piece, str):
                new += piece
                continue
            start, end = piece
            if start > done or new:
                result.append((done, start, new))
            done, new = end, ""
        return result


def _size(piece: tuple[int, int] | str) -> int:
    return len(piece) if isinstance(piece, str) else piece[1] - piece[0]


def _cut(piece: tuple[int, int] | str, start: int, end: int) -> tuple[int, int] | str:
    if isinstance(piece, str):
        return piece[start:end]
    return piece[0] + start, piece[0] + end
