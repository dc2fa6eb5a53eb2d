"""Applies the first suggestions of a checker: all of them, from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterable


def take_suggestions(text: str, suggestions: Iterable[Edit]) -> str:
    """Apply suggestions in order of position, leaving out what overlaps one already taken."""
    taken: list[Edit] = []
    for edit in sorted(suggestions, key=lambda edit: (edit.start, edit.end)):
        if not taken or edit.start >= taken[-1].end:
            taken.append(edit)
    return apply_edits(text, taken)
