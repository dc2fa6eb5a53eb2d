"""Texts with their corrections marked inline, as in `I have {went=>gone} there`.

`{wrong=>right}` replaces, `{=>word}` inserts, `{word=>}` deletes. Spaces are normalised in the same
way on both sides, so they need no care: runs of white space become one space, and a comma or full
stop that a mark puts after a space joins the word before it.
"""

from __future__ import annotations

import re

from emendo.errors import FormatError
from emendo.text.edits import merge_edits
from emendo.text.pairs import EditPair

_MARK = re.compile(r"\{([^{}]*?)=>([^{}]*?)\}")
# A placeholder at the edges of a mark, which is removed.
_SEAM = "\x00"
# A mark with only punctuation, right before a word: "know {,=>}that".
_APART = re.compile(rf"({_SEAM}[,.;:!?]+{_SEAM})(?=\w)")
# Punctuation in or right after a mark, and the space before it; not that of ":)" and ".5".
_AGAINST = re.compile(rf"[\s{_SEAM}]*{_SEAM}[\s{_SEAM}]*([,.;:!?]+)(?=[\s{_SEAM}]|$)")


def parse_inline(line: str) -> EditPair:
    """Read one text with its marks.

    Raises:
        FormatError: A brace or an arrow is not part of a mark.
    """
    rest = _MARK.sub("", line)
    if stray := re.search(r"[{}]|=>", rest):
        raise FormatError(
            f"{stray.group()!r} is not part of a mark like {{wrong=>right}}: {line[:60]!r}"
        )
    return EditPair(_side(line, 1), _side(line, 2))


def format_inline(pair: EditPair) -> str:
    """Return a pair as one text with its changes marked; for people, not for files.

    Changes follow word boundaries. Braces and arrows of the text itself are not escaped, so the
    result cannot always be read again.
    """
    shown: list[str] = []
    done = 0
    for edit in merge_edits(pair.source, [(0, len(pair.source), pair.target)]).edits:
        wrong, right = pair.source[edit.start : edit.end], edit.replacement
        # Spaces around the words go around the mark, as the parser expects.
        sides = [side for side in (wrong, right) if side]
        before = " " if any(side[0].isspace() for side in sides) else ""
        after = " " if any(side[-1].isspace() for side in sides) else ""
        mark = f"{before}{{{wrong.strip()}=>{right.strip()}}}{after}"
        shown += (pair.source[done : edit.start], mark)
        done = edit.end
    return "".join((*shown, pair.source[done:]))


def _side(line: str, number: int) -> str:
    text = _MARK.sub(lambda mark: f"{_SEAM}{mark[number].strip()}{_SEAM}", line)
    text = _APART.sub(r"\1 ", text)
    text = _AGAINST.sub(r"\1", text)
    return " ".join(text.replace(_SEAM, "").split())
