"""Finds everything in a Markdown document that is not prose: code, link targets, marks.

It scans lines for blocks and characters for their content, and follows CommonMark where the two
must agree (the tests compare it with a full parser). For oddly nested containers it treats too
much as code rather than too little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.text.segmentation import Span

_LINE = re.compile(r"([^\r\n]*)(\r\n?|\n|\Z)")
_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n")
_FENCE = re.compile(r"(`{3,})[^`\r\n]*\Z|(~{3,}).*\Z")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
_RULE = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_DEFINITION = re.compile(r"\[[^\[\]]+\]:")
_BACKTICKS = re.compile("`+")
_INLINE = re.compile(
    # Targets of links and images, their titles too; one pair of parentheses may stand inside. Two
    # parts side by side never both take spaces, or every way to share them would be tried.
    r"\](?:\([ \t]*"
    r"(?:(?:<[^<>\r\n]*>|(?:[^\s()<]|\([^\s()]*\))[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[ \t]*)?"
    r"(?:(?<=[ \t])(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\))[ \t]*)?\)"
    r"|\[[^\[\]\r\n]*\])?"  # or the label of a reference
    r"|\[(?:\^[^\[\]\s]+\])?"  # a footnote
    r"|!\["
    r"|\*+|~~+|_(?<![^\W_]_)_*|_+(?![^\W_])"  # emphasis
)
_RAW_TAGS = re.compile(r"<(script|style|pre|code|kbd|textarea)(?=[\s>])", re.IGNORECASE)
# With attributes, perhaps over several lines; not a "<" in prose.
_LONG_TAG = re.compile(r"<[A-Za-z][A-Za-z0-9-]*\s[^<>]*>")
_EMPTY_LINE = re.compile(r"\n[ \t]*\r?\n")
_TAB = 4
_CODE_INDENT = 4
# List items that can open on one line; deeper ones are text.
_MAX_NESTING = 32


@dataclass
class _Fence:
    """A fence that is open."""

    mark: str
    count: int
    depth: int
    base: int


@dataclass
class _Scanner:
    """Reads a document line by line."""

    code: list[Span] = field(default_factory=list)
    """Lines of code, with their line ends."""
    prose: list[Span] = field(default_factory=list)
    """Blocks that hold text: paragraphs, headings."""
    fence: _Fence | None = None
    items: list[int] = field(default_factory=list)
    """Columns where the text of the open list items starts."""
    depth: int = 0
    in_paragraph: bool = False
    is_empty_item: bool = False

    def read(self, line: str, start: int, end: int) -> None:
        """Read one line, which lies at [start, end) with its line end."""
        if self.fence is None and self.depth == 0 and line[:1].isalpha():
            # Most lines: a paragraph starts or continues.
            self.is_empty_item = False
            if self.in_paragraph:
                self.prose[-1] = (self.prose[-1][0], end)
            else:
                self.items.clear()
                self.prose.append((start, end))
                self.in_paragraph = True
            return
        position, depth = _quote_marks(line, deep=bool(self.items))
        column, position = _indent(line, position, 0)
        blank = position == len(line)
        if self.fence is not None:
            left = depth < self.fence.depth or (not blank and column < self.fence.base)
            if not left:
                self.code.append((start, end))
                if depth == self.fence.depth:
                    self._close_fence(line, position, column)
                return
            self.fence = None
        if blank:
            self.in_paragraph = False
            if depth != self.depth:
                self.items.clear()
            elif self.is_empty_item and self.items:
                # An item that starts with a blank line ends with the next.
                self.items.pop()
            self.is_empty_item = False
            self.depth = depth
            return
        if depth > self.depth or (depth < self.depth and not self.in_paragraph):
            self.items.clear()
            self.in_paragraph = False
        elif depth < self.depth and self._starts_block(line, position):
            # A paragraph may continue without its quote marks, but nothing else can.
            self.in_paragraph = False
            self.items.clear()
        self.depth = depth
        self._read_block(line, position, column, (start, end))

    def _close_fence(self, line: str, position: int, column: int) -> None:
        assert self.fence is not None
        rest = line[position:].rstrip(" \t")
        closes = (
            len(rest) >= self.fence.count
            and not rest.strip(self.fence.mark)
            and column - self.fence.base < _CODE_INDENT
        )
        if closes:
            self.fence = None
            self.in_paragraph = False

    def _starts_block(self, line: str, position: int) -> bool:
        """Whether the text at `position` ends a paragraph before it."""
        item = _ITEM.match(line, position)
        return bool(
            _FENCE.match(line, position)
            or _HEADING.match(line, position)
            or _RULE.match(line, position)
            or (item and line[item.end() :].strip() and item[1] in (None, "1"))
        )

    def _read_block(self, line: str, position: int, column: int, span: Span) -> None:
        """Read a line that is not blank and not in a fence."""
        self.is_empty_item = False
        if self.in_paragraph and _UNDERLINE.match(line, position):
            inside = not self.items or column >= self.items[-1]
            if inside and column - (self.items[-1] if self.items else 0) < _CODE_INDENT:
                self.in_paragraph = False
                return
        for _ in range(_MAX_NESTING):
            # The columns rise, since an item is inside the one before it.
            outer = bisect_right(self.items, column)
            base = self.items[outer - 1] if outer else 0
            is_near = column - base < _CODE_INDENT
            item = _ITEM.match(line, position)
            interrupts = is_near and (
                self._starts_block(line, position) or bool(item and self.items)
            )
            if self.in_paragraph and not interrupts:
                self.prose[-1] = (self.prose[-1][0], span[1])
                return
            while self.items and self.items[-1] > column:
                self.items.pop()
            if not is_near:
                self.code.append(span)
                return
            if item is None or _RULE.match(line, position):
                break
            self.in_paragraph = False
            column, position = self._open_item(line, position, column, item.end() - position)
            if position == len(line):
                self.is_empty_item = True
                return
        self._read_leaf(line, position, span)

    def _open_item(self, line: str, position: int, column: int, marker: int) -> tuple[int, int]:
        """Enter a list item, and the quote inside it, if any."""
        column += marker
        after, position = _indent(line, position + marker, column)
        # Many spaces after the marker count as one space, followed by code.
        is_code = position == len(line) or after - column > _CODE_INDENT
        self.items.append(column + 1 if is_code else after)
        done, depth = _quote_marks(line[position:], deep=False)
        if depth:
            self.depth += depth
            after, position = _indent(line, position + done, after + done)
        return after, position

    def _read_leaf(self, line: str, position: int, span: Span) -> None:
        """Read the text after all quote marks and list markers."""
        fence = _FENCE.match(line, position)
        if fence is not None:
            mark = fence[1] or fence[2]
            base = self.items[-1] if self.items else 0
            self.fence = _Fence(mark[0], len(mark), self.depth, base)
            self.code.append(span)
            self.in_paragraph = False
        elif not self.in_paragraph and _DEFINITION.match(line, position):
            self.code.append(span)
        elif _RULE.match(line, position):
            self.in_paragraph = False
        else:
            self.prose.append(span)
            self.in_paragraph = not _HEADING.match(line, position)


def _indent(line: str, position: int, column: int) -> tuple[int, int]:
    """Return the column after the white space at `position`, and its end."""
    while position < len(line) and line[position] in " \t":
        column += _TAB - column % _TAB if line[position] == "\t" else 1
        position += 1
    return column, position


def _quote_marks(line: str, *, deep: bool) -> tuple[int, int]:
    """Return the start of the text after the quote marks, and their number."""
    done = depth = 0
    while True:
        column, position = _indent(line, done, done)
        if line[position : position + 1] != ">" or (column - done >= _CODE_INDENT and not deep):
            return done, depth
        done = position + 1 + (line[position + 1 : position + 2] == " ")
        depth += 1


def scan_markdown(text: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of a document that are not prose: blocks, and parts of blocks.

    Args:
        text: A Markdown document.

    Returns:
        Whole lines (front matter, fences, indented code, definitions of references), and stretches
        inside text (code spans, link targets, marks of emphasis, comments, raw elements).
    """
    scanner = _Scanner()
    start = _front_matter_end(text)
    if start:
        scanner.code.append((0, start))
    elif text.startswith("\ufeff"):
        start = 1
    for match in _LINE.finditer(text, start):
        if match.end() > match.start():
            scanner.read(match[1], match.start(), match.end())
    inline = [match.span() for match in _INLINE.finditer(text)]
    for block in scanner.prose:
        inline += _code_spans(text, *block)
    inline += _elements(text)
    return scanner.code, inline


