"""Text with markup in it, as LanguageTool's `data` gives it: what is read, and where that stands.

The network reads text and what markup is to be interpreted as; positions are those of text and
markup. No edit may touch markup, or what merely stands for it.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Part(NamedTuple):
    """Text, or markup and what it is interpreted as."""

    read: str
    written: str
    is_text: bool


class AnnotatedText:
    """A text as it is read, and the same with its markup."""

    def __init__(self, parts: Iterable[Part]) -> None:
        parts = [part for part in parts if part.read or part.written]
        self.plain = "".join(part.read for part in parts)
        """What is read."""
        self.whole = "".join(part.written for part in parts)
        """What positions refer to."""
        # Runs of text: where they start and end in what is read, and how far ahead the document is.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._shifts: list[int] = []
        read = written = 0
        for part in parts:
            if part.is_text:
                if self._ends and self._ends[-1] == read and self._shifts[-1] == written - read:
                    # Text beside text is one run.
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

    @classmethod
    def parse(cls, data: str) -> AnnotatedText:
        """Read the JSON of LanguageTool's parameter `data`.

        Raises:
            RequestError: It is no JSON, or not of that form.
        """
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            raise RequestError("'data' is not valid JSON") from None
        if not isinstance(content, dict):
            raise RequestError("'data' must be a JSON object with 'text' or 'annotation'")
        text, annotation = content.get("text"), content.get("annotation")
        if (text is None) == (annotation is None):
            raise RequestError("'data' needs either 'text' or 'annotation'")
        if annotation is None:
            return cls.of(_string(text, "text"))
        if not isinstance(annotation, list):
            raise RequestError("'annotation' in 'data' must be a list")
        return cls(map(_part, annotation))

    def left_limit(self, position: int) -> int:
        """Return where the run of text starts that has the character before a position."""
        k = bisect_left(self._starts, position) - 1
        return self._starts[k] if k >= 0 and self._ends[k] >= position else position

    def right_limit(self, position: int) -> int:
        """Return where the run of text ends that has the character at a position."""
        k = bisect_right(self._starts, position) - 1
        return self._ends[k] if k >= 0 and self._ends[k] > position else position

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a span of what is read stands in the document.

        What is not text itself is drawn to the text before it, or after it at the start.
        """
        return self._place(start, bisect_right(self._starts, start) - 1), self._place(
            end, bisect_left(self._starts, end) - 1
        )

    def _place(self, position: int, run: int) -> int:
        if not self._starts:
            return 0
        run = max(run, 0)
        return min(max(position, self._starts[run]), self._ends[run]) + self._shifts[run]


def _part(node: Any) -> Part:  # noqa: ANN401 - whatever the JSON holds
    if not isinstance(node, dict):
        raise RequestError("a part of 'annotation' must be an object")
    text, markup, meaning = (node.get(name) for name in ("text", "markup", "interpretAs"))
    if (text is None) == (markup is None):
        raise RequestError("a part of 'annotation' needs either 'text' or 'markup'")
    if text is None:
        read = "" if meaning is None else _string(meaning, "interpretAs")
        return Part(read, _string(markup, "markup"), is_text=False)
    if meaning is not None:
        raise RequestError("'interpretAs' goes with 'markup', not with 'text'")
    return Part(_string(text, "text"), text, is_text=True)


def _string(value: Any, name: str) -> str:  # noqa: ANN401 - whatever the JSON holds
    if not isinstance(value, str):
        raise RequestError(f"'{name}' in 'data' must be a string")
    return value
