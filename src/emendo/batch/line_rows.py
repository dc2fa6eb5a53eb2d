"""Lines of JSON, CSV and plain text as rows of a fixed set of columns.

The columns are found once for the whole job; a field that has none, or does not fit it, is kept as
JSON in the column `OTHER`. A line that is not a row is kept with its bytes and the reason.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from emendo.batch.columns import (
    ADDED,
    NOT_TEXT,
    NOT_UTF8,
    NULL,
    OTHER,
    READING,
    ROW,
    kept_schema,
)
from emendo.batch.fragments import JSONL, TEXT, TSV
from emendo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from emendo.batch.lines import Line

NOT_JSON, NOT_OBJECT, NOT_CSV = "not JSON", "not a JSON object", "not CSV"
LINE_TOO_LONG, WRONG_FIELDS = "line too long", "another number of fields than the header"
BOOL, INT, FLOAT, STRING, NESTED = "bool", "int64", "double", "string", "json"
_TYPES = {
    BOOL: pa.bool_(),
    INT: pa.int64(),
    FLOAT: pa.float64(),
    STRING: pa.string(),
    NESTED: pa.string(),
}
_OWN_NAMES = (*ADDED.names, *READING.names, ROW, OTHER)
# Only one reader at a time may change the limit, or it would be restored wrongly.
_LIMIT = Lock()
# Rows that are passed on at once.
_ROWS = 1024
# How often lines after an unclosed quote are read again: with many such quotes, each time takes as
# long as the whole file.
_TIMES_AGAIN = 3


class Row(NamedTuple):
    """A line that was read, or the reason why it could not be."""

    values: Mapping[str, Any]
    reason: str | None = None
    raw: bytes | None = None


def read_rows(
    lines: Iterable[Line], kind: str, column: str, *, max_characters: int = 0
) -> Iterator[Row]:
    """Read lines as rows.

    Args:
        lines: Of one file, or a part of it.
        kind: The file's format.
        column: The one with the text.
        max_characters: Of a value in CSV, where that is more than Python's own limit.
    """
    if kind == TEXT:
        return (_text_row(line, column) for line in lines)
    if kind == JSONL:
        return (_json_row(line, column) for line in lines if line.content.strip())
    return _csv_rows(lines, column, "\t" if kind == TSV else ",", max_characters)


def _text_row(line: Line, column: str) -> Row:
    if line.is_cut:
        return Row({}, LINE_TOO_LONG, line.content)
    try:
        return Row({column: line.content.decode("utf-8")})
    except UnicodeDecodeError:
        return Row({}, NOT_UTF8, line.content)


def _json_row(line: Line, column: str) -> Row:
    if line.is_cut:
        return Row({}, LINE_TOO_LONG, line.content)
    try:
        values = json.loads(line.content.decode("utf-8"))
    except UnicodeDecodeError:
        return Row({}, NOT_UTF8, line.content)
    except (ValueError, RecursionError):
        return Row({}, NOT_JSON, line.content)
    if not isinstance(values, dict):
        return Row({}, NOT_OBJECT, line.content)
    if not all(map(_is_utf8, values)):
        return Row({}, NOT_UTF8, line.content)
    return _checked(values, column, line.content)


def _checked(values: dict[str, Any], column: str, raw: bytes) -> Row:
    text = values.get(column)
    if isinstance(text, str) and _is_utf8(text):
        return Row(values)
    reason = NULL if text is None else NOT_UTF8 if isinstance(text, str) else NOT_TEXT
    # A row without the column must not appear to have it.
    return Row({**values, column: None} if column in values else values, reason, raw)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _values_up_to(characters: int) -> Iterator[None]:
    """Allow longer CSV values for now: Python has one limit for the process, which others use."""
    with _LIMIT:
        before = csv.field_size_limit()
        csv.field_size_limit(max(before, characters))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _csv_rows(
    lines: Iterable[Line], column: str, delimiter: str, max_characters: int
) -> Iterator[Row]:
    """Read CSV with a header; every value is a string."""
    source = _Remembered(lines)
    reader = csv.reader(source, delimiter=delimiter)
    header: list[str] | None = None
    while True:
        source.taken.clear()
        try:
            with _values_up_to(max_characters):
                fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            # Each line separately: an unclosed quote would include all lines after it.
            yield from (Row({}, NOT_CSV, line.content) for line in source.taken)
            continue
        if not fields:
            continue
        if source.has_ended and header is not None:
            # A quote that is never closed would make one row of all lines after it.
            source.times_again += 1
            own = 1 if source.times_again <= _TIMES_AGAIN else len(source.taken)
            yield from (Row({}, NOT_CSV, line.content) for line in source.taken[:own])
            source.give_back(source.taken[own:])
            continue
        raw = b"".join(line.content + line.end for line in source.taken)
        if header is None:
            header = _checked_header(fields, column)
        elif any(line.is_cut for line in source.taken):
            yield Row({}, LINE_TOO_LONG, raw)
        elif not all(map(_is_utf8, fields)):
            yield Row({}, NOT_UTF8, raw)
        elif len(fields) != len(header):
            yield Row({}, WRONG_FIELDS, raw)
        else:
            yield Row(dict(zip(header, fields, strict=True)))


def _checked_header(header: list[str], column: str) -> list[str]:
    if column not in header:
        raise FormatError(
            f"there is no column {column!r} in the header; columns: {', '.join(header)}. "
            "Name one with --column"
        )
    if len(set(header)) < len(header):
        raise FormatError(f"the header has duplicate names: {', '.join(header)}")
    return header


class _Remembered:
    """Lines for a CSV reader, which does not report how much it has read."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = iter(lines)
        self._again: deque[Line] = deque()
        self.taken: list[Line] = []
        self.has_ended = False
        """Whether the reader has asked for a line after the last one."""
        self.times_again = 0

    def __iter__(self) -> _Remembered:
        return self

    def give_back(self, lines: Iterable[Line]) -> None:
        """Read these lines again."""
        self._again.extend(lines)
        self.has_ended = False

    def __next__(self) -> str:
        try:
            line = self._again.popleft() if self._again else next(self._lines)
        except StopIteration:
            self.has_ended = True
            raise
        self.taken.append(line)
        # Bytes that are not UTF-8 become lone surrogates, which mark the row as bad later.
        return (line.content + line.end).decode("utf-8", "surrogateescape")


