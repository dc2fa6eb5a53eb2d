"""One sentence for each edit that explains what is wrong, with the words of the edit.

Each language has its own sentences (`emendo.languages.wording`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from emendo.languages import DEFAULT_LANGUAGE, load_language
from emendo.languages.language import plain

if TYPE_CHECKING:
    from emendo.languages.wording import Wording
    from emendo.text import Edit

_LONGEST = 60
_REACH = 60
_WORD_BEFORE = re.compile(r"(\w[\w'’-]*)\W*\Z")
_WORD_AFTER = re.compile(r"\W*(\w[\w'’-]*)")


def explain(source: str, edit: Edit, *, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the sentence for an edit of a text.

    Args:
        source: The text.
        edit: Its edit.
        language: Of the text; without wording, the sentence is in the default language.
    """
    wording = _wording(language)
    old = source[edit.start : edit.end].strip()
    new = edit.replacement.strip()
    before = _WORD_BEFORE.search(source[max(0, edit.start - _REACH) : edit.start])
    after = _WORD_AFTER.match(source[edit.end : edit.end + _REACH])
    follows = wording.before.format(_quoted(after[1], wording)) if after else ""
    where = wording.after.format(_quoted(before[1], wording)) if before else follows
    # The explanation of an addition to a noun depends on the noun.
    ahead = follows or where
    is_longer = len(edit.replacement) > edit.end - edit.start
    if not old and (new or is_longer):
        return _missing(edit.type, new, where, ahead, wording)
    if not new:
        return _needless(edit.type, old, where, ahead, wording)
    return _wrong(edit.type, old, new, wording)


def explain_many(
    source: str, start: int, end: int, replacement: str, *, language: str = DEFAULT_LANGUAGE
) -> str:
    """Return the sentence for several edits in one span."""
    return _wrong("other", source[start:end].strip(), replacement.strip(), _wording(language))


def _wording(code: str) -> Wording:
    wording = load_language(code).wording or load_language(DEFAULT_LANGUAGE).wording
    assert wording is not None
    return wording


def _missing(kind: str, new: str, where: str, ahead: str, wording: Wording) -> str:
    if kind == "punctuation" and new in wording.missing_marks:
        return _sentence(wording.missing.format(wording.missing_marks[new]), where)
    if kind in wording.parts:
        what = wording.parts[kind].format(_quoted(new, wording))
        return _sentence(wording.missing.format(what), ahead)
    if not new:
        return _sentence(wording.missing_space, where)
    return _sentence(wording.missing.format(_quoted(new, wording)), where)


def _needless(kind: str, old: str, where: str, ahead: str, wording: Wording) -> str:
    if kind == "punctuation" and old in wording.needless_marks:
        return _sentence(wording.needless.format(wording.needless_marks[old]), where)
    if kind in wording.parts:
        what = wording.parts[kind].format(_quoted(old, wording))
        return _sentence(wording.needless.format(what), ahead)
    if not old:
        return _sentence(wording.needless_space, where)
    return _sentence(wording.needless.format(_quoted(old, wording)), where)


def _wrong(kind: str, old: str, new: str, wording: Wording) -> str:
    was, now = _quoted(old, wording), _quoted(new, wording)
    if kind != "confused word":
        return wording.wrong.get(kind, wording.other).format(was=was, now=now)
    was_means, now_means = (wording.meanings.get(plain(word)) for word in (old, new))
    if not (was_means and now_means):
        return wording.confused.format(was=was, now=now)
    return wording.confused_meanings.format(
        was=was, now=now, was_means=was_means, now_means=now_means
    )


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part) + "."


def _quoted(text: str, wording: Wording) -> str:
    shown = " ".join(text.split())
    return wording.quoted.format(shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…")
