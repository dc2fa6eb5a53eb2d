"""Verdicts on claims: is one arm better than another, over sentences and seeds?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000


@dataclass(frozen=True)
class Verdict:
    """The difference between two arms in F0.5, in points."""

    difference: float
    low: float
    high: float
    """The 95 % interval over seeds and sentences."""
    by_seed: tuple[float, ...]
    """The difference for each seed."""

    @property
    def word(self) -> str:
        """Return what the interval says about the claim."""
        if self.low > 0:
            return "held"
        return "not held" if self.high < 0 else "undecided"

    @property
    def smallest(self) -> float:
        """The smallest difference that such a run can show: half the interval."""
        return (self.high - self.low) / 2


def f05(sums):
    """Return F0.5, in points, from sums [..., 3] of correct, proposed and gold edits."""
    correct, proposed, gold = np.moveaxis(sums, -1, 0)
    # F = 1.25·correct / (0.25·gold + proposed), which is 0 for an output without edits.
    return 100 * 1.25 * correct / np.maximum(0.25 * gold + proposed, 1e-9)


def judge(better, worse) -> Verdict:
    """Compare two arms by a paired bootstrap over seeds and sentences.

    Args:
        better: [seeds, sentences, 3] correct, proposed and gold edits of the arm that the claim
            says is better.
        worse: The same of the other arm, with the same seeds and sentences.
    """
    better, worse = np.asarray(better, dtype=float), np.asarray(worse, dtype=float)
    if better.shape != worse.shape:
        raise ValueError(f"arms of different shapes: {better.shape} and {worse.shape}")
    seeds, sentences, _ = better.shape
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(RESAMPLES):
        some = rng.integers(seeds, size=seeds)
        weights = np.bincount(rng.integers(sentences, size=sentences), minlength=sentences)
        sums = [np.tensordot(arm[some], weights, axes=(1, 0)) for arm in (better, worse)]
        drawn.append((f05(sums[0]) - f05(sums[1])).mean())
    by_seed = f05(better.sum(axis=1)) - f05(worse.sum(axis=1))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Verdict(float(by_seed.mean()), float(low), float(high), tuple(map(float, by_seed)))
