"""From a network's own confidence to how often such edits are right.

For each type of edit a line was fitted to the log-odds, on sentences that were not trained on
(`emendo.evaluation.calibration`). It rises, so that the order of edits of one type stays.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from emendo.text import Edit

ANY_TYPE = "any"
"""Stands for the types that have no line of their own."""
# Surer than this nothing is: odds of a million to one.
_MOST = 1 - 1e-6


class Calibration:
    """Lines over log-odds, by type of edit."""

    def __init__(self, lines: Mapping[str, Sequence[float]] | None = None) -> None:
        """Take lines.

        Args:
            lines: Slope and height of each type's line; without any, confidences stay as they are.
        """
        self._lines = {name: (line[0], line[1]) for name, line in (lines or {}).items()}

    def apply(self, edit: Edit) -> Edit:
        """Return the edit with how often its like is right."""
        line = self._lines.get(edit.type) or self._lines.get(ANY_TYPE)
        if line is None:
            return edit
        slope, height = line
        return replace(
            edit, confidence=1 / (1 + math.exp(-(slope * log_odds(edit.confidence) + height)))
        )


def log_odds(confidence: float) -> float:
    """Return the log-odds of a probability, neither of whose ends is reached."""
    held = min(max(confidence, 1 - _MOST), _MOST)
    return math.log(held / (1 - held))
