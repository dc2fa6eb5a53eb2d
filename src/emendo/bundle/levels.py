"""Levels: the trade-off between few false alarms and many corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from emendo.text import EditedText

LevelName = Literal["precise", "balanced", "thorough"]
"""The levels of a tuned model; a bundle may have others, under any name."""


@dataclass(frozen=True)
class Level:
    """How readily an editor changes text."""

    keep_bias: float = 0.0
    """Added to KEEP's score at every slot: fewer edits are proposed."""
    sentence_threshold: float = 0.0
    """A sentence is not changed unless its edits together have at least this confidence."""
    edit_threshold: float = 0.0
    """An edit is left out unless it has at least this confidence."""
    type_thresholds: tuple[tuple[str, float], ...] = ()
    """Other thresholds for edits of certain types, or of the list of words (`LISTED`)."""

    @property
    def needs_confidences(self) -> bool:
        """Whether any threshold is above zero."""
        return bool(
            self.sentence_threshold
            or self.edit_threshold
            or any(threshold for _, threshold in self.type_thresholds)
        )

    def filter(self, edited: EditedText) -> EditedText:
        """Leave out edits whose confidence is too low."""
        if not edited.edits:
            return edited
        if edited.confidence < self.sentence_threshold:
            return EditedText(edited.source)
        own = dict(self.type_thresholds)
        return edited.only(
            edit
            for edit in edited.edits
            if edit.confidence >= own.get(edit.group, own.get(edit.type, self.edit_threshold))
        )

    def at_least(self, confidence: float) -> Level:
        """Return this level with a minimum confidence for every edit."""
        return replace(
            self,
            edit_threshold=max(self.edit_threshold, confidence),
            type_thresholds=tuple(
                (name, max(threshold, confidence)) for name, threshold in self.type_thresholds
            ),
        )


EVERYTHING = Level()
"""Every edit of the best path."""
