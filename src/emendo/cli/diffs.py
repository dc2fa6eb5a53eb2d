"""Edits as `diff` and `git diff --word-diff` print them."""

from __future__ import annotations

from difflib import unified_diff as _compare
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from emendo.text import EditedText

# As git colours them.
_COLOURS = {"-": "red", "+": "green", "@": "cyan"}
_NO_LINE_END = "\\ No newline at end of file\n"


def unified_diff(edited: EditedText, name: str, *, is_coloured: bool) -> str:
    """Return a diff that `patch` can apply; empty if there are no edits.

    Args:
        edited: A text and its edits.
        name: The file's name.
        is_coloured: Whether lines are coloured, for a terminal.
    """
    lines = []
    compared = _compare(
        _lines(edited.source), _lines(edited.text), name, name, tofiledate="corrected"
    )
    for number, line in enumerate(compared):
        lines.append(_coloured(line, is_coloured=is_coloured, is_head=number < 2))
        if not line.endswith("\n"):
            lines.append("\n" + _NO_LINE_END)
    return "".join(lines)


def word_diff_of(edited: EditedText, *, is_coloured: bool) -> str:
    """Return the text with its edits in it: `[-was-]{+is+}`."""
    parts, done = [], 0
    for edit in edited.edits:
        old = edited.source[edit.start : edit.end]
        parts.append(edited.source[done : edit.start])
        if old:
            parts.append(_styled(f"[-{old}-]", "red", is_coloured=is_coloured))
        if edit.replacement:
            parts.append(_styled(f"{{+{edit.replacement}+}}", "green", is_coloured=is_coloured))
        done = edit.end
    parts.append(edited.source[done:])
    text = "".join(parts)
    return text if text.endswith("\n") else f"{text}\n"


def _lines(text: str) -> list[str]:
    """Return the lines with their ends, split as `patch` does, unlike `splitlines`."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _coloured(line: str, *, is_coloured: bool, is_head: bool) -> str:
    if not is_coloured:
        return line
    text = line.removesuffix("\n")
    end = line[len(text) :]
    if is_head:
        return typer.style(text, bold=True) + end
    return typer.style(text, fg=_COLOURS.get(line[:1])) + end


def _styled(text: str, colour: str, *, is_coloured: bool) -> str:
    return typer.style(text, fg=colour) if is_coloured else text
