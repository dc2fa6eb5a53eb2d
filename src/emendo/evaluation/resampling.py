"""How sure a score is: bootstrap intervals, and a paired test between two systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Resamples worked on at once: keeps the weights of long test sets in a few megabytes.
_CHUNK = 100


@dataclass(frozen=True)
class Scored:
    """What each sentence adds to a system's score, and the rule that makes the score of the sum."""

    metric: str
    """Its name, as `emendo score --metric` takes it."""
    headline: str
    """Which of the values systems are compared by."""
    statistics: Floats
    """[sentences, choices, parts]; most metrics leave one choice, GLEU one for each reference."""
    rule: Callable[[Floats], dict[str, Floats]]
    """From sums [runs, parts] to named values [runs], each 100 at best."""
    draws: int = 1
    """How often the choices are drawn at random; the score is the mean."""
    choices: NDArray[np.int64] | None = None
    """How many of its choices each sentence has, if not all."""

    def values(self) -> dict[str, float]:
        """Return the score's named values."""
        whole = np.ones((1, len(self.statistics)))
        rng = np.random.default_rng(0)
        runs = [self.rule(self._sums(whole, rng)) for _ in range(self.draws)]
        return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}

    def resampled(self, weights: Floats, rng: np.random.Generator) -> Floats:
        """Return the headline for each row of weights [runs, sentences]."""
        return self.rule(self._sums(weights, rng))[self.headline]

    def _sums(self, weights: Floats, rng: np.random.Generator) -> Floats:
        sentences, most, _ = self.statistics.shape
        if most == 1:
            return np.asarray(weights @ self.statistics[:, 0])
        rows = np.arange(sentences)
        high = most if self.choices is None else self.choices
        return np.stack(
            [run @ self.statistics[rows, rng.integers(high, size=sentences)] for run in weights]
        )


class Interval(NamedTuple):
    """Where a value lies in most resamples of the sentences."""

    low: float
    high: float


class Difference(NamedTuple):
    """The headline of a second system less that of the first."""

    value: float
    low: float
    high: float
    p_value: float
    """How often systems that do not differ would lie at least this far apart."""


def bootstrap(scored: Scored, *, runs: int = 1000, level: float = 0.95, seed: int = 0) -> Interval:
    """Return the percentile interval of the headline over sentences drawn with replacement."""
    rng = np.random.default_rng(seed)
    headlines = [
        scored.resampled(weights, rng) for weights in _draw(len(scored.statistics), runs, rng)
    ]
    return _percentiles(np.concatenate(headlines), level)


def compare(
    first: Scored, second: Scored, *, runs: int = 1000, level: float = 0.95, seed: int = 0
) -> Difference:
    """Compare two systems on the same sentences.

    The interval is that of a paired bootstrap; the p-value, that of approximate randomisation
    (each sentence's outputs change hands with a chance of one half), counts the two systems as
    they are as one more run and so is never 0.

    Raises:
        FormatError: They were scored on different sentences or by different metrics.
    """
    if first.metric != second.metric or first.statistics.shape != second.statistics.shape:
        raise FormatError(
            f"cannot compare {first.metric} on {len(first.statistics)} sentences with "
            f"{second.metric} on {len(second.statistics)}"
        )
    sentences = len(first.statistics)
    rng = np.random.default_rng(seed)
    resampled = [
        second.resampled(weights, rng) - first.resampled(weights, rng)
        for weights in _draw(sentences, runs, rng)
    ]
    low, high = _percentiles(np.concatenate(resampled), level)
    value = second.values()[first.headline] - first.values()[first.headline]

    both = np.concatenate([first.statistics, second.statistics])
    choices = None if first.choices is None else np.concatenate([first.choices] * 2)
    joined = Scored(first.metric, first.headline, both, first.rule, choices=choices)
    extreme = 0
    for count in _chunks(runs):
        swapped = rng.integers(2, size=(count, sentences)).astype(np.float64)
        ones = np.concatenate([1 - swapped, swapped], axis=1)
        gap = joined.resampled(1 - ones, rng) - joined.resampled(ones, rng)
        # Sums in another order differ in the last digits: equal systems must count as equal.
        extreme += int((np.abs(gap) >= abs(value) - 1e-9).sum())
    return Difference(value, low, high, (extreme + 1) / (runs + 1))


def _draw(sentences: int, runs: int, rng: np.random.Generator) -> Iterator[Floats]:
    for count in _chunks(runs):
        drawn = rng.integers(sentences, size=(count, sentences))
        yield np.stack([np.bincount(row, minlength=sentences) for row in drawn]).astype(np.float64)


def _chunks(runs: int) -> Iterator[int]:
    for start in range(0, runs, _CHUNK):
        yield min(_CHUNK, runs - start)


def _percentiles(headlines: Floats, level: float) -> Interval:
    tail = 50 * (1 - level)
    low, high = np.percentile(headlines, [tail, 100 - tail])
    return Interval(float(low), float(high))
