import numpy as np
import pytest

from emendo.ctc import reference
from emendo.ctc.alphabet import BLANK
from emendo.ctc.likelihood import log_likelihoods
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
