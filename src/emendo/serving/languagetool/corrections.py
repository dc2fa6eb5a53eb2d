"""Edits that can be applied one by one: each covers a word, and none overlaps another.

An insertion has no width, and a deletion has no text. Clients cannot underline the first or show
the second, so both are widened to the word beside them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from emendo.text import Edit, apply_edits
from emendo.text.word_beside import widen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from emendo.text.annotated_text import AnnotatedText


class Correction(NamedTuple):
    """A span of what was read, and the edits that are made in it."""

    start: int
    end: int
    edits: tuple[Edit, ...]

    def replacements(self, source: str) -> list[str]:
        """Return the possible replacements of the span, best first."""
        first = [self._with(source, self.edits)]
        if len(self.edits) == 1:
            (edit,) = self.edits
            first += (
                self._with(source, (replace(edit, replacement=other),))
                for other in edit.alternatives
            )
        return list(dict.fromkeys(first))

    def _with(self, source: str, edits: tuple[Edit, ...]) -> str:
        inside = (
            replace(edit, start=edit.start - self.start, end=edit.end - self.start)
            for edit in edits
        )
        return apply_edits(source[self.start : self.end], inside)


def corrections(annotated: AnnotatedText, edits: Iterable[Edit]) -> list[Correction]:
    """Return the edits that touch only text, widened if necessary, in order."""
    found: list[Correction] = []
    for edit in edits:
        span = _span(annotated, edit)
        if span is None:
            continue
        start, end = span
        made: tuple[Edit, ...] = (edit,)
        while found and found[-1].end > start:
            last = found.pop()
            start, end = min(start, last.start), max(end, last.end)
            made = (*last.edits, *made)
        found.append(Correction(start, end, made))
    return found


def _span(annotated: AnnotatedText, edit: Edit) -> tuple[int, int] | None:
    """Return the span of an edit, or None if it would touch markup."""
    start, end = edit.start, edit.end
    if start < end and annotated.right_limit(start) < end:
        return None
    if start < end and edit.replacement.strip():
        return start, end
    wide = widen(
        annotated.plain,
        start,
        end,
        left=annotated.left_limit(start),
        right=annotated.right_limit(end),
    )
    return wide or ((start, end) if start < end else None)
