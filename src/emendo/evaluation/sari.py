"""SARI: n-grams added, kept and deleted, each compared with the references.

Two variants are in use and give different figures; docs/explanation/evaluation.md has both
definitions. `xu2016` is that of simplification (Xu et al. 2016, matching its authors' figures),
`geva2019` that of sentence fusion (Geva et al. 2019, and the paper's).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import numpy as np

from emendo.evaluation.gleu import ngrams
from emendo.evaluation.resampling import Scored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Grams = Counter[tuple[str, ...]]
    Weights = Mapping[tuple[str, ...], float]

_MAX_N = 4


def score_sari(
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    *,
    variant: Literal["xu2016", "geva2019"],
) -> Scored:
    """Score by SARI; white space separates tokens, and case counts."""
    rule = _xu if variant == "xu2016" else _geva
    rows = [
        _sentence(source.split(), hypothesis.split(), [text.split() for text in of], rule)
        for source, of, hypothesis in zip(sources, references, hypotheses, strict=True)
    ]
    name = "sari" if variant == "xu2016" else "sari-geva"
    return Scored(name, "sari", np.array(rows, dtype=np.float64)[:, None], _means)


def _sentence(
    source: list[str],
    hypothesis: list[str],
    references: list[list[str]],
    rule: Callable[[Grams, Grams, list[Grams]], tuple[float, float, float]],
) -> list[float]:
    """Return 1 for the sentence and its mean scores for adding, keeping and deleting."""
    by_length = [
        rule(ngrams(source, n), ngrams(hypothesis, n), [ngrams(text, n) for text in references])
        for n in range(1, _MAX_N + 1)
    ]
    return [1.0, *(sum(operation) / _MAX_N for operation in zip(*by_length, strict=True))]


def _xu(source: Grams, hypothesis: Grams, references: list[Grams]) -> tuple[float, float, float]:
    """Score with counts: shares are taken for each n-gram, then averaged; 0/0 is 0."""
    pooled: Grams = Counter()
    for reference in references:
        pooled.update(reference)
    weight = {gram: count / len(references) for gram, count in pooled.items()}

    added, wanted = hypothesis.keys() - source.keys(), pooled.keys() - source.keys()
    hits = len(added & wanted)
    add = _f1(hits / len(added) if added else 0.0, hits / len(wanted) if wanted else 0.0)

    kept = source & hypothesis
    to_keep = {g: min(n, weight[g]) for g, n in source.items() if g in weight}
    agreed = {g: min(n, weight[g]) for g, n in kept.items() if g in weight}
    keep = _f1(_mean_share(agreed, kept), _mean_share(agreed, to_keep))

    deleted = source - hypothesis
    rightly = {g: max(n - weight.get(g, 0.0), 0.0) for g, n in deleted.items()}
    return add, keep, _mean_share(rightly, deleted)


def _geva(source: Grams, hypothesis: Grams, references: list[Grams]) -> tuple[float, float, float]:
    """Score with sets: F1 of all three operations; 0/0 is 1, as nothing was needed or done.

    A reference too short to have an n-gram of this length does not count.
    """
    told = [reference.keys() for reference in references if reference]
    holding = Counter(gram for reference in told for gram in reference)

    def stays(gram: tuple[str, ...]) -> float:
        return holding[gram] / len(told) if told else 0.0

    def f1(hits: float, selected: float, wanted: float) -> float:
        return _f1(hits / selected if selected else 1.0, hits / wanted if wanted else 1.0)

    before, after = source.keys(), hypothesis.keys()
    added, to_add = after - before, holding.keys() - before
    kept, deleted = before & after, before - after
    return (
        f1(len(added & to_add), len(added), len(to_add)),
        f1(sum(map(stays, kept)), len(kept), sum(map(stays, before))),
        f1(
            sum(1 - stays(gram) for gram in deleted),
            len(deleted),
            sum(1 - stays(gram) for gram in before),
        ),
    )


def _mean_share(part: Weights, whole: Weights) -> float:
    return (
        sum(part.get(gram, 0.0) / of for gram, of in whole.items()) / len(whole) if whole else 0.0
    )


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _means(sums: Floats) -> dict[str, Floats]:
    add, keep, delete = (100 * sums[:, 1:] / sums[:, :1]).T
    return {"sari": (add + keep + delete) / 3, "add": add, "keep": keep, "delete": delete}
