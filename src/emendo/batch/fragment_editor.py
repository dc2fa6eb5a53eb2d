"""The work of a worker: read a fragment, edit it, write it, and record it in the manifest.

All engines that run jobs call only this, so that their output is the same.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
import traceback
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.columns import bad_schema, edited_schema
from emendo.batch.counts import Counts
from emendo.batch.fragments import PARQUET
from emendo.batch.job import model_id
from emendo.batch.manifest import Entry, Example, Manifest
from emendo.batch.reading import read_fragment
from emendo.batch.record_batches import RowSettings, edit_batches
from emendo.batch.storage import STATE, is_full
from emendo.errors import BundleError, RequestError
from emendo.inference.loading import OPENVINO, load_editors
from emendo.inference.shapes import few_rows, few_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from emendo.batch.fragments import Fragment
    from emendo.batch.job import Job
    from emendo.batch.storage import Folder
    from emendo.inference.backend import Batch
    from emendo.text import EditedText

_logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 4
"""Attempts at a fragment on which workers crash, before it is put aside."""
BAD_ROWS = f"{STATE}/bad_rows"
# Pauses in seconds before a fragment whose files could not be reached is tried again.
_PAUSES = (1.0, 5.0)
# Row groups of the output: large enough to read fast, small enough to keep in memory.
_GROUP_ROWS = 65_536
_GROUP_BYTES = 16 << 20
# Fragments that give examples to the report, edits of each, and characters around an edit.
_EXAMPLE_FRAGMENTS, _EXAMPLES, _AROUND = 20, 30, 40


class Outcome(NamedTuple):
    """The outcome of a fragment."""

    number: int
    entry: Entry | None = None
    """Present if the fragment is done."""
    failure: str = ""
    """Why it is put aside."""
    stop: str = ""
    """Why the whole job cannot continue."""


def pin_threads() -> None:
    """Limit this process to one thread in all libraries; for workers."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


class FragmentEditor:
    """Edits fragments of one job with one engine."""

    def __init__(self, job: Job) -> None:
        """Load the models.

        Raises:
            BundleError: One is not a model with which the job started.
        """
        for model, expected in zip(job.models, job.model_ids, strict=True):
            if model_id(model) != expected:
                raise BundleError(
                    f"{model} is not the model with which this job started; "
                    "put the same bundle at the same place on every machine"
                )
        self._job = job
        self._manifest = Manifest(job.output)
        self._tokens = self._padding = 0
        self._editors = load_editors(
            job.models,
            level=job.level,
            backend=job.backend,
            precision=job.precision,
            threads=1,
            cache_size=0,
            on_batch=self._count_padding,
        )

    def run(
        self, fragment: Fragment, on_rows: Callable[[int], object] = lambda rows: None
    ) -> Outcome:
        """Edit a fragment; failures are returned, not raised.

        Args:
            fragment: May already be done, or in progress elsewhere; the output is the same.
            on_rows: Called regularly with the number of rows read since the last call.
        """
        try:
            # An engine that lost the result may request a finished fragment again.
            if entry := self._manifest.find(fragment.number):
                return Outcome(fragment.number, entry)
            if self._manifest.begin_attempt(fragment.number) >= MAX_ATTEMPTS:
                return self._put_aside(
                    fragment, f"{MAX_ATTEMPTS} workers crashed or disappeared while editing it"
                )
            return self._try(fragment, on_rows)
        except Exception as error:
            if is_full(error):
                return Outcome(fragment.number, stop=f"no space is left in {self._job.output.url}")
            # Not even the manifest can be written; the fragment is repeated in the next run.
            return Outcome(fragment.number, failure=f"{fragment.input}: {type(error).__name__}")

    def _try(self, fragment: Fragment, on_rows: Callable[[int], object]) -> Outcome:
        for pause in (*_PAUSES, None):
            try:
                return Outcome(fragment.number, self._edit(fragment, on_rows))
            except RequestError as error:
                return self._put_aside(fragment, str(error))
            except OSError as error:
                if is_full(error):
                    raise
                _logger.warning("fragment %d: %s", fragment.number, error)
                if pause is None or isinstance(error, FileNotFoundError):
                    return self._put_aside(fragment, f"{type(error).__name__}: {error}")
                time.sleep(pause)
            except Exception as error:
                if is_full(error):
                    raise
                # Only type and line: the message of an unknown error may contain the user's text.
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} at line {where.lineno} of {where.filename}"
                return self._put_aside(fragment, f"unexpected {what}")
        raise AssertionError("the last pause is None")

    def _put_aside(self, fragment: Fragment, reason: str) -> Outcome:
        failure = f"{fragment.input}: {reason}"
        self._manifest.fail(fragment.number, failure)
        return Outcome(fragment.number, failure=failure)

    def _edit(self, fragment: Fragment, on_rows: Callable[[int], object]) -> Entry:
        job = self._job
        start = time.perf_counter()
        tokens, padding = self._tokens, self._padding
        reading = read_fragment(
            job.input,
            fragment,
            column=job.settings.column,
            kinds=job.kinds,
            max_characters=job.settings.max_characters,
        )
        is_rows = fragment.format == PARQUET
        counts = Counts()
        examples: list[Example] = []
        with ExitStack() as stack:
            written = stack.enter_context(job.output.writing(fragment.output))
            rows = stack.enter_context(_RowGroups(written, edited_schema(reading.schema)))
            # Opened late: most fragments have no bad rows and need no file for them.
            bad = _BadRows(job.output, fragment, bad_schema(reading.schema), stack)
            for done in edit_batches(
                reading.batches,
                self._editors,
                self._row_settings(),
                first_row=fragment.start if is_rows else 0,
                seed=int(hashlib.sha256(fragment.output.encode()).hexdigest()[:8], 16),
            ):
                rows.add(done.rows)
                bad.add(done.bad)
                counts += done.counts
                if fragment.number < _EXAMPLE_FRAGMENTS and len(examples) < _EXAMPLES:
                    examples += _examples(done.changed)
                on_rows(done.counts.rows)
        counts.tokens, counts.padding = self._tokens - tokens, self._padding - padding
        assert counts.is_complete(), "each row is written, left out or put aside"
        entry = Entry(
            fragment.number,
            fragment.output,
            written.size,
            written.checksum,
            counts,
            round(time.perf_counter() - start, 3),
            time.time(),
            fragment.size,
            examples[:_EXAMPLES],
        )
        self._manifest.commit(entry)
        return entry

    def _row_settings(self) -> RowSettings:
        settings = self._job.settings
        return RowSettings(
            column=settings.column,
            level=self._job.level,
            min_confidence=settings.min_confidence,
            only_changed=settings.only_changed,
            sample=settings.sample,
            max_characters=settings.max_characters,
            models=self._job.model_ids,
        )

    def _count_padding(self, batch: Batch, _language: str) -> None:
        rows, tokens = batch.attention_mask.shape
        if self._job.backend == OPENVINO:
            # It pads batches to one of a few shapes, which also counts as padding.
            rows, tokens = few_rows(rows), few_tokens(tokens, tokens + 8)
        self._tokens += rows * tokens
        self._padding += rows * tokens - int(batch.attention_mask.sum())


