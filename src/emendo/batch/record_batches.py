"""A pure function from Arrow record batches to edited record batches.

It is independent of files, jobs and clusters. Rows are taken in portions that depend only on the
rows themselves, so that the same rows always share batches and give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from emendo.batch.columns import (
    ADDED,
    NOT_UTF8,
    NULL,
    RAW,
    REASON,
    TOO_LONG,
    bad_schema,
    edited_schema,
    kept_schema,
    without_views,
)
from emendo.batch.counts import Counts
from emendo.errors import RequestError
from emendo.inference.editors import Editors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from emendo.inference import Editor, Level
    from emendo.text import EditedText

# Enough rows to fill batches of similar length, few enough to keep in memory with their edits.
_PORTION_ROWS = 4096
_PORTION_BYTES = 2 << 20


@dataclass(frozen=True)
class RowSettings:
    """How a row is edited."""

    column: str = "text"
    """The column with the text."""
    level: str | Level | None = None
    """By default the editor's own."""
    min_confidence: float = 0.0
    """Edits with a lower confidence are not made."""
    only_changed: bool = False
    """Leave out rows without edits."""
    sample: float = 1.0
    """The share of the rows that are edited."""
    max_characters: int = 100_000
    """Longer texts are put aside."""
    models: tuple[str, ...] = ("",)
    """The names of the models, of which each row stores its own."""


class EditedBatch(NamedTuple):
    """A portion of rows, edited."""

    rows: pa.RecordBatch
    """Those that were edited, with the columns `ADDED`."""
    bad: pa.RecordBatch
    """Those that cannot be edited, with their number and the reason."""
    counts: Counts
    changed: Sequence[EditedText]
    """What was done to those rows that changed."""


_DEFAULTS = RowSettings()


def edit_batches(
    batches: Iterable[pa.RecordBatch],
    editor: Editor | Editors,
    settings: RowSettings = _DEFAULTS,
    *,
    first_row: int = 0,
    seed: int = 0,
) -> Iterator[EditedBatch]:
    """Edit the texts in a column and keep all others.

    Args:
        batches: Batches with one schema. Columns `READING`, if present, mark rows that are invalid.
        editor: One editor or several, without a cache (`cache_size=0`). A cache changes which
            sentences share a batch, and so the last digits of confidences.
        settings: The column, the level and the other options.
        first_row: The number of the first row.
        seed: Selects the sample.

    Yields:
        Portions of rows, in order. They do not depend on the batches of the input.

    Raises:
        RequestError: There is no such column, or it does not contain text.
    """
    editors = editor if isinstance(editor, Editors) else Editors([editor])
    levels = tuple(
        level.at_least(settings.min_confidence) for level in editors.level(settings.level)
    )
    name = settings.level if isinstance(settings.level, str) else editors.default_level
    work = _Work(editors, levels, name, settings)
    drawn = np.random.default_rng(seed)
    for portion in _portions(batches, settings.column):
        numbers = np.arange(first_row, first_row + portion.num_rows)
        first_row += portion.num_rows
        if settings.sample < 1:
            taken = drawn.random(portion.num_rows) < settings.sample
            done = work.edit(portion.filter(pa.array(taken)), numbers[taken])
            done.counts.rows = portion.num_rows
            done.counts.not_sampled = int((~taken).sum())
        else:
            done = work.edit(portion, numbers)
        yield done


