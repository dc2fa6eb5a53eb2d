"""The columns that a job adds, and those that give the reason why a row was put aside."""

from __future__ import annotations

import pyarrow as pa

from emendo.errors import RequestError

EDIT = pa.struct(
    [
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("replacement", pa.string()),
        ("type", pa.string()),
        ("confidence", pa.float32()),
    ]
)
"""An edit as `emendo.text.Edit` has it; positions are code points of the source text."""

ADDED = pa.schema(
    [
        ("emendo_text", pa.string()),
        ("emendo_edits", pa.list_(EDIT)),
        ("emendo_score", pa.float32()),
        ("emendo_model", pa.string()),
        ("emendo_level", pa.string()),
    ]
)
"""The columns of every row: corrected text, edits, lowest confidence, model and level."""

REASON, RAW = "emendo_reason", "emendo_raw"
READING = pa.schema([(REASON, pa.string()), (RAW, pa.binary())])
"""For a line that is not a row: the reason, and its bytes."""

ROW = "emendo_row"
OTHER = "emendo_other"
"""Fields of a JSON or CSV row that have no column of their own, as a JSON object."""

NULL, NOT_TEXT, TOO_LONG, NOT_UTF8 = "null", "not text", "too long", "not UTF-8"


def kept_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of an input that its output keeps: all except a reader's own.

    Raises:
        RequestError: The input already has columns with the names of the added ones.
    """
    kept = [field for field in without_views(schema) if field.name not in READING.names]
    taken = {field.name for field in kept} & {*ADDED.names, ROW}
    if taken:
        raise RequestError(
            f"the input already has {', '.join(sorted(taken))}: it looks like the output of "
            "another job; drop or rename these columns"
        )
    return pa.schema(kept, metadata=schema.metadata)


def without_views(schema: pa.Schema) -> pa.Schema:
    """Return columns with plain types: few functions of pyarrow accept views of strings."""
    plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    fields = [field.with_type(plain.get(field.type, field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)


def edited_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of the output."""
    kept = kept_schema(schema)
    return pa.schema([*kept, *ADDED], metadata=kept.metadata)


def bad_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of the rows put aside."""
    kept = kept_schema(schema)
    return pa.schema([*kept, (ROW, pa.int64()), *READING], metadata=kept.metadata)
