"""HTML as it is read: the text of its elements, without tags, code and comments.

The standard library's parser says what is a tag, a comment, an entity or data, and where each
starts; only data outside of code is text.
"""

from __future__ import annotations

import html
from html.parser import HTMLParser
from itertools import accumulate
from typing import TYPE_CHECKING

from emendo.text.annotated_text import Annotator

if TYPE_CHECKING:
    from emendo.text.annotated_text import AnnotatedText

_BLOCK = "\n\n"
_INLINE_NAMES = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math meter
    nobr output q rp rt ruby s samp small span strike strong sub sup svg time tt u var wbr
"""
_INLINE = frozenset(_INLINE_NAMES.split())
# What stands in a sentence for something is read as it is written; the rest is not read at all.
_CODE_WORDS = frozenset(("code", "kbd", "samp", "tt", "var"))
_CODE_NAMES = """
    script style pre textarea svg math iframe noembed noframes object template xmp listing plaintext
"""
_CODE = _CODE_WORDS.union(_CODE_NAMES.split())


def read_html(text: str) -> AnnotatedText:
    """Return a document or a part of one, its markup marked as such."""
    reader = _Reader(text)
    reader.feed(text)
    reader.close()
    return reader.annotator.finish()


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.annotator = Annotator(text)
        self._text = text
        # The parser counts lines by "\n" alone.
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._code: list[str] = []
        self._is_unfinished = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read a tag as the end of a block, or as nothing."""
        self._is_unfinished = False
        self._read_tag(tag)
        if tag in _CODE:
            self._code.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._is_unfinished = False
        if tag in self._code:
            while self._code.pop() != tag:
                pass
        self._read_tag(tag)

    def handle_data(self, data: str) -> None:
        """Take what is text outside of code."""
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        if data[:1] == "<":
            # Either a mere sign, or something that is being written and has no end yet.
            following = self._text[start + 1 : start + 2]
            self._is_unfinished = following.isalpha() or following in ("/", "!", "?")
            if not self._code:
                self.annotator.read(data)
        elif self._code:
            if all(each in _CODE_WORDS for each in self._code):
                self.annotator.read(data)
        elif not self._is_unfinished and self._text.startswith(data, start):
            self.annotator.text(start, start + len(data))

    def handle_entityref(self, name: str) -> None:
        """Read an entity as the character it stands for."""
        self._read_character(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Read a number as the character it stands for."""
        self._read_character(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Read a declaration as the end of a block."""
        self.annotator.read(_BLOCK)

    def _read_character(self, entity: str) -> None:
        if not self._code or all(each in _CODE_WORDS for each in self._code):
            self.annotator.read(html.unescape(entity))

    def _read_tag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.annotator.read("\n" if tag == "br" else _BLOCK)