class _RowGroups:
    """A Parquet file in row groups of one size: the same bytes for the same rows."""

    def __init__(self, file: object, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(file, schema, version="2.6", compression="zstd")
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def __enter__(self) -> _RowGroups:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, batch: pa.RecordBatch) -> None:
        """Write rows, as soon as there are enough of them."""
        if batch.num_rows:
            self._waiting.append(batch)
            self._rows += batch.num_rows
            self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self._schema)
            self._writer.write_table(table, row_group_size=table.num_rows)
        self._waiting, self._rows, self._bytes = [], 0, 0


class _BadRows:
    """The rows of a fragment that are put aside: a file, if there are any."""

    def __init__(
        self, output: Folder, fragment: Fragment, schema: pa.Schema, stack: ExitStack
    ) -> None:
        self._output, self._stack = output, stack
        self._name = f"{BAD_ROWS}/{fragment.output}"
        self._offset = 0 if fragment.format == PARQUET else fragment.start
        self._schema = schema.append(pa.field("emendo_offset", pa.int64()))
        self._file: _RowGroups | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Write rows; the byte from which their numbers count goes with them."""
        if not batch.num_rows:
            return
        if self._file is None:
            written = self._stack.enter_context(self._output.writing(self._name))
            self._file = self._stack.enter_context(_RowGroups(written, self._schema))
        offsets = pa.array([self._offset] * batch.num_rows, pa.int64())
        self._file.add(pa.RecordBatch.from_arrays([*batch.columns, offsets], schema=self._schema))


def _examples(changed: Iterable[EditedText]) -> list[Example]:
    """Return edits with a little context, for the report."""
    shown = []
    for edited in changed:
        for edit in edited.edits:
            before = edited.source[max(0, edit.start - _AROUND) : edit.start]
            after = edited.source[edit.end : edit.end + _AROUND]
            old = edited.source[edit.start : edit.end]
            shown.append(Example(edit.type, before, old, edit.replacement, after))
    return shown