def _front_matter_end(text: str) -> int:
    match = _FRONT_MATTER.match(text)
    if match is None:
        return 0
    end = re.compile(rf"^(?:{re.escape(match[1])}|\.\.\.)[ \t]*\r?$", re.MULTILINE)
    closing = end.search(text, match.end())
    return closing.end() if closing else 0


def _code_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the code spans of a block: from backticks to the same number of backticks."""
    runs = [match.span() for match in _BACKTICKS.finditer(text, start, end)]
    places: dict[int, list[int]] = {}
    for opening, closing in runs:
        places.setdefault(closing - opening, []).append(opening)
    done = start
    for opening, closing in runs:
        if opening < done:
            continue
        slashes = opening
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        escaped = (opening - slashes) % 2
        count = closing - opening - escaped
        same = places.get(count, [])
        k = bisect_right(same, closing - 1)
        if count and k < len(same):
            done = same[k] + count
            yield opening + escaped, done


def _elements(text: str) -> Iterator[Span]:
    """Yield comments, tags with attributes, and elements whose text is code."""
    start = text.find("<!--")
    while start >= 0:
        stop = text.find("-->", start + 4)
        # An unclosed comment is text.
        if stop < 0:
            break
        yield start, stop + 3
        start = text.find("<!--", stop + 3)
    for match in _LONG_TAG.finditer(text):
        if "=" in match.group() and not _EMPTY_LINE.search(match.group()):
            yield match.span()
    lowered = ""
    done = 0
    missing: set[str] = set()
    for match in _RAW_TAGS.finditer(text):
        tag = match[1].lower()
        if match.start() < done or tag in missing:
            continue
        lowered = lowered or text.lower()
        # A letter whose lower case is longer would shift every position after it.
        haystack = lowered if len(lowered) == len(text) else text
        stop = haystack.find(f"</{tag}", match.end())
        if stop < 0:
            missing.add(tag)
            continue
        done = stop + len(tag) + 2
        yield match.start(), done
