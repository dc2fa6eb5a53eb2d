"""Sentences longer than the network reads, cut into pieces that it can read.

The pieces are adjacent and contain every character; they do not overlap, so an edit belongs to one
piece. Cuts are after punctuation, else before white space, else between any two characters as a
reader sees them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from emendo.text.words import is_extending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from emendo.text.segmentation import Span

# Where to cut, best first: after a full stop, after a comma, between words.
_PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=[.!?;:…。！？；])(?=\s)|(?<=[。！？；])",
        r"(?<=[,)\]”’»\"、，])(?=\s)|(?<=[、，])",
        r"(?<=\S)(?=\s)",
    )
)
# A text with more characters per token than this is cut before it is counted.
_CHARACTERS_PER_TOKEN = 16
# Characters of prose per token; pieces that turn out too long are halved.
_USUAL_CHARACTERS = 3
# How far from the middle a cut may lie, as a share of the piece.
_REACH = 0.25


def split_long(text: str, max_tokens: int, count: Callable[[str], int]) -> list[Span]:
    """Cut a text into pieces of at most `max_tokens` tokens.

    Args:
        text: A sentence of any length.
        max_tokens: Tokens that the network reads at once.
        count: Returns the tokens of a text, edges included.

    Returns:
        Spans that tile the text; one span if the text fits. A single character that does not fit
        is still a piece.
    """
    cuts = [0]
    if len(text) > _CHARACTERS_PER_TOKEN * max_tokens:
        pieces = -(-len(text) // (_USUAL_CHARACTERS * max_tokens))
        half = len(text) // pieces // 2
        # Each cut is searched in a separate stretch, so that no character is read twice.
        middles = (k * len(text) // pieces for k in range(1, pieces))
        places = (_cut(text, middle - half, middle + half) for middle in middles)
        cuts += [place for place in places if place is not None]
    return [
        fitting
        for span in pairwise((*cuts, len(text)))
        for fitting in _fitting(text, span, max_tokens, count)
    ]


def _fitting(text: str, span: Span, max_tokens: int, count: Callable[[str], int]) -> Iterator[Span]:
    """Yield the span, halved until each part fits."""
    pending = [span]
    while pending:
        start, end = pending.pop()
        cut = None
        if count(text[start:end]) > max_tokens:
            cut = _cut(text, start, end)
        if cut is None:
            yield start, end
        else:
            pending += ((cut, end), (start, cut))


def _cut(text: str, start: int, end: int) -> int | None:
    """Return the best place to cut near the middle, or None if there is none."""
    middle = (start + end) // 2
    reach = int(_REACH * (end - start))
    for pattern in _PLACES:
        places = [
            match.start()
            for match in pattern.finditer(text, middle - reach, middle + reach)
            if start < match.start() < end
        ]
        if places:
            return min(places, key=lambda place: abs(place - middle))
    return _between_characters(text, start, middle, end)


def _between_characters(text: str, start: int, middle: int, end: int) -> int | None:
    """Return the place nearest the middle where one character ends and another starts."""
    low, high = middle, middle + 1
    while low > start or high < end:
        if low > start and _is_border(text, low):
            return low
        if start < high < end and _is_border(text, high):
            return high
        low, high = low - 1, high + 1
    return None


def _is_border(text: str, position: int) -> bool:
    """Whether two characters meet here: no mark, joiner, line end or flag is torn apart."""
    before, after = text[position - 1], text[position]
    return not (
        is_extending(after)
        or before == "\u200d"
        or (before == "\r" and after == "\n")
        or ("\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
        or "\U000e0020" <= after <= "\U000e007f"
    )
