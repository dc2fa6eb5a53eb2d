"""Text with markup: its plain reading, and the positions of the reading in the document.

The network reads text and the interpretation of markup; positions refer to the document with its
markup. No edit may touch markup or its interpretation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from emendo.text.edits import Edit
    from emendo.text.segmentation import Span


class Part(NamedTuple):
    """Text, or markup and its interpretation."""

    read: str
    written: str
    is_text: bool


class AnnotatedText:
    """A document with markup, and its plain reading."""

    def __init__(self, parts: Iterable[Part]) -> None:
        parts = [part for part in parts if part.read or part.written]
        self.plain = "".join(part.read for part in parts)
        """The plain reading."""
        self.whole = "".join(part.written for part in parts)
        """The document, to which positions refer."""
        # Runs of text: start and end in the reading, and their offset in the document.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._shifts: list[int] = []
        self.stand_ins: list[Span] = []
        """Spans of the reading that represent markup."""
        read = written = 0
        for part in parts:
            if not part.is_text:
                if part.read:
                    self.stand_ins.append((read, read + len(part.read)))
            elif part.read:
                if self._ends and self._ends[-1] == read and self._shifts[-1] == written - read:
                    # Adjacent text is one run.
                    self._ends[-1] += len(part.read)
                else:
                    self._starts.append(read)
                    self._ends.append(read + len(part.read))
                    self._shifts.append(written - read)
            read += len(part.read)
            written += len(part.written)

    @classmethod
    def of(cls, text: str) -> AnnotatedText:
        """Return a text without markup."""
        return cls([Part(text, text, is_text=True)])

    @cached_property
    def has_markup(self) -> bool:
        """Whether the document has markup, so that the reading differs or represents it."""
        return bool(self.stand_ins) or self.plain != self.whole

    @cached_property
    def markup(self) -> list[Span]:
        """The spans of the document that are not text."""
        spans = []
        done = 0
        for start, end, shift in zip(self._starts, self._ends, self._shifts, strict=True):
            if start + shift > done:
                spans.append((done, start + shift))
            done = end + shift
        if done < len(self.whole):
            spans.append((done, len(self.whole)))
        return spans

    @cached_property
    def _places(self) -> list[int]:
        """Where the runs of text start in the document."""
        return [start + shift for start, shift in zip(self._starts, self._shifts, strict=True)]

    def place_edit(self, edit: Edit) -> Edit | None:
        """Return an edit of the reading as one of the document, or None if it touches markup.

        An insertion between text and markup goes to the text.
        """
        start, end = edit.start, edit.end
        if start < end:
            if self.right_limit(start) < end:
                return None
            run = bisect_right(self._starts, start) - 1
        elif self.left_limit(start) < start:
            run = bisect_left(self._starts, start) - 1
        elif self.right_limit(start) > start:
            run = bisect_right(self._starts, start) - 1
        else:
            return None
        shift = self._shifts[run]
        return replace(edit, start=start + shift, end=end + shift)

    def read_edit(self, edit: Edit) -> Edit:
        """Return an edit of the document as one of the reading, the inverse of `place_edit`."""
        if not self.has_markup:
            return edit
        side = bisect_right if edit.start < edit.end else bisect_left
        run = side(self._places, edit.start) - 1
        if run < 0 or self._ends[run] + self._shifts[run] < edit.end:
            run += 1
        shift = self._shifts[run]
        return replace(edit, start=edit.start - shift, end=edit.end - shift)

    def left_limit(self, position: int) -> int:
        """Return the start of the run with the character before a position."""
        k = bisect_left(self._starts, position) - 1
        return self._starts[k] if k >= 0 and self._ends[k] >= position else position

    def right_limit(self, position: int) -> int:
        """Return the end of the run with the character at a position."""
        k = bisect_right(self._starts, position) - 1
        return self._ends[k] if k >= 0 and self._ends[k] > position else position

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the position of a span of the reading in the document.

        A position in markup moves to the text before it, or after it at the start.
        """
        return self._place(start, bisect_right(self._starts, start) - 1), self._place(
            end, bisect_left(self._starts, end) - 1
        )

    def _place(self, position: int, run: int) -> int:
        if not self._starts:
            return 0
        run = max(run, 0)
        return min(max(position, self._starts[run]), self._ends[run]) + self._shifts[run]


class Annotator:
    """Builds an annotated text in order; everything that is not text is markup."""

    def __init__(self, document: str) -> None:
        self._document = document
        self._done = 0
        self._read: list[str] = []
        self._parts: list[Part] = []

    def read(self, meaning: str) -> None:
        """Append this to the interpretation of the markup up to the next text."""
        self._read.append(meaning)

    def text(self, start: int, end: int) -> None:
        """Add a span of text; what lies between it and the previous text is markup."""
        start, end = max(start, self._done), max(end, self._done)
        if start < end:
            self._add_markup(start)
            text = self._document[start:end]
            self._parts.append(Part(text, text, is_text=True))
            self._done = end

    def finish(self) -> AnnotatedText:
        """Return the annotated text; the rest is markup."""
        self._add_markup(len(self._document))
        return AnnotatedText(self._parts)

    def _add_markup(self, end: int) -> None:
        read = "".join(self._read)
        self._parts.append(Part(read, self._document[self._done : end], is_text=False))
        self._read = []
        self._done = end
