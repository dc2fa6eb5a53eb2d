"""The figures of a job so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emendo.batch.counts import Counts

if TYPE_CHECKING:
    from emendo.batch.manifest import Entry

# Examples of a type of edit that are kept for the report.
_EXAMPLES = 3


@dataclass
class Summary:
    """Figures over all fragments of all runs."""

    fragments: int
    """Of the whole job."""
    size: int
    """Bytes of the whole job's input."""
    done: int = 0
    done_size: int = 0
    output_bytes: int = 0
    worker_seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    failures: list[str] = field(default_factory=list)
    examples: dict[str, list[Any]] = field(default_factory=dict)
    started: float = field(default_factory=time.time)
    """When the present run began."""
    run_rows: int = 0
    run_size: int = 0
    """Of the present run."""
    last: float = 0.0
    """When the last fragment was done."""

    def add(self, entry: Entry) -> None:
        """Count a fragment that is done."""
        self.done += 1
        self.done_size += entry.size
        self.output_bytes += entry.output_bytes
        self.worker_seconds += entry.seconds
        self.counts += entry.counts
        self.last = max(self.last, entry.finished)
        if entry.finished >= self.started:
            self.run_rows += entry.counts.rows
            self.run_size += entry.size
        for example in entry.examples:
            kept = self.examples.setdefault(example.type, [])
            if len(kept) < _EXAMPLES:
                kept.append(example)

    @property
    def is_complete(self) -> bool:
        """Whether every fragment is done."""
        return self.done == self.fragments

    @property
    def core_hours(self) -> float:
        """Working hours of all workers, one core each."""
        return self.worker_seconds / 3600

    @property
    def rows_per_core_second(self) -> float:
        """Rows per second of one worker."""
        return self.counts.rows / self.worker_seconds if self.worker_seconds else 0.0

    @property
    def rows_per_second(self) -> float:
        """Rows per second of the present run, including its start."""
        elapsed = self.last - self.started
        return self.run_rows / elapsed if self.run_rows and elapsed > 0 else 0.0

    def seconds_left(self, now: float) -> float | None:
        """Estimate the time for the rest from the progress of the present run."""
        if self.is_complete:
            return 0.0
        elapsed = now - self.started
        if not self.run_size or elapsed <= 0:
            return None
        return (self.size - self.done_size) * elapsed / self.run_size

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        counts = self.counts.to_dict()
        return {
            "complete": self.is_complete,
            "fragments": self.fragments,
            "fragments_done": self.done,
            **counts,
            "padding_share": round(self.counts.padding_share, 4),
            "rows_per_s": round(self.rows_per_second, 1),
            "rows_per_core_s": round(self.rows_per_core_second, 1),
            "core_hours": round(self.core_hours, 4),
            "output_bytes": self.output_bytes,
            "failures": self.failures,
        }
