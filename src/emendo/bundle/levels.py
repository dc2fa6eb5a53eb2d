"""The dial between few false alarms and many corrections."""

from __future__ import annotations

from dataclasses import dataclass

from emendo.text import EditedText


@dataclass(frozen=True)
class Level:
    """How willing an editor is to change text."""

    keep_bias: float = 0.0
    """Added to KEEP's score at every slot: fewer edits are proposed."""
    sentence_threshold: float = 0.0
    """A sentence stays as it is unless its edits together are at least this sure."""
    edit_threshold: float = 0.0
    """An edit is left out unless it is at least this sure."""

    def filter(self, edited: EditedText) -> EditedText:
        """Leave out edits that are not sure enough."""
        if edited.confidence < self.sentence_threshold:
            return EditedText(edited.source)
        return edited.only(edit for edit in edited.edits if edit.confidence >= self.edit_threshold)


EVERYTHING = Level()
"""Every edit of the best path."""
