"""Long sentences in pieces: nothing lost, nothing too long, no character torn."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emendo.text.windows import split_long
from emendo.text.words import is_extending
from tests.text.test_lossless import texts


def count(text):
    """A token a letter, and the edges."""
    return len(text.encode("utf-8", "surrogatepass")) + 2


def pieces(text, max_tokens, counted=count):
    return [text[start:end] for start, end in split_long(text, max_tokens, counted)]


def test_what_fits_stays_whole():
    assert pieces("a b c", 7) == ["a b c"]
    assert pieces("", 7) == [""]


def test_cuts_fall_at_the_best_place_near_the_middle():
    assert pieces("one two, three four five", 20) == ["one two,", " three four five"]
    assert pieces("one two. Three, four five", 20) == ["one two.", " Three, four five"]
    assert pieces("one two three four", 15) == ["one two", " three four"]
    assert pieces("abcdefgh", 6) == ["abcd", "efgh"]
    assert pieces("\u4e2d\u56fd\u3002\u4e2d\u56fd", 12) == ["\u4e2d\u56fd\u3002", "\u4e2d\u56fd"]


@pytest.mark.parametrize(
    "character", ["e\u0301\u0302", "👨\u200d👩\u200d👧", "👍🏽", "🏳️\u200d🌈", "\r\n", "🇩🇪"]
)
def test_no_character_is_torn(character):
    for piece in pieces("x" + character * 40 + "y", 60):
        assert not piece or not is_extending(piece[0])
        assert not piece.endswith("\u200d")
        assert not (piece.startswith("\n") and character == "\r\n")


@settings(max_examples=500)
@given(texts, st.integers(3, 40))
def test_pieces_tile_the_text_and_fit(text, max_tokens):
    spans = split_long(text, max_tokens, count)
    assert "".join(text[start:end] for start, end in spans) == text
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]
    for start, end in spans:
        assert end > start or not text
        piece = text[start:end]
        # What does not fit is one character to a reader: a base and what belongs to it.
        if count(piece) > max_tokens:
            assert all(
                is_extending(b) or a == "\u200d" or (a, b) == ("\r", "\n") or ord(b) > 0x1F1E5
                for a, b in pairwise(piece)
            )


@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, "word and, " * 100_000, "a" + "\u0301" * 1_000_000, "😀" * 250_000, " " * 1_000_000],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
def test_a_megabyte_without_end(text):
    begin = time.process_time()
    found = pieces(text, 512)
    assert time.process_time() - begin < 10
    assert "".join(found) == text
    if "\u0301" not in text:
        assert max(map(count, found)) <= 512
        assert len(found) < 10 * len(text.encode()) / 512
