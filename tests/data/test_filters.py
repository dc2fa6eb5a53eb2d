"""Each filter counts what it refuses, and what is read is kept or counted."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.data import filters
from emendo.data.filters import DUPLICATE, EMPTY_SIDE, IDENTICAL, LONG_TEXT, UNLIKE, PairFilter
from emendo.text import EditPair

SAME, CHANGED = EditPair("a b", "a b"), EditPair("a b", "a c")


def apply(pair_filter, pairs):
    refused = Counter()
    kept = list(pair_filter.apply(pairs, refused))
    assert len(kept) + refused.total() == len(pairs)
    return kept, refused


@pytest.mark.parametrize(
    ("options", "pair", "reason"),
    [
        ({}, ("", "a"), EMPTY_SIDE),
        ({}, ("a", " \n"), EMPTY_SIDE),
        ({}, ("a" * 20_001, "a"), LONG_TEXT),
        ({"max_characters": 3}, ("abc", "abcd"), LONG_TEXT),
        ({"max_ratio": 2}, ("abc", "a"), UNLIKE),
        ({"max_ratio": 2}, ("a", "abc"), UNLIKE),
        ({"max_identical": 0}, ("a b", " a b"), IDENTICAL),
    ],
)
def test_refusals(options, pair, reason):
    kept, refused = apply(PairFilter(**options), [EditPair(*pair), CHANGED])
    assert kept == [CHANGED]
    assert refused == {reason: 1}


@pytest.mark.parametrize(
    ("options", "pair"),
    [
        ({}, ("a", "a")),
        ({}, ("a", "a" * 20_000)),
        ({"max_characters": 3}, ("abc", "a")),
        ({"max_ratio": 2}, ("ab", "a")),
        ({"unique": True}, ("\ud800", "a")),
    ],
)
def test_what_passes(options, pair):
    assert apply(PairFilter(**options), [EditPair(*pair)]) == ([EditPair(*pair)], {})


def test_duplicates():
    pairs = [SAME, CHANGED, SAME, EditPair("ab", "c"), EditPair("a", "bc"), CHANGED]
    assert apply(PairFilter(), pairs) == (pairs, {})
    kept, refused = apply(PairFilter(unique=True), pairs)
    assert kept == [SAME, CHANGED, EditPair("ab", "c"), EditPair("a", "bc")]
    assert refused == {DUPLICATE: 2}


def test_the_memory_for_duplicates_has_an_end(monkeypatch, caplog):
    monkeypatch.setattr(filters, "_REMEMBERED", 1)
    kept, refused = apply(PairFilter(unique=True), [SAME, CHANGED, SAME, CHANGED])
    assert kept == [SAME, CHANGED, CHANGED]
    assert refused == {DUPLICATE: 1}
    assert "are not found" in caplog.text


@given(st.lists(st.booleans()), st.floats(0, 1))
def test_the_share_of_identical_pairs_is_capped_all_along(same, share):
    pairs = [SAME if x else CHANGED for x in same]
    kept, refused = apply(PairFilter(max_identical=share), pairs)
    assert set(refused) <= {IDENTICAL}
    assert kept.count(CHANGED) == pairs.count(CHANGED)
    for n in range(1, len(kept) + 1):
        # The share is over the pairs so far, the one in question included.
        assert kept[n - 1] == CHANGED or kept[:n].count(SAME) <= share * n


def test_half_of_the_identical_pairs():
    kept, refused = apply(PairFilter(max_identical=0.25), [CHANGED, SAME] * 30)
    assert kept.count(SAME) == 10
    assert refused == {IDENTICAL: 20}


@pytest.mark.parametrize(
    "options", [{"max_characters": 0}, {"max_ratio": 0.5}, {"max_identical": 1.5}]
)
def test_options_that_mean_nothing(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        PairFilter(**options)
