"""The metrics by name: scores one output on one test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from emendo.errors import FormatError, RequestError
from emendo.evaluation.errant_edits import score_errant
from emendo.evaluation.exact_match import score_exact_match
from emendo.evaluation.gleu import score_gleu
from emendo.evaluation.maxmatch import score_maxmatch
from emendo.evaluation.metric_names import METRIC_NAMES
from emendo.evaluation.resampling import Scored
from emendo.evaluation.sari import score_sari

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.evaluation.counts import Counts
    from emendo.evaluation.gold import GoldSet
    from emendo.evaluation.metric_names import Metric

    Floats = NDArray[np.float64]


def score(metric: Metric, gold: GoldSet, hypotheses: Sequence[str]) -> Scored:
    """Score a system's output.

    Raises:
        FormatError: The output does not fit the test set, or the test set the metric.
        RequestError: There is no such metric.
    """
    gold.check_length(hypotheses, "the output")
    match metric:
        case "m2":
            if gold.annotated is None:
                raise FormatError("MaxMatch needs annotated edits: an .m2 file as reference")
            return score_counts("m2", score_maxmatch(gold.annotated, hypotheses))
        case "errant":
            return score_counts("errant", score_errant(gold.sentences, hypotheses))
        case "gleu":
            return score_gleu(gold.sources, gold.references, hypotheses)
        case "sari":
            return score_sari(gold.sources, gold.references, hypotheses, variant="xu2016")
        case "sari-geva":
            return score_sari(gold.sources, gold.references, hypotheses, variant="geva2019")
        case "em":
            return score_exact_match(gold.references, hypotheses)
        case _:
            raise RequestError(
                f"there is no metric {metric!r}; choose one of {', '.join(METRIC_NAMES)}"
            )


def score_counts(metric: str, counts: Sequence[Counts]) -> Scored:
    """Return precision, recall and F0.5 of counted edits as a score."""
    statistics = np.array(counts, dtype=np.float64).reshape(len(counts), 1, 3)
    return Scored(metric, "f0.5", statistics, _precision_recall_f)


def _precision_recall_f(sums: Floats) -> dict[str, Floats]:
    correct, proposed, gold = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(proposed > 0, correct / proposed, 1.0)
        recall = np.where(gold > 0, correct / gold, 1.0)
        f = np.where(precision + recall > 0, 1.25 * precision * recall, 0) / np.where(
            precision + recall > 0, 0.25 * precision + recall, 1
        )
    return {"precision": 100 * precision, "recall": 100 * recall, "f0.5": 100 * f}
