"""The quick look-up of own words against the plain one."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.inference.own_words import own_word_spans
from emendo.text import protected_spans

LETTERS = "ab-'’ s²_é\u0301\n.t"


def merged(spans):
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


@given(
    st.text(LETTERS, max_size=60),
    st.lists(st.text(LETTERS, min_size=1, max_size=6), max_size=20),
)
def test_words_are_found_as_the_plain_way_finds_them(text, words):
    # What is protected whatever the words are is none of them.
    others = protected_spans(text)
    spans = own_word_spans(text, words)
    assert protected_spans(text, words=words) == merged([*others, *spans])


def test_many_words_in_a_long_text():
    rng = random.Random(0)
    words = ["".join(rng.choices("abc-'", k=rng.randrange(1, 9))) for _ in range(2000)]
    text = " ".join(rng.choices(words, k=2000))
    others = protected_spans(text)
    assert protected_spans(text, words=words) == merged([*others, *own_word_spans(text, words)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-" * 200_000, ["-" * k for k in range(1, 101)]),
        ("-" * 200_000 + "x", ["-" * k + "x" for k in range(1, 100)]),
        ("a-" * 100_000, [f"a-{k}" for k in range(10_000)]),
        ("a " * 100_000 + "b", ["a " * k + "b" for k in range(1, 50)] * 200),
        ("".join(f"-{k}" for k in range(40_000)), [f"-{k}" for k in range(10_000)]),
        ("a-" * 99_950 + "b" * 100, ["a-" * 49 + "b" * (1 + k % 2) + "-" for k in range(10_000)]),
    ],
    ids=["all match", "none matches", "same start", "phrases", "many", "long"],
)
def test_no_text_and_no_words_take_long(text, words):
    begin = time.process_time()
    own_word_spans(text, words)
    assert time.process_time() - begin < 2.0
