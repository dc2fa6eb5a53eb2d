"""experiments/encoder_probe.py: which words are wrong, and how well scores find them."""

import numpy as np
import pytest

from emendo.text.m2 import M2Edit, M2Sentence
from encoder_probe import average_precision, curve, marked, read_tsv


def sentence(text, *edits):
    return M2Sentence(
        tuple(text.split()), tuple(M2Edit(a, b, kind, (c,)) for a, b, kind, c in edits)
    )


def test_edits_mark_words():
    replaced, inserted = (1, 3, "R", "goes"), (4, 4, "M", "at")
    assert marked(sentence("He go gos to home .", replaced, inserted))[1] == [0, 1, 1, 0, 1, 0]
    # At the end, the last word.
    assert marked(sentence("He goes", (2, 2, "M", ".")))[1] == [0, 1]
    assert marked(sentence("He goes", (-1, -1, "noop", "")))[1] == [0, 0]
    assert marked(sentence("He goes", (0, 1, "UNK", "")))[1] == [0, 0]


def test_words_of_a_table(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("He\t-\t-\ngo\tR\tgoes\n\t\t\nYes\t-\t-\n\t\t\n", encoding="utf-8")
    assert read_tsv(path) == [(("He", "go"), [False, True]), (("Yes",), [False])]


def test_average_precision():
    wrong = np.array([1, 0, 1, 0])
    # The wrong words are first and third.
    points = curve(np.array([4.0, 3.0, 2.0, 1.0]), wrong)
    assert average_precision(*points) == pytest.approx((1 + 2 / 3) / 2)
    # Words with one score are taken together, in any order.
    for each in (wrong, wrong[::-1]):
        assert average_precision(*curve(np.zeros(4), each)) == 0.5
