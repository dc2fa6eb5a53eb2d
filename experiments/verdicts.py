"""Verdicts on claims: is one arm better than another, over sentences and seeds?"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
# Student's t at 97.5 %, by the degrees of freedom; a single seed says nothing about others.
_NORMAL = 1.96
_STUDENT = {0: _NORMAL, 1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571}


@dataclass(frozen=True)
class Verdict:
    """The difference between two arms in F0.5, in points."""

    difference: float
    low: float
    high: float
    """The 95 % interval: over sentences and, if there are several, over seeds."""
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
    """Compare two arms by a paired bootstrap over sentences and the spread over seeds.

    The variances of both are added. Three seeds are too few for a bootstrap, whose interval would
    never be wider than their differences, so the interval is Student's with their degrees of
    freedom. With one seed it is that of the sentences.

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
        weights = np.bincount(rng.integers(sentences, size=sentences), minlength=sentences)
        sums = [np.tensordot(arm, weights, axes=(1, 0)) for arm in (better, worse)]
        drawn.append((f05(sums[0]) - f05(sums[1])).mean())
    by_seed = tuple(map(float, f05(better.sum(axis=1)) - f05(worse.sum(axis=1))))
    over_seeds = statistics.variance(by_seed) / seeds if seeds > 1 else 0.0
    half = _STUDENT[seeds - 1] * math.sqrt(np.var(drawn) + over_seeds)
    middle = statistics.fmean(by_seed)
    return Verdict(middle, middle - half, middle + half, by_seed)
