"""GLEU, the metric of JFLEG: n-grams shared with a reference, less those wrongly left in.

After Napoles et al. 2015 and their note of 2016, "GLEU Without Tuning": n-grams of one to four
tokens, and 500 draws of one reference for each sentence.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from emendo.evaluation.resampling import Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MAX_N = 4
_DRAWS = 500


def score_gleu(
    sources: Sequence[str], references: Sequence[Sequence[str]], hypotheses: Sequence[str]
) -> Scored:
    """Score by GLEU; a sentence may have fewer references than others."""
    choices = np.array([len(of) for of in references])
    statistics = np.zeros((len(sources), choices.max(), 2 * _MAX_N + 2))
    for row, source, of, hypothesis in zip(
        statistics, sources, references, hypotheses, strict=True
    ):
        for place, reference in enumerate(of):
            row[place] = _statistics(source.split(), reference.split(), hypothesis.split())
    if choices.max() > 1:
        # The seed is fixed, so all systems, resamples and swaps get the same references.
        drawn = np.random.default_rng(0).integers(choices, size=(_DRAWS, len(choices)))
        statistics = np.take_along_axis(statistics, drawn.T[..., None], axis=1)
    return Scored("gleu", "gleu", statistics, _gleu)


def _statistics(source: list[str], reference: list[str], hypothesis: list[str]) -> list[float]:
    """Return matches and n-grams for each n, then the lengths of reference and hypothesis."""
    parts: list[float] = []
    for n in range(1, _MAX_N + 1):
        in_source, in_reference = ngrams(source, n), ngrams(reference, n)
        in_hypothesis = ngrams(hypothesis, n)
        shared = (in_hypothesis & in_reference).total()
        left_in = sum(
            min(count, in_source[gram])
            for gram, count in in_hypothesis.items()
            if gram not in in_reference
        )
        parts += [max(shared - left_in, 0), in_hypothesis.total()]
    return [*parts, len(reference), len(hypothesis)]


def _gleu(sums: Floats) -> dict[str, Floats]:
    matches, possible = sums[:, 0:-2:2], sums[:, 1:-2:2]
    reference, hypothesis = sums[:, -2], sums[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(possible > 0, matches / possible, 1.0)
        shortness = np.where(hypothesis < reference, 1 - reference / hypothesis, 0.0)
        return {"gleu": 100 * np.exp(np.log(precision).mean(axis=1) + shortness)}


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of a sentence."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
