"""Measures the calibration of confidences, and fits lines that calibrate them.

An edit is right if the correction has the same text at its place.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.inference.calibration import ANY_TYPE, log_odds
from emendo.text.edits import LISTED, EditedText, merge_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A type with fewer edits gets no line of its own. The list of words does if it has any
# edit, because its confidences have another source, so that no other line fits.
_FEWEST = 100
# The weight of the common line as a prior for a group's line, in edits.
_PULL = 20.0
_STEPS, _SMALL = 50, 1e-6
# Unfounded confidences could give a falling line; the order of edits must not change.
_LEAST_SLOPE = 0.01
_BINS = 10
_SURE = 0.9


class JudgedEdit(NamedTuple):
    """An edit's group, its confidence, and whether it is right."""

    group: str
    confidence: float
    is_right: bool


class Reliability(NamedTuple):
    """How reliable a set of confidences is."""

    edits: int
    error: float
    """Expected calibration error: mean of |confidence − share that is right| over tenths."""
    sure_share: float
    """Of all edits, those with a confidence of at least 0.9."""
    sure_right: float
    """Of those, the share that is right; 0 if there are none."""


def judge(edited: Iterable[EditedText], targets: Iterable[str]) -> list[JudgedEdit]:
    """Compare edits with the corrected texts."""
    judged: list[JudgedEdit] = []
    for each, target in zip(edited, targets, strict=True):
        if not each.edits:
            continue
        wanted = merge_edits(each.source, [(0, len(each.source), target)])
        judged += (
            JudgedEdit(edit.group, edit.confidence, wanted.in_place_of(edit) == edit.replacement)
            for edit in each.edits
        )
    return judged


def fit_calibration(judged: Sequence[JudgedEdit]) -> dict[str, tuple[float, float]]:
    """Fit lines over log-odds, by logistic regression: one for all edits, one for each group."""
    if not judged:
        return {}
    overall = _fit(judged, np.array([1.0, 0.0]), pull=1.0)
    by_group: defaultdict[str, list[JudgedEdit]] = defaultdict(list)
    for each in judged:
        by_group[each.group].append(each)
    lines = {ANY_TYPE: overall} | {
        name: _fit(edits, overall, pull=_PULL)
        for name, edits in sorted(by_group.items())
        if len(edits) >= _FEWEST or name == LISTED
    }
    return {
        name: (round(float(line[0]), 4), round(float(line[1]), 4)) for name, line in lines.items()
    }


def _fit(judged: Sequence[JudgedEdit], prior: Floats, *, pull: float) -> Floats:
    """Return the likeliest slope and intercept, given a prior."""
    x = np.array([[log_odds(each.confidence), 1.0] for each in judged])
    y = np.array([each.is_right for each in judged], dtype=float)

    def loss(line: Floats) -> float:
        odds = x @ line
        away = line - prior
        return float((np.logaddexp(0, odds) - y * odds).sum() + pull / 2 * away @ away)

    line: Floats = prior.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(x @ line)))
        slope = x.T @ (p - y) + pull * (line - prior)
        bend = (x * (p * (1 - p))[:, None]).T @ x + pull * np.eye(2)
        step = np.linalg.solve(bend, slope)
        if line[0] - step[0] < _LEAST_SLOPE:
            # Go to the lowest slope, and to the best intercept there.
            step[0] = line[0] - _LEAST_SLOPE
            step[1] = (slope[1] - bend[1, 0] * step[0]) / bend[1, 1]
        # A whole step can go too far where edits are very sure and often wrong.
        while np.abs(step).max() > _SMALL:
            nearer = line - step
            if loss(nearer) <= loss(line):
                break
            step /= 2
        else:
            break
        line = nearer
    return line


def reliability(judged: Sequence[JudgedEdit]) -> Reliability:
    """Return how far confidences differ from the share of right edits."""
    if not judged:
        return Reliability(0, 0.0, 0.0, 0.0)
    sure = np.array([each.confidence for each in judged])
    right = np.array([each.is_right for each in judged])
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    gaps = (
        abs(sure[inside].sum() - right[inside].sum())
        for inside in (place == number for number in range(_BINS))
    )
    is_sure = sure >= _SURE
    return Reliability(
        len(judged),
        float(sum(gaps) / len(judged)),
        float(is_sure.mean()),
        float(right[is_sure].mean()) if is_sure.any() else 0.0,
    )
