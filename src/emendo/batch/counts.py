"""Counts of rows read, written, changed and put aside, which can be added."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from emendo.text import EditedText

BINS = 10
"""Of confidences: 0 to 0.1, and so on."""


@dataclass
class Counts:
    """Figures of some rows."""

    rows: int = 0
    """Read."""
    written: int = 0
    changed: int = 0
    unchanged_left_out: int = 0
    """By --only-changed."""
    not_sampled: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    """Rows put aside, by reason."""
    edits: Counter[str] = field(default_factory=Counter)
    """By type."""
    confidences: list[int] = field(default_factory=lambda: [0] * BINS)
    """Edits, by tenths of confidence."""
    tokens: int = 0
    """Tokens that the network read, including padding."""
    padding: int = 0

    def add_edits(self, edited: EditedText) -> None:
        """Count the edits of a row."""
        self.changed += bool(edited.edits)
        for edit in edited.edits:
            self.edits[edit.type] += 1
            self.confidences[min(BINS - 1, int(edit.confidence * BINS))] += 1

    def __iadd__(self, other: Counts) -> Counts:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(value)
            elif isinstance(value, list):
                setattr(self, name, [a + b for a, b in zip(mine, value, strict=True)])
            else:
                setattr(self, name, mine + value)
        return self

    @property
    def padding_share(self) -> float:
        """Padding among the tokens that the network read."""
        return self.padding / self.tokens if self.tokens else 0.0

    def is_complete(self) -> bool:
        """Whether every row that was read is accounted for."""
        return self.rows == (
            self.written + self.unchanged_left_out + self.not_sampled + self.bad.total()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain figures for JSON."""
        return {
            name: dict(value) if isinstance(value, Counter) else value
            for name, value in vars(self).items()
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Counts:
        """Read the output of `to_dict`."""
        counters = {name: Counter(content[name]) for name in ("bad", "edits")}
        return cls(**{**content, **counters})
