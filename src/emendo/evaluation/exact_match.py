"""Exact match: the share of sentences that come out as one of the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from emendo.evaluation.resampling import Scored

if TYPE_CHECKING:
    from collections.abc import Sequence


def score_exact_match(references: Sequence[Sequence[str]], hypotheses: Sequence[str]) -> Scored:
    """Score by exact match of the tokens, which white space parts."""
    hits = [
        [[hypothesis.split() in [reference.split() for reference in of], 1]]
        for of, hypothesis in zip(references, hypotheses, strict=True)
    ]
    return Scored(
        "em",
        "em",
        np.array(hits, dtype=np.float64),
        lambda sums: {"em": 100 * sums[:, 0] / sums[:, 1]},
    )
