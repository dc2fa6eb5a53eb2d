"""Inline marks: what people mean by them, and that a shown pair reads back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.errors import FormatError
from emendo.text import EditPair
from emendo.text.inline import format_inline, parse_inline

WORDS = st.text("abcdefgXYZ'é-", min_size=1, max_size=6)
STOPS = st.sampled_from([",", ".", ";", ":", "!", "?"])


@pytest.mark.parametrize(
    ("line", "source", "target"),
    [
        ("It is fine.", "It is fine.", "It is fine."),
        ("I have {went=>gone} home.", "I have went home.", "I have gone home."),
        (
            "She is {=>a} cook in {the=>} Oslo.",
            "She is cook in the Oslo.",
            "She is a cook in Oslo.",
        ),
        ("However{=>,} I left.", "However I left.", "However, I left."),
        ("However {=>,} I left.", "However I left.", "However, I left."),
        ("I know{,=>} that.", "I know, that.", "I know that."),
        ("I know {,=>}that.", "I know, that.", "I know that."),
        ("I know {,=>} that.", "I know, that.", "I know that."),
        ("Why{.=>?} Well, no.", "Why. Well, no.", "Why? Well, no."),
        ("He came {then=>. Then} left.", "He came then left.", "He came. Then left."),
        ("the cat {black=>}, too", "the cat black, too", "the cat, too"),
        ("{=>The} end{=>.}", "end", "The end."),
        ("{End=>The end}", "End", "The end"),
        ("a :) {smile=>smiles} :(", "a :) smile :(", "a :) smiles :("),
        ("it cost {.5=>0.5} euros", "it cost .5 euros", "it cost 0.5 euros"),
        ("  a   {b=>c}  ", "a b", "a c"),
    ],
)
def test_marks(line, source, target):
    assert parse_inline(line) == (source, target)


@pytest.mark.parametrize("line", ["a {b=>c", "a b=>c", "a } b", "{a}", "{a=>{b=>c}}"])
def test_stray_marks_are_named(line):
    with pytest.raises(FormatError, match="not part of a mark"):
        parse_inline(line)


@given(
    st.lists(st.tuples(WORDS, st.one_of(st.none(), st.just(""), WORDS)), min_size=1, max_size=8),
    STOPS,
)
def test_both_sides_are_the_words_of_their_side(words, stop):
    """Whole words replaced and deleted leave the others, one space apart, whatever stands around."""
    line = " ".join(word if new is None else f"{{{word}=>{new}}}" for word, new in words) + stop
    source, target = parse_inline(line)
    kept = [word if new is None else new for word, new in words]
    assert source == " ".join(word for word, _ in words) + stop
    assert target == " ".join(filter(None, kept)) + stop


PLAIN = st.lists(st.text("abcdefgXYZ", min_size=1, max_size=6), max_size=8)


@given(PLAIN, PLAIN)
def test_what_is_shown_reads_back(old, new):
    pair = EditPair(" ".join(old), " ".join(new))
    assert parse_inline(format_inline(pair)) == pair


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_pair_can_be_shown(source, target):
    assert isinstance(format_inline(EditPair(source, target)), str)
