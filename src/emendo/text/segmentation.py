"""Splits a document into sentences; between them there is only layout.

Lines make blocks (paragraphs, list items, headings, table cells), and full stops split blocks into
sentences. Every step reads each character a bounded number of times, so the time is linear for any
text. docs/explanation/documents.md has the rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from emendo.languages import DEFAULT_LANGUAGE, SentenceEnds, load_language

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Span = tuple[int, int]
"""Code points [start, end) of a text."""

_QUOTE = r"[ \t]*(?:>[ \t]*)*"
PREFIX = re.compile(
    rf"(?P<quote>{_QUOTE})"
    r"(?:(?P<heading>\#{1,6}[ \t]+)"
    r"|(?P<item>(?:[-*+•‣◦▪●○·]|(?P<number>\d{1,3})[.)]|\(?(?P<letter>\d{1,3}|[A-Za-z])\))"
    r"[ \t]+(?:\[[ xX]\][ \t]+)?))?"
)
"""The prefix of a line: indentation, quote marks, one list marker or heading."""
# Lines without a sentence, which end one: rules, underlines of headings, fences, table bars.
_RULE = re.compile(r"(?:[-=*_~+#:|][ \t]*){3,}\Z|(?:```[^`]*|~~~.*)\Z")
_LONE_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>\Z|<[A-Za-z][A-Za-z0-9-]*\Z")
# Short lines that all start with capitals are verse, an address or a list, not wrapped text.
_SHORT_LINE = 40

_FIRST = frozenset((None, "1", "a", "A"))

_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_BLANK = rf"[^\S{_BREAKS}]"
# The look-behind makes sure that a run of spaces is tried only once, from its start.
LINE_BREAK = re.compile(rf"(?<!{_BLANK}){_BLANK}*(?:\r\n|[{_BREAKS}]){_QUOTE}")
"""A line break inside a sentence, with the indentation and the quote marks of the next line."""

# Runs of marks and of closing characters; greedy and disjoint, so there is no backtracking.
_CLOSERS = "\"'”’»›“‘«‹)\\]}*_」』）】］〉》〕"
_STOP = re.compile(rf"(?:[.!?…‽؟۔։]+|[。！？｡．।॥።။។]+)[{_CLOSERS}]*")
_STRONG = frozenset("。！？｡．।॥።။។")
_OPENERS = frozenset("\"'“”‘’«‹„‚([{¿¡*_「『（【［〈《〔-–—")
_TOKEN_OPENERS = "\"'“”‘’«‹„‚([{¿¡*_-–—/"
_CLOSING_QUOTES = frozenset("”’»")
# A longer token before a full stop is not an abbreviation.
_LOOK_BACK = 24
_LOOK_AHEAD = 100
# From the arrows on, Unicode is symbols, ideographs and emoji.
_SYMBOLS = 0x2190
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_]{1,3})+\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_BOM = "\ufeff"


class _Line(NamedTuple):
    """A line of the document: its start, the start of its text, and its end."""

    start: int
    body: int
    end: int
    depth: int
    """Quote marks before it."""
    kind: str
    """"text", "item", "heading", "row", "rule" or "blank"."""
    first: bool
    """Whether its list marker allows this item to interrupt a paragraph."""


def split_sentences(text: str, *, languages: Collection[str] = (DEFAULT_LANGUAGE,)) -> list[Span]:
    """Return the spans of the sentences of a document.

    Args:
        text: Plain text or Markdown, with any line ends.
        languages: Two-letter codes of the languages whose abbreviations are used.

    Returns:
        Spans in order, not overlapping, not empty, without outer white space. Between them
        there is only white space and markup: list markers, heading signs, quote marks, rules, bars.
    """
    return [span for block in split_paragraphs(text, languages=languages) for span in block]


def split_paragraphs(
    text: str, *, languages: Collection[str] = (DEFAULT_LANGUAGE,)
) -> list[list[Span]]:
    """Return the spans of the sentences of a document, one list for each block of it.

    Args:
        text: As for `split_sentences`.
        languages: As for `split_sentences`.
    """
    return [split_block(text, block, languages=languages) for block in _blocks(text)]


def split_blocks(text: str) -> list[Span]:
    """Return the spans of paragraphs, list items, headings and cells, which no sentence crosses.

    Args:
        text: As for `split_sentences`.
    """
    return list(_blocks(text))


def split_block(text: str, block: Span, *, languages: Collection[str]) -> list[Span]:
    """Return the spans of the sentences of a block.

    Args:
        text: The whole text.
        block: One of `split_blocks`.
        languages: As for `split_sentences`.
    """
    return list(_sentences(text, *block, _sentence_ends(tuple(languages))))


@lru_cache(maxsize=64)
def _sentence_ends(codes: tuple[str, ...]) -> SentenceEnds:
    return SentenceEnds.of(map(load_language, codes))


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for raw in text.splitlines(keepends=True):
        stop = start + len(raw)
        stripped = raw.rstrip()
        skip = 1 if start == 0 and stripped[:1] == _BOM else 0
        if len(stripped) > skip:
            yield _read_line(stripped, start, skip)
        else:
            yield _Line(start, start, start, 0, "blank", False)
        start = stop


def _read_line(line: str, start: int, skip: int) -> _Line:
    first = line[skip]
    end = start + len(line)
    if first.isalpha() and line[skip + 1 : skip + 2] != ")":
        # Most lines need no further checks.
        return _Line(start, start + skip, end, 0, "text", False)
    match = PREFIX.match(line, skip)
    assert match is not None
    depth = match["quote"].count(">")
    bare = match.end("quote")
    if _RULE.match(line, bare):
        return _Line(start, end, end, depth, "rule", True)
    body = match.end()
    # Other white space (NBSP, ideographic space) before the text belongs to no sentence either.
    while body < len(line) and line[body].isspace():
        body += 1
    kind, interrupts = "text", False
    if body == len(line):
        # Only marks: a quote mark alone is a blank line, a marker alone an empty item.
        kind = "blank" if match["item"] is None and match["heading"] is None else "rule"
    elif match["heading"] is not None:
        kind = "heading"
    elif match["item"] is not None:
        kind, interrupts = "item", (match["number"] or match["letter"]) in _FIRST
    elif line[bare] == "|" and line.count("|", bare) > 1:
        kind = "row"
    elif line[bare] == "<" and _LONE_TAG.match(line, bare):
        kind = "heading"
    return _Line(start, start + body, end, depth, kind, interrupts)


def _blocks(text: str) -> Iterator[Span]:
    """Yield the spans of blocks: pieces of text that no sentence crosses."""
    block: list[_Line] = []
    in_list = False
    for line in _lines(text):
        kind = line.kind
        if kind == "item" and block and not (line.first or in_list):
            # "I was born in\n1999. It ..." is wrapped text: no item starts inside a paragraph.
            kind = "text"
            line = line._replace(kind=kind, body=_text_start(text, line))  # noqa: PLW2901
        joins = kind == "text" and block and line.depth == block[-1].depth
        if block and not joins:
            yield from _unwrap(text, block)
            block = []
        if kind in ("text", "item"):
            block.append(line)
            in_list = kind == "item" or (in_list and bool(joins))
        elif kind == "heading":
            yield line.body, line.end
        elif kind == "row":
            yield from _cells(text, line)
        if kind not in ("text", "item", "blank"):
            in_list = False
    if block:
        yield from _unwrap(text, block)


def _text_start(text: str, line: _Line) -> int:
    """Return the start of a line's text if its list marker does not count."""
    match = PREFIX.match(text, line.start, line.end)
    assert match is not None
    return match.end("quote")


