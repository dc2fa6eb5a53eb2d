from itertools import pairwise, product

import numpy as np
import pytest

from emendo.ctc import reference
from emendo.ctc.alphabet import BLANK
from emendo.ctc.likelihood import _bands, log_likelihoods
from tests.ctc.test_reference import random_case


def test_many_at_once_equal_enumeration():
    """Outputs of different sources, equal neighbours and outputs without a path among them."""
    rng = np.random.default_rng(0)
    blanks, emissions, outputs, expected = [], [], [], []
    for _ in range(300):
        alphabet, keep_ids, table = random_case(rng)
        found = list(reference.paths_by_output(alphabet, keep_ids))
        labels = found[rng.integers(len(found))] if rng.random() < 0.8 else (0,) * 7
        slots = range(len(table))
        blanks.append(
            [reference.folded_emission(table, keep_ids, alphabet, s, BLANK) for s in slots]
        )
        emissions.append(
            [
                [reference.folded_emission(table, keep_ids, alphabet, s, label) for label in labels]
                for s in slots
            ]
        )
        outputs.append(labels)
        expected.append(reference.enumerated_log_likelihood(table, keep_ids, labels, alphabet))
    K, S, M = len(outputs), max(map(len, blanks)), max(map(len, outputs))
    # What lies outside of a source or an output is nonsense, and must not matter.
    blank, table = np.full((K, S), np.nan), np.full((K, S, M), np.nan)
    labels = np.zeros((K, M), dtype=np.int64)
    for k, output in enumerate(outputs):
        blank[k, : len(blanks[k])] = blanks[k]
        if output:
            table[k, : len(blanks[k]), : len(output)] = emissions[k]
        labels[k, : len(output)] = output
    slots = np.array([len(row) for row in blanks])
    lengths = np.array([len(output) for output in outputs])
    found = log_likelihoods(blank, table, labels, slots, lengths)
    assert found.tolist() == pytest.approx(expected, abs=1e-9)
    assert (found == -np.inf).sum() > 20


def test_no_slots_give_nothing_but_the_empty_output():
    """Beside a source that has some: what belongs to no slot must not matter."""
    blank, emissions = np.log(np.full((3, 1), 0.5)), np.log(np.full((3, 1, 1), 0.25))
    labels, slots, lengths = np.array([[4]] * 3), np.array([0, 0, 1]), np.array([0, 1, 0])
    found = log_likelihoods(blank, emissions, labels, slots, lengths)
    assert found.tolist() == [0.0, -np.inf, np.log(0.5)]


def ways(blank, emissions, labels):
    """Yield the states and the log P of every possible path of an output."""
    last = 2 * len(labels)
    for states in product(range(last + 1), repeat=len(blank)):
        steps = list(pairwise((0, *states)))
        if states[-1] < last - 1 or any(not 0 <= b - a <= 2 for a, b in steps):
            continue
        if states[0] > 1 or any(
            b - a == 2 and (b % 2 == 0 or labels[b // 2] == labels[a // 2]) for a, b in steps[1:]
        ):
            continue
        score = sum(
            emissions[slot][state // 2] if state % 2 else blank[slot]
            for slot, state in enumerate(states)
        )
        if score > -np.inf:
            yield states, score


@pytest.mark.parametrize("impossible", [0.3, 0.6, 0.8])
def test_states_that_no_path_needs_are_left_out(impossible):
    """Most labels can only come from their own token, so nearly all states are left out."""
    rng = np.random.default_rng(int(10 * impossible))
    narrow = 0
    for _ in range(60):
        K, S, M = 2, int(rng.integers(1, 6)), int(rng.integers(1, 4))
        blank, emissions = np.log(rng.random((K, S))), np.log(rng.random((K, S, M)))
        emissions[rng.random(emissions.shape) < impossible] = -np.inf
        labels = rng.integers(0, 2, (K, M))
        slots, lengths = rng.integers(1, S + 1, K), rng.integers(0, M + 1, K)
        found = log_likelihoods(blank, emissions, labels, slots, lengths)
        bands = list(_bands(emissions, slots, lengths))
        narrow += sum(high - low < 2 * M + 1 for low, high in bands)
        for k in range(K):
            own = labels[k, : lengths[k]]
            every = list(ways(blank[k, : slots[k]], emissions[k], own))
            expected = np.logaddexp.reduce([score for _, score in every], initial=-np.inf)
            assert found[k] == pytest.approx(expected, abs=1e-9)
            for states, _ in every:
                assert all(a <= s < b for s, (a, b) in zip(states, bands, strict=False))
    assert narrow > 50


def test_the_band_follows_the_tokens():
    """Two slots for each of 40 labels, and then five slots more at which any label may be."""
    emissions = np.full((1, 80, 40), -np.inf)
    for k in range(40):
        emissions[0, 2 * k : 2 * k + 2, k] = -1.0
    bands = list(_bands(emissions, np.array([80]), np.array([40])))
    assert bands == [(2 * (slot // 2), 2 * (slot // 2) + 3) for slot in range(80)]
    emissions[0, 30:35] = -2.0
    wider = list(_bands(emissions, np.array([80]), np.array([40])))
    assert all(a <= c and d <= b for (a, b), (c, d) in zip(wider, bands, strict=True))
    assert max(high - low for low, high in wider) == 27


def test_a_shorter_output_beside_a_longer_one():
    """After the shorter output has ended, the band depends on the longer one alone."""
    emissions = np.full((2, 40, 20), -np.inf)
    for k in range(20):
        emissions[:, 2 * k : 2 * k + 2, k] = -1.0
    bands = list(_bands(emissions, np.array([10, 40]), np.array([5, 20])))
    assert max(high - low for low, high in bands) <= 5


@pytest.mark.parametrize(("outputs", "slots"), [(0, 4), (2, 0)])
def test_nothing_to_read(outputs, slots):
    found = log_likelihoods(
        np.zeros((outputs, slots)),
        np.zeros((outputs, slots, 3)),
        np.zeros((outputs, 3), dtype=int),
        np.zeros(outputs, dtype=int),
        np.array([0, 2][:outputs]),
    )
    assert found.tolist() == [0.0, -np.inf][:outputs]
