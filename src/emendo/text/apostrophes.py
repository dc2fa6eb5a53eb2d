"""The apostrophes of an edit are like those of its sentence: curly or straight."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emendo.text.edits import Edit, EditedText

_STRAIGHT, _CURLY = "'", "’"
# Elsewhere it may be a quotation mark.
_APOSTROPHE = re.compile(r"(?<=\w)'")


def like_those_of(sentence: str, edited: EditedText) -> EditedText:
    """Write ’ for ' in the edits of a sentence that has only curly quotes and apostrophes.

    Args:
        sentence: The text around the edits.
        edited: Its edits; those that would then change nothing are left out.
    """
    has_curly = any(mark in sentence for mark in "’‘“”")
    if not has_curly or _STRAIGHT in sentence or '"' in sentence:
        return edited
    edits = (_curly(edited.source, edit) for edit in edited.edits)
    return replace(edited, edits=tuple(edit for edit in edits if edit))


def _curly(source: str, edit: Edit) -> Edit | None:
    before = source[max(0, edit.start - 1) : edit.start]
    texts = (edit.replacement, *edit.alternatives)
    first, *others = dict.fromkeys(
        _APOSTROPHE.sub(_CURLY, before + text)[len(before) :] for text in texts
    )
    was = source[edit.start : edit.end]
    if first == was:
        return None
    alternatives = tuple(text for text in others if text != was)
    return replace(edit, replacement=first, alternatives=alternatives)
