"""What is asked of graphs when they are loaded, and what is said of those that do not fit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from emendo.bundle import Bundle
from emendo.errors import BundleError
from emendo.inference import NetworkOutput, WordScores
from emendo.inference.graph_check import check_graphs, in_one_line
from tests.inference.conftest import CONFIG

FOLDER = Path("some/bundle")
WIDTH = 5


class Graphs:
    """Graphs that fit, unless something else is given, and that keep what they are given."""

    def __init__(self, *, top_ids=(7, 0, 420), label_scores=(-2.0, -np.inf)):
        self.top_ids = top_ids
        self.label_scores = label_scores
        self.batches = []
        self.looked_up = []

    def run(self, batch):
        self.batches.append((batch.input_ids.tolist(), batch.attention_mask.tolist()))
        rows, tokens = batch.input_ids.shape
        return NetworkOutput(np.zeros((rows, 2 * tokens, 3)), np.zeros((rows, 2 * tokens, WIDTH)))

    def look_up(self, states, labels):
        self.looked_up.append((states.shape, labels.tolist()))
        return WordScores(np.array([self.top_ids]), np.zeros((1, 3)), np.array([self.label_scores]))


def check(tokenizer, graphs, **changes):
    check_graphs(Bundle(FOLDER, replace(CONFIG, **changes)), graphs, tokenizer)


def refused(tokenizer, graphs, **changes):
    with pytest.raises(BundleError) as found:
        check(tokenizer, graphs, **changes)
    return str(found.value)


def test_the_edges_and_the_last_word_are_read_once(small_tokenizer):
    """A word more than there are must have no score."""
    graphs = Graphs()
    check(small_tokenizer, graphs)
    assert graphs.batches == [([[0, *[420] * 6, 2]], [[1] * 8])]
    assert graphs.looked_up == [((1, WIDTH), [[420, 421]])]


def test_a_network_that_reads_few_tokens_gets_few(small_tokenizer):
    graphs = Graphs()
    check(small_tokenizer, graphs, max_tokens=3)
    assert graphs.batches == [([[0, 420, 2]], [[1] * 3])]


def test_a_network_may_have_more_words_than_the_tokenizer(small_tokenizer):
    """The last one of the tokenizer is looked up: the others are never written."""
    graphs = Graphs()
    check(small_tokenizer, graphs, vocab_size=430)
    assert graphs.batches == [([[0, *[429] * 6, 2]], [[1] * 8])]
    assert graphs.looked_up == [((1, WIDTH), [[420, 430]])]


@pytest.mark.parametrize(
    ("lexicon", "words"),
    [
        (Graphs(label_scores=(-2.0, -9.0)), "more"),
        (Graphs(label_scores=(-np.inf, -9.0)), "more"),
        (Graphs(label_scores=(-np.inf, -np.inf)), "fewer"),
        (Graphs(top_ids=(7, 0, 421)), "more"),
        (Graphs(top_ids=(7, 0, -1)), "more"),
    ],
    ids=["a score too many", "only the wrong one", "none", "a word too high", "a word too low"],
)
def test_a_lexicon_with_other_words_is_refused(small_tokenizer, lexicon, words):
    assert refused(small_tokenizer, lexicon) == (
        f"{FOLDER / 'bundle.json'}: vocab_size is 421, but the lexicon has {words} words; "
        "export the bundle again"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_size": 420}, "tokenizer.json has 421 tokens, but the network has 420 in"),
        ({"pad_id": 3}, "pad_id is 3, but 1 in tokenizer.json"),
        ({"mask_id": 3}, "mask_id is 3, but 4 in tokenizer.json"),
        (
            {"upsampling": 3},
            "network of some/bundle returns scores of shape [1, 16, 3], but bundle.json requires "
            "[1, 24, 3]",
        ),
        (
            {"candidates": 4},
            "lexicon of some/bundle returns words (candidates) of shape [1, 3], but bundle.json "
            "requires [1, 4]",
        ),
    ],
)
def test_a_bundle_that_says_something_else_is_refused(small_tokenizer, changes, message):
    said = refused(small_tokenizer, Graphs(), **changes)
    assert message.replace("some/bundle", str(FOLDER)) in said


def test_what_an_engine_says_is_on_one_line(small_tokenizer):
    class Failing(Graphs):
        def run(self, batch):
            raise OSError("no\n  memory")

    assert refused(small_tokenizer, Failing()) == (
        f"the network of {FOLDER} cannot read 8 tokens, where vocab_size is 421: no memory; "
        "export the bundle again"
    )


def test_the_middle_of_a_long_message_is_left_out():
    start, end = "s" * 150, "e" * 150
    assert in_one_line(ValueError(start + end)) == start + end
    assert in_one_line(ValueError(f"{start}-{end}")) == f"{start} … {end}"
