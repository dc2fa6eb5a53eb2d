"""Counts over a handful of pairs, done by hand."""

import json

from emendo.data.encoding import EMPTY, UNMAKEABLE
from emendo.data.filters import EMPTY_SIDE, PairFilter
from emendo.data.statistics import SPACING, PairStatistics, measure_pairs, summarise
from emendo.text import EditPair, TextTokenizer
from tests.conftest import FAMILIES

PAIRS = [
    EditPair("He go to store .", "He goes to the store ."),
    EditPair("It is is fine.", "It is fine."),
    EditPair("It is fine.", "It is fine."),
    EditPair("a ,b", "a, b"),
    EditPair("a b c", "x y c d"),
]


def test_words():
    found = measure_pairs(PAIRS)
    assert (found.pairs, found.changed) == (5, 4)
    assert found.words == 5 + 5 + 4 + 3 + 3
    assert found.edits == {"replace": 2, "insert": 2, "delete": 1, SPACING: 1}
    assert found.wrong_words == 2 + 1 + 0 + 3
    assert found.word_error_rate == 6 / 20
    assert not found.fitting
    assert not found.refused


def test_slots(small_tokenizer):
    pairs = [
        EditPair("a", "a"),
        # Edges have slots too: one word is three tokens.
        EditPair("a", "a dog a dog a"),
        EditPair("a", "a dog a dog a dog a dog a dog"),
        EditPair("  ", "a"),
    ]
    source = small_tokenizer.encode("a")
    labels = [len(small_tokenizer.encode_target(p.target, source).labels) for p in pairs[:3]]
    assert len(source) == 3
    assert labels[0] <= 3 < labels[1] <= 6 < labels[2] <= 24
    found = measure_pairs(pairs, tokenizer=small_tokenizer)
    assert found.fitting == {t: sum(n <= 3 * t for n in labels) for t in (1, 2, 4, 8)}
    assert found.unfitting == {EMPTY: 1}
    assert found.tokens == 3 + 3 + 3 + 2
    assert found.longest == 3


def test_what_no_slot_can_write():
    unigram = TextTokenizer(FAMILIES["unigram"]())
    found = measure_pairs([EditPair("fi", "the ﬁ")], tokenizer=unigram)
    assert found.fitting == {1: 0, 2: 0, 4: 0, 8: 0}
    assert found.unfitting == {UNMAKEABLE: 1}


def test_the_filter_counts(small_tokenizer):
    found = measure_pairs(
        [*PAIRS, EditPair("", "a")], pair_filter=PairFilter(), tokenizer=small_tokenizer
    )
    assert found.pairs == 5
    assert found.refused == {EMPTY_SIDE: 1}


def test_it_streams(small_tokenizer):
    pairs = (pair for _ in range(700) for pair in PAIRS)
    assert measure_pairs(pairs, tokenizer=small_tokenizer).pairs == 3500


def test_table_and_json(small_tokenizer):
    found = measure_pairs(
        [*PAIRS, EditPair("", "a")], pair_filter=PairFilter(), tokenizer=small_tokenizer
    )
    rows = dict(summarise(found))
    assert rows["pairs"] == "5"
    assert rows["changed"] == "4 (80.00%)"
    assert rows["word error rate"] == "30.00%"
    assert rows["edits: insert"] == "2 (33.33%)"
    assert rows["fit T = 8"] == "5 (100.00%)"
    assert rows[f"refused: {EMPTY_SIDE}"] == "1"
    data = json.loads(found.to_json())
    assert data["edits"] == {"replace": 2, "insert": 2, "delete": 1, "spacing": 1}
    assert data["fitting"]["8"] == 5
    assert data["word_error_rate"] == 0.3


def test_no_pairs():
    found = measure_pairs([])
    assert found == PairStatistics()
    assert dict(summarise(found))["changed"] == "0 (0.00%)"
