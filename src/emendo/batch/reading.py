"""A fragment's rows as record batches, for every file format."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.fragments import PARQUET
from emendo.batch.line_rows import Columns, Row, find_kinds, read_rows
from emendo.batch.lines import read_lines
from emendo.errors import FormatError, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from emendo.batch.fragments import Fragment, InputFile
    from emendo.batch.storage import Folder

_ROWS = 1024
# Files, and lines of each, from which the columns of lines are determined.
_SAMPLED_FILES = 16
_SAMPLED_LINES = 1000


class Reading(NamedTuple):
    """The rows of a fragment."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def read_fragment(
    folder: Folder,
    fragment: Fragment,
    *,
    column: str,
    kinds: Mapping[str, str],
    max_characters: int,
) -> Reading:
    """Read a fragment, a little at a time.

    Args:
        folder: The input's.
        fragment: Which part of it.
        column: The one with the text.
        kinds: The columns that lines have, as `find_columns` found them.
        max_characters: Of a text; lines may be much longer, but have a limit.

    Raises:
        FormatError: The file does not have the expected format.
    """
    if fragment.format == PARQUET:
        return _read_parquet(folder, fragment)
    columns = Columns(kinds, column)
    lines = read_lines(
        folder,
        fragment.input,
        start=fragment.start,
        stop=fragment.stop,
        limit=max(1 << 20, 16 * max_characters),
    )
    rows = read_rows(lines, fragment.format, column, max_characters=4 * max_characters)
    return Reading(columns.schema, columns.batches(rows))


def _read_parquet(folder: Folder, fragment: Fragment) -> Reading:
    opened = folder.open(fragment.input)
    try:
        file = pq.ParquetFile(opened)
    except (pa.ArrowException, OSError) as error:
        opened.close()
        raise FormatError(f"{fragment.input} cannot be read as Parquet: {error}") from error
    return Reading(file.schema_arrow, _parquet_batches(file, fragment))


def _parquet_batches(file: pq.ParquetFile, fragment: Fragment) -> Iterator[pa.RecordBatch]:
    stop = file.metadata.num_rows if fragment.stop < 0 else fragment.stop
    first = 0
    with file:
        for group in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if first < stop and first + rows > fragment.start:
                position = first
                for batch in file.iter_batches(_ROWS, row_groups=[group], use_threads=False):
                    low = max(0, fragment.start - position)
                    high = min(batch.num_rows, stop - position)
                    if low < high:
                        yield batch.slice(low, high - low)
                    position += batch.num_rows
            first += rows


def count_rows(folder: Folder, fragment: Fragment) -> int:
    """Count the rows of a fragment, approximately for CSV, where a row may have several lines."""
    if fragment.format == PARQUET and fragment.stop >= 0:
        return fragment.stop - fragment.start
    if fragment.format == PARQUET:
        with folder.open(fragment.input) as opened:
            return int(pq.read_metadata(opened).num_rows)
    lines = read_lines(folder, fragment.input, start=fragment.start, stop=fragment.stop)
    return sum(1 for _ in lines)


def find_columns(folder: Folder, files: Sequence[InputFile], column: str) -> dict[str, str]:
    """Read the start of some files of lines, and return their columns.

    A file that cannot be read is skipped here; the worker that edits it puts it aside.

    Raises:
        RequestError: None of these files can be read and has the column of the text.
    """
    step = -(-len(files) // _SAMPLED_FILES)
    rows: list[Row] = []
    damage: list[tuple[InputFile, Exception]] = []
    sampled = files[::step]
    for file in sampled:
        try:
            if file.format == PARQUET:
                _check_parquet(folder, file, column)
                continue
            lines = islice(read_lines(folder, file.name, limit=1 << 20), _SAMPLED_LINES)
            rows += list(read_rows(lines, file.format, column))
        except (FormatError, OSError) as error:
            damage.append((file, error))
    if len(damage) == len(sampled):
        first, reason = damage[0]
        raise RequestError(f"{first.name}: {reason}") from reason
    kinds = find_kinds(rows, column)
    # Checked now, and not in every worker: columns whose names are already used.
    Columns(kinds, column)
    return kinds


def _check_parquet(folder: Folder, file: InputFile, column: str) -> None:
    with folder.open(file.name) as opened:
        try:
            names = pq.read_schema(opened).names
        except (pa.ArrowException, OSError) as error:
            raise FormatError(f"it cannot be read as Parquet: {error}") from error
    if column not in names:
        raise FormatError(
            f"there is no column {column!r}; columns: {', '.join(names)}. Name one with --column"
        )
