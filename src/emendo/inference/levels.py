"""The dial between few false alarms and many corrections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """How willing an editor is to change text."""

    keep_bias: float = 0.0
    """Added to KEEP's score at every slot: fewer edits are proposed."""
    sentence_threshold: float = 0.0
    """A sentence stays as it is unless its edits together are at least this sure."""
    edit_threshold: float = 0.0
    """An edit is left out unless it is at least this sure."""
