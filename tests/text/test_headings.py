"""Headings, names and items on lines of their own."""

import pytest

from emendo.text import Edit, EditedText
from emendo.text.headings import is_heading, keep_cells, keep_heading


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Getting started\n\nFirst, install it.", "Getting started"),
        ("The Old Man and the Sea", "The Old Man and the Sea"),
        ("Results\r\n\r\nWe found nothing.", "Results"),
        ("I am fine.\n\nBest wishes,\nAnna", "Anna"),
        ("We need:\n- two eggs\n- milk", "two eggs"),
        ("We need:\n- two eggs\n- milk", "milk"),
        ("Steps\n1. open the door", "open the door"),
        ("We need:\n- [x] two eggs\n- [ ] milk", "two eggs"),
        ("We need:\na) two eggs\nb) milk", "milk"),
        ("> # Getting started\n\nText", "Getting started"),
        ("\ufeffThe Old Man and the Sea\n\nText.", "The Old Man and the Sea"),
    ],
)
def test_lines_of_their_own(text, line):
    start = text.index(line)
    assert is_heading(text, start, start + len(line))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("i am agree with you", "i am agree with you"),
        ("First line. second\n", "second"),
        ("It is fine.\nIt is late.", "It is fine."),
        ("see you\nthen, I hope", "see you\nthen, I hope"),
        ("Hello\n\n" + "word " * 11, ("word " * 11).strip()),
        ("Hello\n\n12 %", "12 %"),
        ("It is (see above) fine\nNext", "fine"),
    ],
)
def test_sentences(text, line):
    start = text.index(line)
    assert not is_heading(text, start, start + len(line))


def test_what_a_heading_keeps():
    text = "Intro\n\nThe Old Mann and the Sea\n"
    start, end = 7, 31
    edits = (Edit(11, 14, "old"), Edit(15, 19, "Man"), Edit(end, end, "."))
    kept = keep_heading(EditedText(text, edits), start, end)
    assert kept.edits == (Edit(15, 19, "Man"),)
    small = "Intro\n\ni like it\n"
    edits = (Edit(7, 8, "I"), Edit(16, 16, "."))
    assert keep_heading(EditedText(small, edits), 7, 16).edits == (Edit(7, 8, "I"),)


def test_what_a_cell_keeps():
    text = "| foo | It do nothing |  it is it|"
    edits = (Edit(11, 13, "does"), Edit(21, 21, "."), Edit(26, 28, "It"), Edit(31, 33, "it."))
    assert keep_cells(EditedText(text, edits)).edits == (edits[0], edits[2])
    others = EditedText("| Is it ok. | for x |x|", (Edit(10, 11, "?"), Edit(19, 19, ",")))
    assert keep_cells(others) == others
