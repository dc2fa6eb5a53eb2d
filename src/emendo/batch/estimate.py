"""An estimate of what a job takes, from a sample of its rows; nothing is written."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.columns import edited_schema
from emendo.batch.counts import Counts
from emendo.batch.fragments import split_files
from emendo.batch.job import draft_job
from emendo.batch.reading import count_rows, find_columns, read_fragment
from emendo.batch.record_batches import RowSettings, edit_batches
from emendo.errors import FormatError
from emendo.inference.loading import load_editors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.batch.job import JobSettings

# Fragments that are sampled, and rows of each that are edited.
_FRAGMENTS = 4
_ROWS = 250


@dataclass(frozen=True)
class Estimate:
    """The estimated size and time of a job."""

    files: int
    fragments: int
    rows: int
    """All rows, estimated from the bytes of those that were read."""
    sampled: int
    """Rows that were edited for the estimate."""
    rows_per_core_second: float
    output_bytes: int
    changed_share: float
    bad_share: float

    @property
    def core_hours(self) -> float:
        """Hours of one core."""
        return self.rows / self.rows_per_core_second / 3600 if self.rows_per_core_second else 0.0


def estimate_job(
    input_url: str, output_url: str, models: Sequence[str], settings: JobSettings
) -> Estimate:
    """Edit a few rows of a job, and estimate time and size for all.

    Raises:
        RequestError: The job cannot be done as requested.
    """
    job, files = draft_job(input_url, output_url, models, settings)
    kinds = find_columns(job.input, files, settings.column)
    plan = list(
        split_files(
            job.input, files, column=settings.column, fragment_bytes=settings.fragment_bytes
        )
    )
    editors = load_editors(
        models, level=job.level, backend=job.backend, precision=job.precision, cache_size=0
    )
    # The first batch warms up the engine.
    for editor in editors.all:
        editor.edit_sentences(["This is a sentence."])
    row_settings = RowSettings(
        column=settings.column,
        level=job.level,
        min_confidence=settings.min_confidence,
        only_changed=settings.only_changed,
        max_characters=settings.max_characters,
        models=job.model_ids,
    )
    counts = Counts()
    seconds, rows, size, written = 0.0, 0, 0, 0
    for fragment in plan[:: -(-len(plan) // _FRAGMENTS)]:
        try:
            count = count_rows(job.input, fragment)
            reading = read_fragment(
                job.input,
                fragment,
                column=settings.column,
                kinds=kinds,
                max_characters=settings.max_characters,
            )
            some = [batch.slice(0, _ROWS) for batch in islice(reading.batches, 1)]
        except (FormatError, OSError, pa.ArrowException):
            # The job will put it aside; the others can be estimated without it.
            continue
        rows += count
        size += fragment.size
        start = time.perf_counter()
        done = list(edit_batches(some, editors, row_settings))
        seconds += time.perf_counter() - start
        for each in done:
            counts += each.counts
        written += _parquet_bytes([each.rows for each in done], edited_schema(reading.schema))
    total = sum(fragment.size for fragment in plan)
    share = settings.sample
    everything = round(rows * total / size) if size else 0
    edited = counts.rows or 1
    return Estimate(
        files=len(files),
        fragments=len(plan),
        rows=round(everything * share),
        sampled=counts.rows,
        rows_per_core_second=counts.rows / seconds if seconds else 0.0,
        output_bytes=round(written / edited * everything * share),
        changed_share=counts.changed / edited,
        bad_share=counts.bad.total() / edited,
    )


def _parquet_bytes(batches: list[pa.RecordBatch], schema: pa.Schema) -> int:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches(batches, schema), sink, compression="zstd")
    return int(sink.getvalue().size)