def _unwrap(text: str, block: list[_Line]) -> Iterator[Span]:
    """Yield a block of lines as one, or line by line if it is verse."""
    if len(block) > 1 and all(
        line.end - line.body <= _SHORT_LINE and text[line.body].isupper() for line in block
    ):
        yield from ((line.body, line.end) for line in block)
    else:
        yield block[0].body, block[-1].end


def _cells(text: str, line: _Line) -> Iterator[Span]:
    """Yield the cells of a table's row."""
    start = line.body
    while start < line.end:
        stop = text.find("|", start, line.end)
        stop = line.end if stop < 0 else stop
        cell = text[start:stop]
        body = start + len(cell) - len(cell.lstrip())
        end = start + len(cell.rstrip())
        # Rows of dashes and colons under a table's head have no text.
        if body < end and cell.strip(" \t-:|"):
            yield body, end
        start = stop + 1


def _sentences(text: str, start: int, end: int, ends: SentenceEnds) -> Iterator[Span]:
    """Yield the sentences of a block."""
    while start < end and text[start].isspace():
        start += 1
    done = start
    for match in _STOP.finditer(text, start, end):
        # Quotes that stand alone after a space may already be included.
        if match.start() < done:
            continue
        stop = _sentence_end(text, done, match, end, ends)
        if stop is None:
            continue
        yield done, stop
        done = stop
        while done < end and text[done].isspace():
            done += 1
        quote = LINE_BREAK.match(text, stop, end)
        if quote is not None:
            done = max(done, quote.end())
            while done < end and text[done].isspace():
                done += 1
    if done < end:
        yield done, end


