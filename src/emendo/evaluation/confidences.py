"""How reliable a system's confidences are: precision and recall by threshold, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.evaluation.counts import Counts, total
from emendo.evaluation.edit_matching import match_edits, spans_touch
from emendo.text.edits import apply_edits

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
    """The counts if only edits with at least this confidence are made."""

    threshold: float
    counts: Counts


class ReliabilityBin(NamedTuple):
    """Edits of similar confidence: their number, mean confidence, and share that is right."""

    edits: int
    confidence: float
    precision: float


class Calibration(NamedTuple):
    """A reliability diagram, and the expected calibration error that sums it up."""

    bins: tuple[ReliabilityBin, ...]
    error: float | None
    """Mean of |confidence - precision|, weighted by edits; None without edits."""
    left_out: int
    """Edits that changed no token, alone or together, and so are neither right nor wrong."""


def threshold_curve(
    sentences: Sequence[M2Sentence],
    outputs: Sequence[OutputSentence],
    annotator: ErrantAnnotator,
) -> tuple[CurvePoint, ...]:
    """Score the output at thresholds that leave out more and more of its edits.

    The thresholds are quantiles of the confidences, so that the points are evenly spread over the
    edits, whatever the distribution of confidences.
    """
    confidences = np.array([edit.confidence for output in outputs for edit in output.edits])
    if not len(confidences):
        return ()
    # The values themselves, not between them, so that a threshold keeps the edits that have it.
    thresholds = np.quantile(confidences, np.linspace(0, 1, _POINTS), method="higher")
    sources = [" ".join(sentence.tokens) for sentence in sentences]
    points = []
    for threshold in np.unique(thresholds).tolist():
        edits = annotator.annotate(sources, [output.at(threshold) for output in outputs])
        matched = match_edits(sentences, edits)
        points.append(CurvePoint(threshold, total(each.counts for each in matched)))
    return tuple(points)


def calibrate(outputs: Sequence[OutputSentence], matched: Sequence[MatchedSentence]) -> Calibration:
    """Compare each edit's confidence with whether it is right."""
    confidences, verdicts = [], []
    left_out = 0
    for output, found in zip(outputs, matched, strict=True):
        for edit, confidence in output.edits:
            verdict = _is_right(edit, output.source, found)
            if verdict is None:
                left_out += 1
            else:
                confidences.append(confidence)
                verdicts.append(verdict)
    sure, hit = np.array(confidences), np.array(verdicts)
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    bins = tuple(
        ReliabilityBin(int(inside.sum()), float(sure[inside].mean()), float(hit[inside].mean()))
        for inside in (place == number for number in range(_BINS))
        if inside.any()
    )
    gaps = sum(each.edits * abs(each.confidence - each.precision) for each in bins)
    return Calibration(bins, gaps / len(sure) if bins else None, left_out)


def _is_right(edit: Edit, source: str, found: MatchedSentence) -> bool | None:
    """Whether all ERRANT edits that an edit became are right; None if there are none."""
    if apply_edits(source, [edit]).split() == source.split():
        return None
    span = _token_span(edit, source)
    made = [(e, True) for e in found.correct] + [(e, False) for e in found.wrong]
    # Touching counts if nothing overlaps: "book" to "a book" is an insertion there.
    for meet in (_spans_overlap, spans_touch):
        verdicts = [right for e, right in made if meet(*span, e.start, e.end)]
        if verdicts:
            return all(verdicts)
    return None


def _spans_overlap(start: int, end: int, other_start: int, other_end: int) -> bool:
    """Whether two token spans share a token, or are insertions at one place."""
    if start == end and other_start == other_end:
        return start == other_start
    return start < other_end and other_start < end


def _token_span(edit: Edit, source: str) -> tuple[int, int]:
    """Return the tokens that an edit touches; an insertion between words touches none, [i, i)."""
    first, last = (len(source[:place].split()) for place in (edit.start, edit.end))
    before, after = source[: edit.start], source[edit.end :]
    # It also touches the word that it begins in, and words that its text joins.
    if _joined(before, source[edit.start :]) or _joined(before, edit.replacement + after):
        first -= 1
    if _joined(before + edit.replacement, after) and not _joined(source[: edit.end], after):
        last += 1
    return first, last


def _joined(left: str, right: str) -> bool:
    """Whether two texts, one after the other, make one word where they meet."""
    return bool(left[-1:].strip() and right[:1].strip())
