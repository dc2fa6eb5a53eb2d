"""The executable specification, held against itself: enumeration, loops, greedy."""

import numpy as np
import pytest

from emendo.ctc import (
    BLANK,
    KEEP,
    Alphabet,
    SlotScores,
    collapse,
    decide,
    greedy_paths,
    reference,
    undecided,
)
from emendo.labels import NO_LABEL


@pytest.mark.parametrize(
    ("path", "keep_ids", "upsampling", "labels", "origins"),
    [
        pytest.param([KEEP, KEEP, 7, BLANK], [5, 6], 2, (5, 7), (0, -1), id="keep then add"),
        pytest.param([KEEP] * 4, [5, 5], 2, (5,), (0,), id="equal neighbours merge"),
        pytest.param(
            [KEEP, BLANK, BLANK, KEEP], [5, 5], 2, (5, 5), (0, 1), id="blank parts equals"
        ),
        pytest.param([5, KEEP], [5], 2, (5,), (0,), id="add merges into keep"),
        pytest.param([3, 5, KEEP, 5], [9, 5], 2, (3, 5), (-1, 1), id="first kept token counts"),
        pytest.param([KEEP, 5, 5, KEEP], [5, 5], 2, (5,), (0,), id="run over two kept tokens"),
        pytest.param([BLANK] * 3, [4], 3, (), (), id="all deleted"),
        pytest.param([], [], 4, (), (), id="nothing"),
    ],
)
def test_collapse(path, keep_ids, upsampling, labels, origins):
    assert collapse(path, keep_ids, upsampling) == (labels, origins)


def test_collapse_has_no_output_for_a_kept_edge():
    assert collapse([KEEP], [NO_LABEL], 1) is None