def _sentence_end(
    text: str, start: int, match: re.Match[str], end: int, ends: SentenceEnds
) -> int | None:
    """Return the end of the sentence at a mark, or None if the sentence continues."""
    stop = match.end()
    if stop >= end:
        return None
    if text[match.start()] in _STRONG:
        return stop
    if not text[stop].isspace():
        return None
    position = _next_start(text, stop, end)
    if position is None or not _may_start(text, match, position):
        return None
    mark = match.group()
    is_full_stop = mark[0] == "." and mark[1:2] != "."
    if is_full_stop and not _full_stop_ends(text, start, match, position, ends):
        return None
    return _take_quote(text, start, stop, end)


def _may_start(text: str, match: re.Match[str], position: int) -> bool:
    """Whether a sentence may start with the character at `position`, after this mark."""
    first = text[position]
    if first.islower():
        # "Why?" he asked. But: why? he never said.
        return match.group().strip("!?‽؟") == "" and text[match.end() : position].isspace()
    return first.isalnum() or first in "#@$€£<…" or ord(first) >= _SYMBOLS


def _next_start(text: str, stop: int, end: int) -> int | None:
    """Return the first character after a mark that is not a space, quote or bracket."""
    for position in range(stop, min(end, stop + _LOOK_AHEAD)):
        char = text[position]
        if not (char.isspace() or char in _OPENERS or char == ">"):
            return position
    return None


def _full_stop_ends(
    text: str, start: int, match: re.Match[str], position: int, ends: SentenceEnds
) -> bool:
    """Whether a full stop before a capital, a digit or a symbol ends the sentence."""
    dot = match.start()
    before = text[max(start, dot - _LOOK_BACK) : dot].split()
    if not before or text[dot - 1].isspace():
        return True
    token = before[-1].lstrip(_TOKEN_OPENERS)
    previous = before[-2] if len(before) > 1 else ""
    following = _WORD.match(text, position, position + _LOOK_AHEAD)
    after = following.group().lower() if following else ""
    if token.isdigit():
        # "1. Introduction 2. Method" ends sentences; "am 3. Oktober" continues.
        counts = len(before) == 1 and dot - start < _LOOK_BACK
        is_ordinal = len(token) <= 2 and (
            after in ends.after_ordinal or previous.lower() in ends.before_ordinal
        )
        return not (counts or is_ordinal)
    word = token.lower()
    if word in ends.never_last or (word in ends.before_number and text[position].isdigit()):
        return False
    is_letter = len(token) == 1 and token.isalpha()
    if is_letter and len(previous) == 2 and previous[1] == "." and previous[0].islower():
        # "z. B." and "и т. д." are one abbreviation; only the latter ends sentences.
        return word in ends.closing_letters
    if is_letter or word in ends.rarely_last or _DOTTED.match(token):
        return after in ends.starters
    return True


def _take_quote(text: str, start: int, stop: int, end: int) -> int:
    """Return the end of a sentence, including a closing quote after a space."""
    quote = text[stop + 1 : stop + 2]
    if stop + 2 >= end or not text[stop + 2].isspace() or text[stop] != " ":
        return stop
    if quote in _CLOSING_QUOTES or (quote == '"' and text.count('"', start, stop) % 2):
        return stop + 2
    return stop
