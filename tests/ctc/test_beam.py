import numpy as np
import pytest

from emendo.ctc import BLANK, KEEP, collapse, reference
from emendo.ctc.beam import Candidate, search_beam
from emendo.labels import NO_LABEL
from tests.ctc.test_reference import random_case


def all_candidates(table, keep_ids, alphabet):
    """Every label at every slot."""
    candidates = []
    for slot in range(len(table)):
        token = slot // alphabet.upsampling
        labels = {*range(alphabet.vocab_size), keep_ids[token]} - {NO_LABEL}
        candidates.append(
            [
                Candidate(
                    label,
                    reference.folded_emission(table, keep_ids, alphabet, slot, label),
                    token if label == keep_ids[token] else -1,
                )
                for label in sorted(labels)
            ]
        )
    return table[:, alphabet.vocab_size + 1].tolist(), candidates


def test_a_wide_beam_finds_what_enumeration_finds():
    rng = np.random.default_rng(0)
    for _ in range(60):
        alphabet, keep_ids, table = random_case(rng, max_slots=5)
        blank, candidates = all_candidates(table, keep_ids, alphabet)
        found = search_beam(blank, candidates, width=100_000)
        expected = {
            labels: reference.enumerated_log_likelihood(table, keep_ids, labels, alphabet)
            for labels in reference.paths_by_output(alphabet, keep_ids)
        }
        assert {h.output.labels: h.score for h in found} == pytest.approx(expected, abs=1e-9)
        scores = [h.score for h in found]
        assert scores == sorted(scores, reverse=True)


def test_a_narrow_beam_finds_the_best_when_it_is_clear():
    rng = np.random.default_rng(1)
    agreed = 0
    for _ in range(100):
        alphabet, keep_ids, table = random_case(rng)
        table = np.log(np.exp(3 * table) / np.exp(3 * table).sum(axis=-1, keepdims=True))
        (first, *_) = search_beam(*all_candidates(table, keep_ids, alphabet), width=4)
        outputs = reference.paths_by_output(alphabet, keep_ids)
        best = max(
            outputs,
            key=lambda y, t=table, k=keep_ids, a=alphabet: reference.enumerated_log_likelihood(
                t, k, y, a
            ),
        )
        agreed += first.output.labels == best
    assert agreed >= 97


def test_origins_are_those_of_a_path():
    """What is copied is what some path copies: the first kept token of its run."""
    keep_ids, blank = (5, 6), [-9.0, -9.0, -9.0, -9.0]
    keep = [[Candidate(5, -0.1, 0)], [Candidate(5, -0.1, 0)]]
    add = [[Candidate(7, -0.1, -1)], [Candidate(6, -0.1, 1)]]
    (first, *_) = search_beam(blank, keep + add, width=8)
    assert first.output == collapse([KEEP, KEEP, 7, KEEP], keep_ids, 2)
    late = [[Candidate(5, -0.1, -1)], [Candidate(5, -0.1, 0)]]
    (first, *_) = search_beam(blank[:2], late, width=8)
    assert first.output == collapse([5, KEEP], (5,), 2)
    # Those before stay as they are.
    later = [[Candidate(7, -0.1, 0)], [Candidate(5, -0.1, -1)], [Candidate(5, -0.1, 1)]]
    (first, *_) = search_beam(blank[:3], later, width=8)
    assert first.output == ((7, 5), (0, 1))
    # Of two that were kept the first, even if it is token 0.
    both = [[Candidate(5, -0.1, 0)], [Candidate(5, -0.1, 1)]]
    (first, *_) = search_beam(blank[:2], both, width=8)
    assert first.output == collapse([KEEP, KEEP], (5, 5), 1)
    (first, *_) = search_beam([0.0], [[]], width=3)
    assert first.output == collapse([BLANK], (5,), 1)


@pytest.mark.parametrize(
    ("blank", "scores", "origin"),
    [
        # Where two slots can give the label, the first by ADD and the second by KEEP.
        ((-3.0, -3.0), (-1.0, -1.0), 0),
        ((-3.0, -0.1), (-1.0, -2.0), -1),
        ((-0.1, -3.0), (-2.0, -1.0), 0),
        ((-0.1, -0.1), (-1.0, -2.0), -1),
        ((-0.1, -0.1), (-2.0, -1.0), 0),
    ],
)
def test_origins_are_those_of_the_likeliest_path(blank, scores, origin):
    candidates = [[Candidate(5, scores[0], -1)], [Candidate(5, scores[1], 0)]]
    found = {h.output.labels: h.output for h in search_beam(blank, candidates, width=8)}
    paths = {
        (5, KEEP): sum(scores),
        (5, BLANK): scores[0] + blank[1],
        (BLANK, KEEP): blank[0] + scores[1],
    }
    likeliest = max(paths, key=paths.get)
    assert found[(5,)] == collapse(likeliest, (5,), 2) == ((5,), (origin,))


def test_of_equally_likely_ways_the_first_counts():
    candidates = [[Candidate(5, -1.0, 0), Candidate(5, -1.0, -1)]]
    (first, *_) = search_beam([-9.0], candidates, width=4)
    assert first.output.origins == (0,)


def test_every_slot_has_candidates():
    with pytest.raises(ValueError, match="shorter"):
        search_beam([-1.0, -1.0], [[]], width=4)


def test_what_cannot_be_is_no_hypothesis():
    (only,) = search_beam([-1.0], [[Candidate(5, -np.inf, -1)]], width=4)
    assert only.output.labels == ()


def test_what_cannot_be_is_not_continued():
    word = [Candidate(5, -1.0, -1)]
    never = [Candidate(5, -np.inf, -1)]
    found = search_beam([-1.0, -1.0], [never, word], width=4)
    assert [(each.output.labels, each.score) for each in found] == [((), -2.0), ((5,), -2.0)]
    # The word of the first slot can be followed by nothing but itself.
    found = search_beam([-np.inf, -np.inf, -1.0], [word, never, word], width=4)
    assert not found