@dataclass(frozen=True)
class _Work:
    editors: Editors
    levels: tuple[Level, ...]
    level_name: str
    settings: RowSettings

    def edit(self, portion: pa.RecordBatch, numbers: np.ndarray) -> EditedBatch:
        """Edit a portion."""
        texts, reasons = _read_texts(portion, self.settings)
        good = [k for k, text in enumerate(texts) if text is not None]
        found = self._edit_texts([texts[k] or "" for k in good])
        edited, models = [each for each, _ in found], [model for _, model in found]
        counts = Counts(rows=portion.num_rows)
        counts.bad.update(reason for reason in reasons if reason is not None)
        for each in edited:
            counts.add_edits(each)
        if self.settings.only_changed:
            kept = [k for k, each in enumerate(edited) if each.edits]
            counts.unchanged_left_out = len(edited) - len(kept)
            good, edited = [good[k] for k in kept], [edited[k] for k in kept]
            models = [models[k] for k in kept]
        counts.written = len(good)
        return EditedBatch(
            self._rows(portion, good, edited, models),
            _bad_rows(portion, reasons, numbers),
            counts,
            [each for each in edited if each.edits],
        )

    def _edit_texts(self, texts: Sequence[str]) -> list[tuple[EditedText, int]]:
        """Return texts with their edits, and the number of the model that read most of each."""
        documents = [self.editors.read(text) for text in texts]
        # All at once: with more lines, more of similar length share a batch.
        lines = dict.fromkeys(chain.from_iterable(document.lines for document in documents))
        edits = self.editors.edit_lines(lines, self.levels)
        return [(document.place(edits), document.main_model) for document in documents]

    def _rows(
        self,
        portion: pa.RecordBatch,
        good: Sequence[int],
        edited: Sequence[EditedText],
        models: Sequence[int],
    ) -> pa.RecordBatch:
        kept = kept_schema(portion.schema).names
        taken = portion.select(kept).take(pa.array(good, pa.int64()))
        edits = [
            [(e.start, e.end, e.replacement, e.type, round(e.confidence, 4)) for e in each.edits]
            for each in edited
        ]
        scores = [min((confidence for *_, confidence in row), default=1.0) for row in edits]
        added = (
            [each.text for each in edited],
            edits,
            scores,
            [self.settings.models[model] for model in models],
            [self.level_name] * len(good),
        )
        arrays = [pa.array(values, f.type) for values, f in zip(added, ADDED, strict=True)]
        schema = edited_schema(portion.schema)
        return pa.RecordBatch.from_arrays([*taken.columns, *arrays], schema=schema)


def _bad_rows(
    portion: pa.RecordBatch, reasons: Sequence[str | None], numbers: np.ndarray
) -> pa.RecordBatch:
    bad = [k for k, reason in enumerate(reasons) if reason is not None]
    taken = portion.take(pa.array(bad, pa.int64()))
    has_raw = RAW in portion.schema.names
    arrays = [
        *taken.select(kept_schema(portion.schema).names).columns,
        pa.array(numbers[bad], pa.int64()),
        pa.array([reasons[k] for k in bad], pa.string()),
        taken.column(RAW) if has_raw else pa.nulls(len(bad), pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=bad_schema(portion.schema))


def _read_texts(
    portion: pa.RecordBatch, settings: RowSettings
) -> tuple[list[str | None], list[str | None]]:
    """Return the text of each row, or the reason why there is none."""
    # As bytes: a column that is declared as text may contain something else.
    values = _as_bytes(portion.column(settings.column), settings.column).to_pylist()
    reasons: list[str | None] = [None] * len(values)
    if REASON in portion.schema.names:
        reasons = portion.column(REASON).to_pylist()
    texts: list[str | None] = []
    for k, value in enumerate(values):
        text = None
        if reasons[k] is None and value is None:
            reasons[k] = NULL
        elif reasons[k] is None:
            try:
                text = value.decode("utf-8")
            except UnicodeDecodeError:
                reasons[k] = NOT_UTF8
        if text is not None and len(text) > settings.max_characters:
            text, reasons[k] = None, TOO_LONG
        texts.append(text)
    return texts, reasons


def _as_bytes(values: pa.Array, column: str) -> pa.Array:
    kind = values.type
    if pa.types.is_dictionary(kind):
        kind, values = kind.value_type, values.dictionary_decode()
    is_text = (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_null(kind)
    )
    if not is_text:
        raise RequestError(f"the column {column!r} contains {kind}, not text; name another column")
    return values.cast(pa.large_binary())


def _portions(batches: Iterable[pa.RecordBatch], column: str) -> Iterator[pa.RecordBatch]:
    """Regroup rows: a portion ends after a number of rows or of bytes of text."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for each in batches:
        batch = each.cast(without_views(each.schema))
        if column not in batch.schema.names:
            raise RequestError(
                f"there is no column {column!r}; columns: {', '.join(batch.schema.names) or 'none'}"
            )
        lengths = pc.fill_null(pc.binary_length(_as_bytes(batch.column(column), column)), 0)
        start = 0
        for k, length in enumerate(lengths.to_pylist()):
            rows, size = rows + 1, size + length
            if rows == _PORTION_ROWS or size >= _PORTION_BYTES:
                waiting.append(batch.slice(start, k + 1 - start))
                yield _joined(waiting)
                waiting, rows, size, start = [], 0, 0, k + 1
        if start < batch.num_rows:
            waiting.append(batch.slice(start))
    if waiting:
        yield _joined(waiting)


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return pa.concat_batches(batches)