def random_case(rng, *, max_slots=6):
    upsampling = int(rng.integers(1, 4))
    N = int(rng.integers(1, max_slots // upsampling + 1))
    V = int(rng.integers(1, 5 if N * upsampling < 6 else 4))
    alphabet = Alphabet(V, upsampling)
    # Edges and spellings beyond the vocabulary among ordinary tokens.
    keep_ids = rng.integers(-1, V + 1, size=N)
    keep_ids[keep_ids < 0] = NO_LABEL
    scores = rng.normal(scale=2, size=(N * upsampling, V + 2))
    scores[alphabet.slot_keep_ids(keep_ids) == NO_LABEL, V] = -np.inf
    table = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return alphabet, tuple(keep_ids.tolist()), table


def test_loops_equal_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(150):
        alphabet, keep_ids, table = random_case(rng)
        outputs = list(reference.paths_by_output(alphabet, keep_ids))
        total = -np.inf
        for labels in (
            outputs
            if len(outputs) < 40
            else [outputs[i] for i in rng.integers(0, len(outputs), 15)]
        ):
            expected = reference.enumerated_log_likelihood(table, keep_ids, labels, alphabet)
            assert reference.forward_log_likelihood(
                table, keep_ids, labels, alphabet
            ) == pytest.approx(expected, abs=1e-9)
            score, path = reference.viterbi(table, keep_ids, labels, alphabet)
            assert score == pytest.approx(
                reference.enumerated_best_score(table, keep_ids, labels, alphabet), abs=1e-9
            )
            if path is not None:
                assert collapse(path, keep_ids, alphabet.upsampling).labels == labels
            total = np.logaddexp(total, expected)
        if len(outputs) < 40:
            assert total == pytest.approx(0, abs=1e-9), (
                "the outputs share out all of the probability"
            )


def test_a_target_that_does_not_fit_has_no_path():
    alphabet, keep_ids = Alphabet(2, 2), (0,)
    table = np.log(np.full((2, 4), 0.25))
    assert reference.forward_log_likelihood(table, keep_ids, (0, 0), alphabet) == -np.inf
    assert reference.viterbi(table, keep_ids, (0, 1, 0), alphabet) == (-np.inf, None)


def slot_scores(table, slot_keep_ids, V, *, skip):
    """Factor a flat table, and keep only the rows that a backend would look up."""
    add = np.logaddexp.reduce(table[:, :V], axis=-1)
    three_way = np.stack([table[:, V], table[:, V + 1], add], axis=-1)[None]
    lexical = np.minimum(table[:, :V] - add[:, None], 0)
    rows = np.flatnonzero(undecided(np.exp(three_way))[0]) if skip else np.arange(len(table))
    order = np.argsort(-lexical, axis=-1, kind="stable")[rows]
    padded = np.concatenate([lexical, np.full((len(table), 1), -np.inf)], axis=-1)
    column = np.where((slot_keep_ids < 0) | (slot_keep_ids >= V), V, slot_keep_ids)
    return SlotScores(
        three_way,
        rows,
        order,
        np.take_along_axis(lexical[rows], order, axis=-1),
        padded[rows, column[rows]],
    )


def test_greedy_with_the_skip_equals_greedy_without_it():
    rng = np.random.default_rng(1)
    skipped = 0
    for _ in range(2000):
        alphabet, keep_ids, table = random_case(rng)
        V = alphabet.vocab_size
        slots = alphabet.slot_keep_ids(np.array(keep_ids))
        few = slot_scores(table, slots, V, skip=True)
        every = slot_scores(table, slots, V, skip=False)
        skipped += len(every.rows) - len(few.rows)
        path = greedy_paths(few)[0]
        np.testing.assert_array_equal(path, greedy_paths(every)[0])
        resolved = np.where(path == KEEP, slots, path)
        np.testing.assert_array_equal(resolved, reference.greedy(table, keep_ids, alphabet))
    assert skipped > 2000, "the skip must skip something, or this test shows nothing"


def test_greedy_ties_do_not_depend_on_the_skip():
    rng = np.random.default_rng(2)
    for _ in range(2000):
        # Quarters make exact ties common.
        weights = rng.integers(0, 4, size=(4, 5)) / 4
        weights[:, 4] += weights.sum(axis=-1) == 0
        with np.errstate(divide="ignore"):
            table = np.log(weights / weights.sum(axis=-1, keepdims=True))
        slots = rng.integers(0, 3, size=4)
        add = np.logaddexp.reduce(table[:, :3], axis=-1)
        table = table[add > -np.inf]
        slots = slots[add > -np.inf]
        few, every = (slot_scores(table, slots, 3, skip=skip) for skip in (True, False))
        np.testing.assert_array_equal(greedy_paths(few), greedy_paths(every))


@pytest.mark.parametrize(
    ("chances", "own", "best", "is_keep", "is_blank"),
    [
        pytest.param((0.375, 0.375, 0.25), 0, 0, True, False, id="keep before blank"),
        pytest.param((0.375, 0.25, 0.375), 0, 1, True, False, id="keep before any word"),
        pytest.param((0.25, 0.375, 0.375), 0.125, 1, False, True, id="blank before words"),
        pytest.param((0.25, 0.5, 0.25), 1, 1, False, True, id="blank before keep with its word"),
        pytest.param((0.125, 0.0, 0.5), 0.25, 0.5, True, False, id="keep before an equal word"),
        pytest.param(
            (0.0, 0.25, 0.75), 0.5, 0.5, False, False, id="no keep where it has no chance"
        ),
        pytest.param((0.0, 0.0, 0.0), 0, 0, False, True, id="nothing at all is blank"),
    ],
)
def test_ties_go_where_they_should(chances, own, best, is_keep, is_blank):
    found = decide(np.array([chances]), np.array([own]), np.array([best]))
    assert [part.tolist() for part in found] == [[is_keep], [is_blank]]


def test_what_a_tie_decides_is_not_looked_up():
    ties = [[0.375, 0.375, 0.25], [0.375, 0.25, 0.375], [0.25, 0.5, 0.25], [0.25, 0.375, 0.375]]
    assert undecided(np.array(ties)).tolist() == [False, False, False, True]
