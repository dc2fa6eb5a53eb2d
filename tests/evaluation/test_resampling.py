import itertools

import numpy as np
import pytest

from emendo.errors import FormatError
from emendo.evaluation.counts import Counts, total
from emendo.evaluation.gleu import score_gleu
from emendo.evaluation.metrics import score_counts
from emendo.evaluation.resampling import bootstrap, compare


def _random_counts(seed, sentences=200, skill=0.5):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, sentences)
    proposed = rng.integers(0, 4, sentences)
    correct = rng.binomial(np.minimum(gold, proposed), skill)
    return [Counts(*map(int, row)) for row in zip(correct, proposed, gold, strict=True)]


def test_values_are_those_of_the_summed_counts():
    counts = _random_counts(0)
    whole = total(counts)
    expected = {
        "precision": 100 * whole.precision,
        "recall": 100 * whole.recall,
        "f0.5": 100 * whole.f(),
    }
    assert score_counts("errant", counts).values() == pytest.approx(expected)


@pytest.mark.parametrize("counts", [Counts(), Counts(0, 3, 0), Counts(0, 0, 3), Counts(0, 2, 2)])
def test_nothing_proposed_or_wanted_divides_by_nothing(counts):
    values = score_counts("errant", [counts]).values()
    assert values["precision"] == 100 * counts.precision
    assert values["recall"] == 100 * counts.recall
    assert values["f0.5"] == pytest.approx(100 * counts.f())


def test_interval_is_that_of_a_plain_loop():
    scored = score_counts("errant", _random_counts(1))
    interval = bootstrap(scored, runs=2000)
    rng = np.random.default_rng(9)
    rows = scored.statistics[:, 0]
    plain = []
    for _ in range(2000):
        correct, proposed, gold = rows[rng.integers(len(rows), size=len(rows))].sum(0)
        plain.append(100 * Counts(int(correct), int(proposed), int(gold)).f())
    assert interval == pytest.approx(np.percentile(plain, [2.5, 97.5]), abs=0.6)
    assert interval.low < scored.values()["f0.5"] < interval.high
    assert bootstrap(scored) == bootstrap(scored)


def test_p_value_is_that_of_all_swaps():
    first, second = _random_counts(2, 10), _random_counts(3, 10, skill=1.0)
    one, two = score_counts("errant", first), score_counts("errant", second)
    observed = two.values()["f0.5"] - one.values()["f0.5"]
    gaps = []
    for swap in itertools.product([False, True], repeat=10):
        a = total(y if s else x for x, y, s in zip(first, second, swap, strict=True))
        b = total(x if s else y for x, y, s in zip(first, second, swap, strict=True))
        gaps.append(100 * (b.f() - a.f()))
    exact = np.mean(np.abs(gaps) >= abs(observed) - 1e-9)
    found = compare(one, two, runs=5000)
    assert found.value == pytest.approx(observed)
    assert found.p_value == pytest.approx(exact, abs=0.03)


def _random_gleu(seed, references=3, sentences=30):
    """Two systems that differ by chance alone, on the same sentences and references."""
    rng = np.random.default_rng(seed)

    def texts():
        return [" ".join(rng.choice(list("ab"), 8)) for _ in range(sentences)]

    sources, wanted = texts(), list(zip(*(texts() for _ in range(references)), strict=True))
    return [score_gleu(sources, wanted, texts()) for _ in range(2)]


def test_equal_systems_do_not_differ():
    scored = score_counts("errant", _random_counts(4))
    assert compare(scored, scored) == (0, 0, 0, 1)
    scored, _ = _random_gleu(4)
    assert compare(scored, scored) == (0, 0, 0, 1)


def test_resamples_of_gleu_meet_all_references():
    """Each resample is the mean over all draws of references, as the score itself is."""
    scored, other = _random_gleu(5)
    interval, difference = bootstrap(scored), compare(scored, other)
    rng = np.random.default_rng(9)
    plain, gaps = [], []
    for _ in range(1000):
        rows = rng.integers(30, size=30)
        first, second = (
            np.mean(each.rule(each.statistics[rows].sum(axis=0))["gleu"])
            for each in (scored, other)
        )
        plain.append(first)
        gaps.append(second - first)
    width = np.ptp(interval)
    assert interval == pytest.approx(np.percentile(plain, [2.5, 97.5]), abs=width / 10)
    found = (difference.low, difference.high)
    assert found == pytest.approx(np.percentile(gaps, [2.5, 97.5]), abs=np.ptp(found) / 10)


def test_a_much_better_system_differs():
    better = compare(
        score_counts("m2", _random_counts(5, skill=0.2)),
        score_counts("m2", _random_counts(5, skill=0.9)),
    )
    assert better.low > 0
    assert better.p_value == pytest.approx(1 / 1001)


def _counts_by_chance(seed):
    return [score_counts("m2", _random_counts(2 * seed + place)) for place in range(2)]


@pytest.mark.parametrize("by_chance", [_counts_by_chance, _random_gleu])
def test_chance_alone_gives_every_p_value_alike(by_chance, monkeypatch):
    # Of the references; as many as a score has would take a minute.
    monkeypatch.setattr("emendo.evaluation.gleu._DRAWS", 20)
    p_values = np.sort([compare(*by_chance(seed), runs=200).p_value for seed in range(100)])
    # Kolmogorov and Smirnov: of uniform values one set in a thousand lies further off.
    assert np.max(np.abs(p_values - (np.arange(100) + 0.5) / 100)) < 0.195


def test_other_sentences_are_refused():
    with pytest.raises(FormatError, match="3 sentences with errant on 4"):
        compare(score_counts("errant", [Counts()] * 3), score_counts("errant", [Counts()] * 4))
