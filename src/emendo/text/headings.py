"""Headings, names and list items, which keep capitals; they and table cells need no full stop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from emendo.text.segmentation import PREFIX

if TYPE_CHECKING:
    from emendo.text.edits import Edit, EditedText

_MARKS = ".!?…:;,"
_STOPS = ".!?"
_LONGEST = 80
_MOST_WORDS = 10
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# Before a heading or an item: hashes, bullets, numbers.
_LEAD = re.compile(r"[ \t]*(?:#{1,6}|[-*+•–]|\d{1,3}[.)])?[ \t]*")
_BORDER = re.compile(r"[ \t]{0,80}\|")
# In lower case in a title: "The Old Man and the Sea".
_SMALL_WORDS = "a an and as at but by for from in into nor of on or over the to up via vs with"
_SMALL = frozenset(_SMALL_WORDS.split())


def is_heading(text: str, start: int, end: int) -> bool:
    """Whether a sentence is on its own line and needs no punctuation at its end."""
    line = text[start:end]
    words = _WORD.findall(line)
    if not words or len(line) > _LONGEST or len(words) > _MOST_WORDS:
        return False
    if line[-1] in _MARKS or "\n" in line or "\r" in line:
        return False
    before = re.split(r"[\r\n]", text[max(0, start - _LONGEST) : start])
    after = text[end : end + _LONGEST].lstrip(" \t")
    lead = before[-1].removeprefix("\ufeff")
    is_lead = _LEAD.fullmatch(lead) or PREFIX.fullmatch(lead)
    if not is_lead or after[:1] not in ("", "\r", "\n"):
        return False
    # A single line is as likely a chat sentence, unless its capitals show a title.
    return len(before) > 1 or bool(after.strip()) or _is_title(words)


def _is_title(words: list[str]) -> bool:
    large = [word for word in words if word not in _SMALL]
    return len(large) > 1 and all(word[0].isupper() for word in large)


def keep_heading(edited: EditedText, start: int, end: int) -> EditedText:
    """Leave out edits that add punctuation to a heading's end or change a title's capitals.

    Args:
        edited: A text and edits of the heading.
        start: Where in the text the heading starts.
        end: Where it ends.
    """
    source = edited.source
    is_title = _is_title(_WORD.findall(source[start:end]))

    def is_wanted(edit: Edit) -> bool:
        if edit.end == end and edit.replacement[-1:] in tuple(_MARKS):
            return False
        old = source[edit.start : edit.end]
        return not (is_title and old.lower() == edit.replacement.lower())

    return edited.only(filter(is_wanted, edited.edits))


def keep_cells(edited: EditedText) -> EditedText:
    """Leave out edits that end a table's cell like a sentence."""
    source = edited.source

    def ends_cell(edit: Edit) -> bool:
        is_ended = source[max(0, edit.end - 1) : edit.end] in tuple(_MARKS)
        adds = edit.replacement[-1:] in tuple(_STOPS) and not is_ended
        return adds and bool(_BORDER.match(source, edit.end))

    return edited.only(edit for edit in edited.edits if not ends_cell(edit))
