"""Bootstrap intervals of scores, and a paired test between two systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Resamples processed at once, so that the weights of long test sets take a few megabytes.
_CHUNK = 100


@dataclass(frozen=True)
class Scored:
    """The contribution of each sentence, and the rule that turns their sum into a score."""

    metric: str
    """Its name, as `emendo score --metric` takes it."""
    headline: str
    """The value by which systems are compared."""
    statistics: Floats
    """[sentences, draws, parts]; one draw, or for GLEU one for each draw of the references."""
    rule: Callable[[Floats], dict[str, Floats]]
    """From sums [runs, parts] to named values [runs], each 100 at best."""

    def values(self) -> dict[str, float]:
        """Return the score's named values, each the mean over the draws."""
        drawn = self.rule(self.statistics.sum(axis=0))
        return {name: float(values.mean()) for name, values in drawn.items()}

    def sums(self, weights: Floats) -> Floats:
        """Return sums [runs, draws, parts] for weights of the sentences [runs, sentences]."""
        return np.tensordot(weights, self.statistics, axes=1)

    def headlines(self, sums: Floats) -> Floats:
        """Return the headline of each run of sums, the mean over its draws."""
        runs, draws, parts = sums.shape
        values = self.rule(sums.reshape(runs * draws, parts))[self.headline]
        return np.asarray(values.reshape(runs, draws).mean(axis=1))


class Interval(NamedTuple):
    """The range of a value in most resamples of the sentences."""

    low: float
    high: float


class Difference(NamedTuple):
    """The headline of a second system minus that of the first."""

    value: float
    low: float
    high: float
    p_value: float
    """The probability that systems that do not differ are at least this far apart."""


def bootstrap(scored: Scored, *, runs: int = 1000) -> Interval:
    """Return the 95 % percentile interval of the headline over sentences drawn with replacement."""
    weights = _resamples(len(scored.statistics), runs, np.random.default_rng(0))
    return _percentiles([scored.headlines(scored.sums(chunk)) for chunk in weights])


def compare(first: Scored, second: Scored, *, runs: int = 1000) -> Difference:
    """Compare two systems on the same sentences.

    The interval comes from a paired bootstrap. The p-value comes from approximate randomisation
    (each sentence's outputs are swapped with a probability of one half); it counts the real
    outputs as one more run and so is never 0.

    The caller must pass the same sentences: only their number is checked.

    Raises:
        FormatError: They were scored on more or fewer sentences, or by different metrics.
    """
    if first.metric != second.metric or first.statistics.shape != second.statistics.shape:
        raise FormatError(
            f"cannot compare {first.metric} on {len(first.statistics)} sentences with "
            f"{second.metric} on {len(second.statistics)}"
        )
    sentences = len(first.statistics)
    rng = np.random.default_rng(0)
    low, high = _percentiles(
        [
            second.headlines(second.sums(weights)) - first.headlines(first.sums(weights))
            for weights in _resamples(sentences, runs, rng)
        ]
    )
    value = second.values()[first.headline] - first.values()[first.headline]
    extreme = 0
    for count in _chunks(runs):
        swapped = rng.integers(2, size=(count, sentences)).astype(np.float64)
        kept = 1 - swapped
        gap = second.headlines(second.sums(kept) + first.sums(swapped)) - first.headlines(
            first.sums(kept) + second.sums(swapped)
        )
        # Sums in another order differ in the last digits, but equal systems must count as equal.
        extreme += int((np.abs(gap) >= abs(value) - 1e-9).sum())
    return Difference(value, low, high, (extreme + 1) / (runs + 1))


def _resamples(sentences: int, runs: int, rng: np.random.Generator) -> Iterator[Floats]:
    for count in _chunks(runs):
        drawn = rng.integers(sentences, size=(count, sentences))
        yield np.stack([np.bincount(row, minlength=sentences) for row in drawn]).astype(np.float64)


def _chunks(runs: int) -> Iterator[int]:
    for start in range(0, runs, _CHUNK):
        yield min(_CHUNK, runs - start)


def _percentiles(headlines: list[Floats]) -> Interval:
    low, high = np.percentile(np.concatenate(headlines), [2.5, 97.5])
    return Interval(float(low), float(high))
