"""Positions and changes, against the plain way to do it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol import types

from emendo.lsp.open_document import OpenDocument
from emendo.lsp.positions import Lines
from tests.lsp.client import UTF8, UTF16, UTF32, places

texts = st.lists(
    st.sampled_from(["a", "ü", "😀", "\n", "\r\n", "\r", "\u2028", "\x0b", "\x85", "\ufeff", "e\u0301", "\ud800"]),
    max_size=20,
).map("".join)  # fmt: skip
encodings = st.sampled_from([UTF8, UTF16, UTF32])


@given(texts, encodings)
def test_every_position_there_and_back(text, encoding):
    lines = Lines(text, encoding)
    for (line, column), offset in places(text, encoding).items():
        # Between CR and LF nothing can stand.
        if text[offset - 1 : offset + 1] != "\r\n":
            assert lines.position(offset) == types.Position(line, column)
            assert lines.offset(types.Position(line, column)) == offset


def test_many_positions_in_one_long_line():
    lines = Lines("“" + "a" * 200_000, UTF16)
    begin = time.process_time()
    assert [lines.position(k).character for k in range(0, 200_000, 500)][-1] == 199_500
    assert time.process_time() - begin < 1


def test_positions_that_are_none():
    lines = Lines("a😀b\r\nc", UTF16)
    assert lines.offset(types.Position(0, 2)) == 1, "inside of a character"
    assert lines.offset(types.Position(0, 99)) == 3, "behind the line, and not behind its end"
    assert lines.offset(types.Position(9, 0)) == 6
    assert Lines("", UTF8).offset(types.Position(0, 0)) == 0


@given(
    texts, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), texts), max_size=4), encodings
)
def test_changes_are_taken_over(text, changes, encoding):
    document = OpenDocument(types.TextDocumentItem("file:///a", "", 1, text), encoding)
    for version, (a, b, new) in enumerate(changes, 2):
        where = {offset: place for place, offset in places(text, encoding).items()}
        start, end = sorted((min(a, len(text)), min(b, len(text))))
        if any(text[k - 1 : k + 1] == "\r\n" for k in (start, end)):
            continue
        place = types.Range(types.Position(*where[start]), types.Position(*where[end]))
        document.change(version, [types.TextDocumentContentChangePartial(place, new)])
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.version == version
