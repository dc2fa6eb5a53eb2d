"""Levels: the trade-off between few false alarms and many corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from emendo.text import EditedText

if TYPE_CHECKING:
    from collections.abc import Sequence

LevelName = Literal["precise", "balanced", "thorough"]
"""The levels of a tuned model; a bundle may have others, under any name."""
# At a support of 1, other edits whose confidences add up to this double the odds of an edit.
_DOUBLING = 0.2


@dataclass(frozen=True)
class Level:
    """How readily an editor changes text."""

    keep_bias: float = 0.0
    """Added to KEEP's score at every slot: fewer edits are proposed."""
    sentence_threshold: float = 0.0
    """A sentence is not changed unless its edits together have at least this confidence."""
    edit_threshold: float = 0.0
    """An edit is left out if its confidence, raised by `support`, is lower."""
    type_thresholds: tuple[tuple[str, float], ...] = ()
    """Other thresholds for edits of certain types, or of the list of words (`LISTED`)."""
    support: float = 0.0
    """How much the other edits of its sentence help an edit to reach its threshold: a sentence with
    one mistake is likely to have others (docs/explanation/copy-aware-ctc.md, equation 10)."""
    minimum: float = 0.0
    """An edit with a lower confidence is left out, whatever the other edits of its sentence."""

    @property
    def needs_confidences(self) -> bool:
        """Whether any threshold is above zero."""
        return bool(
            self.sentence_threshold
            or self.edit_threshold
            or self.minimum
            or any(threshold for _, threshold in self.type_thresholds)
        )

    def filter(self, edited: EditedText, others: Sequence[float] | None = None) -> EditedText:
        """Leave out edits whose confidence is too low.

        Args:
            edited: A sentence with edits.
            others: As for `supported`.
        """
        if not edited.edits:
            return edited
        if edited.confidence < self.sentence_threshold:
            return EditedText(edited.source)
        own = dict(self.type_thresholds)
        return edited.only(
            edit
            for edit, supported in zip(edited.edits, self.supported(edited, others), strict=True)
            if edit.confidence >= self.minimum
            and supported >= own.get(edit.group, own.get(edit.type, self.edit_threshold))
        )

    def supported(self, edited: EditedText, others: Sequence[float] | None = None) -> list[float]:
        """Return what is compared with the threshold of each edit.

        This is its confidence, with higher odds if the sentence has other edits.

        Args:
            edited: A sentence with edits.
            others: For each edit, the sum of the confidences of the other edits of its sentence; by
                default those of `edited`.
        """
        sure = [edit.confidence for edit in edited.edits]
        if not self.support:
            return sure
        others = others or [sum(sure) - each for each in sure]
        raised = []
        for each, beside in zip(sure, others, strict=True):
            factor = (1 + beside / _DOUBLING) ** self.support
            raised.append(factor * each / (factor * each + 1 - each))
        return raised

    def at_least(self, confidence: float) -> Level:
        """Return this level with a minimum confidence for every edit."""
        return replace(self, minimum=max(self.minimum, confidence))


EVERYTHING = Level()
"""Every edit of the best path."""
