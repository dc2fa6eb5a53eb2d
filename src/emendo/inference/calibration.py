"""Maps the confidence of an edit to the share of such edits that are right.

Each group of edits (`Edit.group`) has a line over the log-odds, fitted on sentences that were not
trained on (`emendo.evaluation.calibration`). It rises, so that the order of edits of one group does
not change.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from emendo.text import Edit

ANY_TYPE = "any"
"""Represents the groups that have no line of their own."""
# No confidence is higher than this: odds of a million to one.
_MOST = 1 - 1e-6


class Calibration:
    """Lines over log-odds, by group of edits."""

    def __init__(self, lines: Mapping[str, Sequence[float]] | None = None) -> None:
        """Take lines.

        Args:
            lines: Slope and intercept for each group; if empty, confidences do not change.
        """
        self._lines = {name: (line[0], line[1]) for name, line in (lines or {}).items()}

    def apply(self, edit: Edit) -> Edit:
        """Return the edit with its calibrated confidence."""
        names = (edit.group, edit.type, ANY_TYPE)
        line = next((self._lines[name] for name in names if name in self._lines), None)
        if line is None:
            return edit
        slope, height = line
        return replace(
            edit, confidence=1 / (1 + math.exp(-(slope * log_odds(edit.confidence) + height)))
        )


def log_odds(confidence: float) -> float:
    """Return the log-odds of a probability, kept away from 0 and 1."""
    held = min(max(confidence, 1 - _MOST), _MOST)
    return math.log(held / (1 - held))
