"""Sentences joined into passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.text.passages import join_passages
from emendo.text.segmentation import split_paragraphs, split_sentences

TEXT = "One two. Three four. Five six.\n\nSeven eight.\n\n- Nine ten. Eleven.\n- Twelve."


def count(start, end):
    """One token for a character, without edges."""
    return end - start


@pytest.mark.parametrize(
    ("most", "found"),
    [
        (30, [(0, 30)]),
        (29, [(0, 20)]),
        (20, [(0, 20)]),
        (19, [(9, 28)]),
        (18, []),
        (0, []),
    ],
)
def test_as_many_as_fit(most, found):
    spans = [(0, 8), (9, 20), (21, 28)] if most == 19 else [(0, 8), (9, 20), (21, 30)]
    assert list(join_passages(spans, most, count)) == found


def test_a_lone_sentence_is_no_passage():
    assert list(join_passages([(0, 8)], 100, count)) == []
    assert list(join_passages([], 100, count)) == []


def test_sentences_are_grouped_by_paragraph():
    paragraphs = split_paragraphs(TEXT)
    shown = [[TEXT[start:end] for start, end in each] for each in paragraphs]
    assert shown == [
        ["One two.", "Three four.", "Five six."],
        ["Seven eight."],
        ["Nine ten.", "Eleven."],
        ["Twelve."],
    ]
    assert [span for each in paragraphs for span in each] == split_sentences(TEXT)


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(0, 40))
def test_passages_are_runs_of_whole_sentences(lengths, most):
    spans, place = [], 0
    for length in lengths:
        spans.append((place, place + length))
        place += length + 1
    done = -1
    for start, end in join_passages(spans, most, count):
        first = next(k for k, span in enumerate(spans) if span[0] == start)
        last = next(k for k, span in enumerate(spans) if span[1] == end)
        assert done < first < last
        assert end - start <= most
        # The next sentence does not fit, or there is none.
        assert last + 1 == len(spans) or spans[last + 1][1] - start > most
        done = last
