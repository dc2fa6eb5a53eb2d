"""Finds the user's own words in a text, in linear time.

Text and words are split into pieces: runs of letters and digits, and every other character by
itself. Words with the same number of pieces are searched together, by a hash of that many pieces
from each place. `tests/text/test_own_words.py` has a simple reference implementation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from emendo.text.segmentation import Span

_PIECE = re.compile(r"\w+|\W")
_APOSTROPHE = re.compile(r"(?<=\w)['’]")
# Any odd number; its powers encode the order of pieces.
_ORDER = 0x9E3779B97F4A7C15
_BITS = 64
# Bits of a hash: places whose hash shares these bits with that of a word are checked.
_LOOKED_AT = 16


def own_word_spans(text: str, words: Collection[str]) -> list[Span]:
    """Return the spans of whole words, spelt as given, except those within a longer match."""
    pieces = _PIECE.findall(text)
    codes: dict[str, int] = {}
    coded = [codes.setdefault(piece, len(codes)) for piece in pieces]
    by_length = _possible(words, codes)
    if not by_length:
        return []
    count = len(pieces)
    borders = np.concatenate(([0], np.cumsum(np.fromiter(map(len, pieces), np.int64, count))))
    is_end = np.ones(len(text) + 1, bool)
    is_end[_within_words(text)] = False
    is_end = is_end[borders]

    # Random, so that nobody can choose words with equal hashes.
    values = np.random.default_rng().integers(0, 2**_BITS, len(codes), dtype=np.uint64)
    powers = _powers(_ORDER, count)
    back = _powers(pow(_ORDER, -1, 2**_BITS), count)
    zero = np.zeros(1, np.uint64)
    sums = np.concatenate((zero, np.cumsum(values[coded] * powers, dtype=np.uint64)))

    found: list[Span] = []
    # The last piece of the words that start here or before.
    reach, here, edges = np.zeros(count + 1, np.int64), np.arange(count + 1), borders.tolist()
    for length in sorted((each for each in by_length if each <= count), reverse=True):
        wanted = by_length[length]
        hashes = (values[np.array(list(wanted.values()))] * powers[:length]).sum(
            axis=1, dtype=np.uint64
        )
        is_near = np.zeros(2**_LOOKED_AT, bool)
        is_near[_top(hashes)] = True
        places = count - length + 1
        is_hit = is_near[_top((sums[length:] - sums[:places]) * back[:places])]
        is_hit &= is_end[length:] & (here[length:] > reach[:places])
        hits = [
            start
            for start in np.flatnonzero(is_hit).tolist()
            if text[edges[start] : edges[start + length]] in wanted
        ]
        if hits:
            found += ((edges[start], edges[start + length]) for start in hits)
            reach[hits] = np.maximum(reach[hits], np.array(hits) + length)
            reach = np.maximum.accumulate(reach)
    return found


def _possible(words: Collection[str], codes: dict[str, int]) -> dict[int, dict[str, list[int]]]:
    """Return the words whose pieces are all in the text, by their number of pieces."""
    possible: dict[int, dict[str, list[int]]] = {}
    for word in words:
        bare = word.strip()
        first = _PIECE.match(bare)
        # Most words are not in most texts.
        if first is None or first.group() not in codes:
            continue
        pieces = _PIECE.findall(bare)
        if all(piece in codes for piece in pieces):
            possible.setdefault(len(pieces), {})[bare] = [codes[piece] for piece in pieces]
    return possible


def _within_words(text: str) -> list[int]:
    """Return the apostrophes inside words: "don" is not a word in "don't"."""
    return [
        k
        for k in (match.start() for match in _APOSTROPHE.finditer(text))
        if text[k + 1 : k + 2].isalpha()
        and not (text[k + 1] == "s" and not text[k + 2 : k + 3].isalpha())
    ]


def _powers(number: int, count: int) -> NDArray[np.uint64]:
    powers = np.full(count + 1, number, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)[:count]


def _top(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    shifted: NDArray[np.uint64] = hashes >> np.uint64(_BITS - _LOOKED_AT)
    return shifted.astype(np.int64)
