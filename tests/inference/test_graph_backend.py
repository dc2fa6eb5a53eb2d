"""What two graphs are given, and what is made of what they return."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from emendo.bundle import Bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, LEXICON, NETWORK
from emendo.errors import BundleError
from emendo.inference.backend import Batch
from emendo.inference.graph_backend import GraphBackend, open_graphs
from tests.inference.conftest import CONFIG


class Network:
    """Writes the position of each slot for its scores and states."""

    def __init__(self):
        self.given = []

    def __call__(self, input_ids, attention_mask):
        self.given.append((input_ids, attention_mask))
        rows, tokens = input_ids.shape
        slots = np.arange(rows * tokens * 2.0).reshape(rows, tokens * 2, 1)
        return slots.repeat(3, axis=2), slots


class Lexicon:
    """Finds the number of a slot, its state, as each of its words."""

    def __init__(self):
        self.rows = []

    def __call__(self, states, labels):
        self.rows.append(len(states))
        words = states.repeat(3, axis=1)
        return words.astype(np.int64), -words, -labels.astype(np.float32)


def slots(rows):
    """Return as many states and labels."""
    return np.arange(float(rows))[:, None], np.arange(2 * rows).reshape(rows, 2)


def test_many_slots_are_looked_up_in_equal_chunks():
    """Two million scores at once: with a million words, two slots."""
    lexicon = Lexicon()
    config = replace(CONFIG, vocab_size=1_000_000)
    words = GraphBackend(Network(), lexicon, config).look_up(*slots(5))
    assert lexicon.rows == [2, 2, 1]
    assert words.top_ids.tolist() == [[k] * 3 for k in range(5)]
    assert words.top_scores.tolist() == [[-k] * 3 for k in range(5)]
    assert words.label_scores.tolist() == [[-2 * k, -2 * k - 1] for k in range(5)]


def test_few_slots_are_looked_up_together():
    lexicon = Lexicon()
    GraphBackend(Network(), lexicon, CONFIG).look_up(*slots(5))
    assert lexicon.rows == [5]


def test_no_slots_are_not_looked_up():
    lexicon = Lexicon()
    words = GraphBackend(Network(), lexicon, CONFIG).look_up(*slots(0))
    assert lexicon.rows == []
    assert words.top_ids.shape == words.top_scores.shape == (0, 3)
    assert words.label_scores.shape == (0, 2)


def batch_of(rows, tokens):
    ids = np.full((rows, tokens), 9)
    return Batch(ids, np.ones_like(ids), ids)


def test_a_batch_is_read_as_it_is():
    network, batch = Network(), batch_of(5, 3)
    output = GraphBackend(network, Lexicon(), CONFIG).run(batch)
    ((ids, mask),) = network.given
    assert ids is batch.input_ids
    assert mask is batch.attention_mask
    assert output.three_way.shape == (5, 6, 3)


def test_an_engine_that_compiles_for_each_shape_gets_few_shapes():
    """Five sentences of three tokens are read as six of eight, five slots looked up as six."""
    network, lexicon = Network(), Lexicon()
    backend = GraphBackend(network, lexicon, CONFIG, has_few_shapes=True)
    output = backend.run(batch_of(5, 3))
    ((ids, mask),) = network.given
    assert ids.tolist() == [[9] * 3 + [1] * 5] * 6
    assert mask.tolist() == [[1] * 3 + [0] * 5] * 6
    # Each sentence has 16 slots, and six of them are its own.
    assert output.states[..., 0].tolist() == [list(range(16 * k, 16 * k + 6)) for k in range(5)]
    assert output.three_way.shape == (5, 6, 3)
    words = backend.look_up(*slots(5))
    assert lexicon.rows == [6]
    assert words.top_ids.tolist() == [[k] * 3 for k in range(5)]
    assert words.label_scores.shape == (5, 2)


@pytest.mark.parametrize(
    ("is_int8", "network", "lexicon"),
    [(False, NETWORK, LEXICON), (True, INT8_NETWORK, INT8_LEXICON)],
)
def test_each_graph_has_its_own_file(bundle, is_int8, network, lexicon):
    graphs = {bundle.folder / network: Network(), bundle.folder / lexicon: Lexicon()}
    called = []
    backend = open_graphs(
        bundle, graphs.__getitem__, is_int8=is_int8, meanwhile=lambda: called.append(True)
    )
    assert called == [True]
    batch = batch_of(5, 3)
    backend.run(batch)
    backend.look_up(*slots(5))
    ((ids, _),) = graphs[bundle.folder / network].given
    assert ids is batch.input_ids
    assert graphs[bundle.folder / lexicon].rows == [5]


def test_nothing_need_be_done_meanwhile(bundle):
    assert open_graphs(bundle, lambda path: path, is_int8=False).max_tokens == 64


@pytest.mark.parametrize(
    ("files", "is_int8", "message"),
    [
        ([INT8_NETWORK, INT8_LEXICON], False, r"no single-precision graphs.* with --fp32"),
        ([NETWORK, LEXICON, INT8_NETWORK], True, r"no int8 graphs.* with --int8"),
    ],
)
def test_graphs_that_a_bundle_does_not_have(bundle, files, is_int8, message):
    listed = {name: bundle.config.files[name] for name in files}
    some = Bundle(Path("b"), replace(CONFIG, files=listed))
    with pytest.raises(BundleError, match=message):
        open_graphs(some, lambda path: path, is_int8=is_int8)