class Columns:
    """The columns that rows of lines get, with their types."""

    def __init__(self, kinds: Mapping[str, str], column: str) -> None:
        """Take columns by name; the text's column is added if it is missing."""
        self.kinds = {**kinds, column: STRING}
        self._column = column
        fields = [(name, _TYPES[kind]) for name, kind in self.kinds.items()]
        self.schema = pa.schema([*fields, (OTHER, pa.string()), *READING])
        kept_schema(self.schema)

    def batches(self, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
        """Put rows into record batches."""
        waiting: list[Row] = []
        for row in rows:
            waiting.append(row)
            if len(waiting) == _ROWS:
                yield self._batch(waiting)
                waiting = []
        if waiting:
            yield self._batch(waiting)

    def _batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        others: list[dict[str, Any]] = [
            {name: value for name, value in row.values.items() if name not in self.kinds}
            for row in rows
        ]
        arrays = []
        for name, kind in self.kinds.items():
            values = []
            for row, other in zip(rows, others, strict=True):
                value = row.values.get(name)
                fitted = _fit(value, kind)
                if fitted is None and value is not None:
                    other[name] = value
                values.append(fitted)
            arrays.append(pa.array(values, _TYPES[kind]))
        arrays += [
            pa.array([json.dumps(other) if other else None for other in others], pa.string()),
            pa.array([row.reason for row in rows], pa.string()),
            pa.array([row.raw for row in rows], pa.binary()),
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _fit(value: Any, kind: str) -> Any:  # noqa: ANN401 - whatever JSON may hold
    """Return a value in the type of its column, or None if this would change it."""
    if value is None:
        return None
    if kind == NESTED:
        return json.dumps(value)
    if kind == STRING:
        return value if isinstance(value, str) and _is_utf8(value) else None
    if kind == BOOL or isinstance(value, bool):
        return value if kind == BOOL and isinstance(value, bool) else None
    if kind == INT:
        return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None
    return float(value) if isinstance(value, (int, float)) and _is_exact(value) else None


def _is_exact(value: float) -> bool:
    return isinstance(value, float) or abs(value) <= 2**53


def find_kinds(rows: Iterable[Row], column: str) -> dict[str, str]:
    """Return the columns of some rows and their types, in the order of their names.

    A name that emendo uses for its own columns is left out, unless all rows have it: a few rows
    are no reason to refuse the others, and their values are kept in `OTHER`.

    Raises:
        FormatError: No row has the column that is to be edited.
    """
    kinds: dict[str, str] = {}
    rows = [row for row in rows if row.values]
    for name in _OWN_NAMES:
        if not all(name in row.values for row in rows):
            rows = [_without(row, name) for row in rows]
    for row in rows:
        for name, value in row.values.items():
            if value is not None or name == column:
                kind = _kind_of(value)
                kinds[name] = _wider(kinds.get(name, kind), kind)
    if column not in kinds and kinds:
        raise FormatError(
            f"no row has a field {column!r}; fields: {', '.join(sorted(kinds))}. "
            "Name one with --column"
        )
    return dict(sorted(kinds.items()))


def _without(row: Row, name: str) -> Row:
    if name not in row.values:
        return row
    return row._replace(values={k: value for k, value in row.values.items() if k != name})


def _kind_of(value: Any) -> str:  # noqa: ANN401 - whatever JSON may hold
    kinds = ((bool, BOOL), (int, INT), (float, FLOAT), (str, STRING))
    return next((kind for each, kind in kinds if isinstance(value, each)), NESTED)


def _wider(one: str, other: str) -> str:
    if one == other:
        return one
    return FLOAT if {one, other} == {INT, FLOAT} else NESTED
