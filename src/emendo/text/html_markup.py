"""HTML as it is read: the text of its elements, without tags, code and comments.

The scanner only moves forward, as HTML's own rules for unfinished markup allow, so the time grows
linearly with the length of the text.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import TYPE_CHECKING

from emendo.text.annotated_text import Annotator

if TYPE_CHECKING:
    from collections.abc import Callable

    from emendo.text.annotated_text import AnnotatedText

_BLOCK = "\n\n"
_INLINE_NAMES = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math meter
    nobr output q rp rt ruby s samp small span strike strong sub sup svg time tt u var wbr
"""
_INLINE = frozenset(_INLINE_NAMES.split())
# Code inside a sentence is read as it is written; other code is not read at all.
_CODE_WORDS = frozenset(("code", "kbd", "samp", "tt", "var"))
_CODE_NAMES = """
    script style pre textarea svg math iframe noembed noframes object template xmp listing plaintext
"""
_CODE = _CODE_WORDS.union(_CODE_NAMES.split())
# Elements without tags inside: only their own end tag ends them.
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII)
    for name in ("script", "style", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext")
}
_SIGN = re.compile("[<&]")
_NAME = re.compile(r"</?([A-Za-z][^\t\n\r\f />\x00<]*)")
# Inside a tag, up to its end or a value; and a value without quotes.
_ATTRIBUTES = re.compile(r"[^<>=]*(?P<value>=\s*)?")
_QUOTES = frozenset("'\"")
_BARE_VALUE = re.compile(r"[^\s<>]*")
_COMMENT = re.compile(r"<!--(?:-?>)?")
_COMMENT_END = re.compile(r"--!?>")
_DOCTYPE = re.compile("<!doctype", re.IGNORECASE | re.ASCII)
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_ENTITY = re.compile("&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+)|[A-Za-z][A-Za-z0-9]{1,31});?")
# The longest number of a character, in decimals, with its signs.
_LONGEST_NUMBER = len("&#1114111;")


def read_html(text: str, check: Callable[[], object] | None = None) -> AnnotatedText:
    """Return a document, or a part of one, with its markup marked.

    Args:
        text: The document.
        check: Called repeatedly; an exception that it raises ends the reading.
    """
    return _Reader(text).read(check or (lambda: None))


class _Reader:
    def __init__(self, text: str) -> None:
        self._annotator = Annotator(text)
        self._text = text
        self._open: list[str] = []
        """Open elements of code."""
        self._counts: Counter[str] = Counter()
        """How many there are of each."""
        self._unread = 0
        """How many of them hide their content."""
        self._is_unfinished = False
        """Whether the last tag was unfinished."""
        self._missing: set[str] = set()
        """Quotes that do not occur in the rest of the text."""

    def read(self, check: Callable[[], object]) -> AnnotatedText:
        """Read all of it."""
        text, position = self._text, 0
        while position < len(text):
            check()
            found = _SIGN.search(text, position)
            stop = found.start() if found else len(text)
            if position < stop:
                self._take(position, stop)
            if not found:
                break
            position = self._read_entity(stop) if text[stop] == "&" else self._read_markup(stop)
        return self._annotator.finish()

    def _take(self, start: int, end: int) -> None:
        """Add text that is outside code."""
        if self._open:
            self._stand_in(self._text[start:end])
        elif not self._is_unfinished:
            self._annotator.text(start, end)

    def _stand_in(self, meaning: str) -> None:
        if not self._unread:
            self._annotator.read(meaning)

    def _read_entity(self, start: int) -> int:
        """Read an entity as the character it stands for."""
        match = _ENTITY.match(self._text, start)
        if match is None:
            self._take(start, start + 1)
            return start + 1
        entity = match.group()
        if entity[1] == "#" and len(entity) > _LONGEST_NUMBER:
            entity = "\ufffd"
        self._stand_in(html.unescape(entity))
        return match.end()

    def _read_markup(self, start: int) -> int:
        """Read the markup that a `<` starts, and return its end."""
        text = self._text
        following = text[start + 1 : start + 2]
        name = _NAME.match(text, start)
        if name:
            return self._read_tag(name)
        if following not in ("/", "!", "?") or not following:
            self._stand_in("<")
            return start + 1
        comment = _COMMENT.match(text, start)
        if comment:
            if comment.group() != "<!--":
                return comment.end()
            end = _COMMENT_END.search(text, comment.end())
            return end.end() if end else self._leave_rest()
        if text.startswith(_CDATA, start):
            return self._behind(_CDATA_END, start)
        if _DOCTYPE.match(text, start):
            self._annotator.read(_BLOCK)
        return self._behind(">", start)

    def _behind(self, end: str, start: int) -> int:
        stop = self._text.find(end, start)
        return self._leave_rest() if stop < 0 else stop + len(end)

    def _leave_rest(self) -> int:
        """Treat the rest as unfinished markup."""
        self._stand_in("<")
        return len(self._text)

    def _read_tag(self, name: re.Match[str]) -> int:
        end, is_whole, is_empty = self._find_end(name.end())
        if not is_whole:
            self._is_unfinished = True
            self._stand_in("<")
            return end
        self._is_unfinished = False
        tag = name[1].lower()
        is_start = name.group()[1] != "/"
        if is_start:
            self._read_border(tag)
            self._enter(tag)
        if not is_start or is_empty:
            self._leave(tag)
            self._read_border(tag)
        elif tag in _RAW_ENDS:
            # It is not read at all, and without an end tag it includes the rest.
            stop = _RAW_ENDS[tag].search(self._text, end)
            return stop.start() if stop else len(self._text)
        return end

    def _find_end(self, position: int) -> tuple[int, bool, bool]:
        """Return where a tag ends, whether it has an end, and whether it is an empty element.

        A tag that a `<` interrupts has no end, nor does one with an unclosed quote. Characters
        are never read twice.
        """
        text = self._text
        value_end = position
        while position < len(text):
            match = _ATTRIBUTES.match(text, position)
            assert match is not None
            position = match.end()
            sign = text[position : position + 1]
            if match["value"] is None:
                if sign == ">":
                    is_empty = text[position - 1] == "/" and position > value_end
                    return position + 1, True, is_empty
                return position, False, False
            if sign in _QUOTES:
                stop = -1 if sign in self._missing else text.find(sign, position + 1)
                if stop < 0:
                    self._missing.add(sign)
                    return position + 1, False, False
                position = stop + 1
            else:
                bare = _BARE_VALUE.match(text, position)
                assert bare is not None
                position = bare.end()
            value_end = position
        return position, False, False

    def _enter(self, tag: str) -> None:
        if tag in _CODE:
            self._open.append(tag)
            self._counts[tag] += 1
            self._unread += tag not in _CODE_WORDS

    def _leave(self, tag: str) -> None:
        while self._counts[tag]:
            last = self._open.pop()
            self._counts[last] -= 1
            self._unread -= last not in _CODE_WORDS
            if last == tag:
                break

    def _read_border(self, tag: str) -> None:
        """Read a tag as the end of a block, or as nothing."""
        if tag not in _INLINE:
            self._annotator.read("\n" if tag == "br" else _BLOCK)
