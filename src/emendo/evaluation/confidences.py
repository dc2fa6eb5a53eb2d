"""What a system's confidences are worth: precision and recall over a threshold, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.errors import FormatError
from emendo.evaluation.counts import Counts, total
from emendo.evaluation.edit_matching import match_edits, spans_touch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.evaluation.edit_matching import MatchedSentence
    from emendo.evaluation.errant_edits import ErrantAnnotator
    from emendo.evaluation.outputs import OutputSentence
    from emendo.text.edits import Edit
    from emendo.text.m2 import M2Sentence

_POINTS = 21
_BINS = 10


class CurvePoint(NamedTuple):
    """The counts when only edits at least this sure are made."""

    threshold: float
    counts: Counts


class ReliabilityBin(NamedTuple):
    """Edits of like confidence: how many there are, how sure the system is, how often right."""

    edits: int
    confidence: float
    precision: float


class Calibration(NamedTuple):
    """A reliability diagram, and the expected calibration error that sums it up."""

    bins: tuple[ReliabilityBin, ...]
    error: float
    """Mean of |confidence - precision|, weighted by edits."""


def threshold_curve(
    sentences: Sequence[M2Sentence],
    outputs: Sequence[OutputSentence],
    annotator: ErrantAnnotator,
) -> tuple[CurvePoint, ...]:
    """Score the output at thresholds that leave out ever more of its edits.

    The thresholds are quantiles of the confidences, so that the points lie evenly over the edits
    however the confidences are scaled.
    """
    confidences = np.array([edit.confidence for output in outputs for edit in output.edits])
    if not len(confidences):
        return ()
    # The values themselves, not between them: each threshold then keeps the edits that have it.
    thresholds = np.quantile(confidences, np.linspace(0, 1, _POINTS), method="higher")
    sources = [" ".join(sentence.tokens) for sentence in sentences]
    points = []
    for threshold in np.unique(thresholds).tolist():
        edits = annotator.annotate(sources, [output.at(threshold) for output in outputs])
        matched = match_edits(sentences, edits)
        points.append(CurvePoint(threshold, total(each.counts for each in matched)))
    return tuple(points)


def calibrate(
    sentences: Sequence[M2Sentence],
    outputs: Sequence[OutputSentence],
    matched: Sequence[MatchedSentence],
) -> Calibration:
    """Hold each edit's confidence against whether it is right.

    An edit is right if no wrong edit of the matching lies within the tokens it touches.

    Raises:
        FormatError: The confidences are not probabilities.
    """
    confidences, right = [], []
    for sentence, output, found in zip(sentences, outputs, matched, strict=True):
        for edit, confidence in output.edits:
            start, end = _token_span(sentence.tokens, output.source, edit)
            confidences.append(confidence)
            right.append(not any(spans_touch(start, end, e.start, e.end) for e in found.wrong))
    sure, hit = np.array(confidences), np.array(right)
    if len(sure) and not (sure.min() >= 0 and sure.max() <= 1):
        raise FormatError("calibration needs confidences between 0 and 1")
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    bins = tuple(
        ReliabilityBin(int(inside.sum()), float(sure[inside].mean()), float(hit[inside].mean()))
        for inside in (place == number for number in range(_BINS))
        if inside.any()
    )
    error = sum(b.edits * abs(b.confidence - b.precision) for b in bins) / max(len(sure), 1)
    return Calibration(bins, error)


def _token_span(tokens: Sequence[str], source: str, edit: Edit) -> tuple[int, int]:
    """Return the tokens an edit touches; those of an insertion are none, [i, i)."""
    before = len(source[: edit.start].split())
    if edit.start == edit.end:
        return before, before
    # A span that begins inside a word touches that word.
    inside = edit.start > 0 and not source[edit.start - 1].isspace()
    first = before - 1 if inside and not source[edit.start].isspace() else before
    last = len(source[: edit.end].split())
    return min(first, len(tokens)), min(max(last, first), len(tokens))
