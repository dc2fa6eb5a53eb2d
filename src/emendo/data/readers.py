"""Readers for the formats of pair files; they read one pair at a time."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emendo.data.inline_corpus import read_listing
from emendo.errors import FormatError, require
from emendo.text import EditPair, read_m2, read_pairs
from emendo.text.inline import parse_inline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FIELDS = ("source", "target")


@dataclass(frozen=True)
class ParallelFiles:
    """Two files with one text per line: line n of one corresponds to line n of the other."""

    source: Path
    target: Path

    def __str__(self) -> str:
        return f"{self.source}:{self.target}"


@dataclass(frozen=True)
class InlineFile:
    """A file with one text per line and inline corrections."""

    path: Path


class PairFiles:
    r"""Files of pairs, read one after the other; the suffix determines the format.

    | suffix | content |
    |---|---|
    | `.jsonl` | objects with the strings `source` and `target` |
    | `.tsv` | `source<TAB>target`, further columns ignored, nothing quoted |
    | `.m2` | M2 |
    | `.st`, `.txt` | S/T blocks |
    | `.parquet` | columns `source` and `target` |
    | `.inline` | one text per line, corrections marked `{wrong=>right}` |

    A folder is a corpus of inline files, listed in its `files.tsv`; `folder:train` is one split of
    it. Two parallel files are given as `"a.src:a.trg"` or as `ParallelFiles`. Text is UTF-8.
    """

    def __init__(self, *files: str | Path | ParallelFiles, annotator: int | None = None) -> None:
        """Take the files.

        Args:
            files: What to read, in this order.
            annotator: Take one pair per sentence of M2 files, this annotator's, or the first
                one's if this one has no line; None takes a pair for each annotator.

        Raises:
            FormatError: A suffix is not that of a known format.
        """
        self.files = tuple(itertools.chain.from_iterable(map(_parse, files)))
        self.annotator = annotator

    def read(self) -> Iterator[EditPair]:
        """Read the pairs.

        Raises:
            FormatError: A line is malformed, or two parallel files differ in length; the message
                has the file and the line.
        """
        for file in self.files:
            if isinstance(file, ParallelFiles):
                yield from _read_parallel(file)
            elif isinstance(file, InlineFile):
                yield from _naming(file.path, _read_inline(file.path))
            else:
                yield from _naming(file, _READERS[file.suffix.lower()](file, self.annotator))

    def identity(self) -> list[list[tuple[str, int, int]]]:
        """Return a fingerprint of the files, which differs after a change."""
        return [[_stamp(path) for path in _paths(file)] for file in self.files]


def _paths(file: Path | ParallelFiles | InlineFile) -> tuple[Path, ...]:
    if isinstance(file, ParallelFiles):
        return file.source, file.target
    return (file.path if isinstance(file, InlineFile) else file,)


def _stamp(path: Path) -> tuple[str, int, int]:
    stat = path.stat()
    return str(path.resolve()), stat.st_size, stat.st_mtime_ns


def _parse(file: str | Path | ParallelFiles) -> list[Path | ParallelFiles | InlineFile]:
    if isinstance(file, ParallelFiles):
        return [file]
    if isinstance(file, str) and ":" in file and not Path(file).exists():
        first, _, second = file.partition(":")
        if Path(first).is_dir():
            return [InlineFile(found.path) for found in read_listing(Path(first), second)]
        return [ParallelFiles(Path(first), Path(second))]
    path = Path(file)
    if path.is_dir():
        return [InlineFile(found.path) for found in read_listing(path)]
    if path.suffix.lower() == _INLINE:
        return [InlineFile(path)]
    if path.suffix.lower() not in _READERS:
        raise FormatError(
            f"{path}: the suffix must be one of {', '.join([*_READERS, _INLINE])}, or "
            "give two parallel files as source:target"
        )
    return [path]


def _naming(path: Path, items: Iterator[Any]) -> Iterator[Any]:
    """Put the file's name before the error message."""
    try:
        yield from items
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def _lines(path: Path) -> Iterator[str]:
    # Bytes are split only at line feeds; str would also split inside a text, at U+2028 or \r.
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                # Some editors put a byte order mark at the start.
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(f"line {number}: not UTF-8 ({error})") from error
            yield line.rstrip("\r\n")


def _read_jsonl(path: Path, _: int | None) -> Iterator[EditPair]:
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except ValueError as error:
            raise FormatError(f"line {number}: not JSON ({error})") from error
        source, target = map(item.get, _FIELDS) if isinstance(item, dict) else (None, None)
        if not (isinstance(source, str) and isinstance(target, str)):
            raise FormatError(
                f'line {number}: expected {{"source": "…", "target": "…"}}, found {line[:60]!r}'
            )
        yield EditPair(source, target)


def _read_tsv(path: Path, _: int | None) -> Iterator[EditPair]:
    for number, line in enumerate(_lines(path), 1):
        columns = line.split("\t", 2)
        if len(columns) < 2:
            raise FormatError(f"line {number}: expected source<TAB>target, found {line[:60]!r}")
        yield EditPair(*columns[:2])


def _read_m2(path: Path, annotator: int | None) -> Iterator[EditPair]:
    for sentence in read_m2(_lines(path)):
        chosen = sentence.annotators
        if annotator is not None:
            chosen = (annotator if annotator in chosen else chosen[0],)
        yield from map(sentence.pair, chosen)


def _read_blocks(path: Path, _: int | None) -> Iterator[EditPair]:
    return read_pairs(_lines(path))


def _read_parquet(path: Path, _: int | None) -> Iterator[EditPair]:
    require("reading Parquet", "train", "pyarrow")
    from pyarrow import ArrowInvalid, parquet, types

    try:
        file = parquet.ParquetFile(path)
    except ArrowInvalid as error:
        raise FormatError(f"not a Parquet file ({error})") from error
    with file:
        schema = file.schema_arrow
        for field in _FIELDS:
            kind = schema.field(field).type if field in schema.names else None
            if kind is None or not (types.is_string(kind) or types.is_large_string(kind)):
                raise FormatError(
                    f"expected string columns source and target, found {', '.join(schema.names)}"
                )
        row = 0
        for batch in file.iter_batches(batch_size=8192, columns=list(_FIELDS)):
            columns = (batch.column(field).to_pylist() for field in _FIELDS)
            for source, target in zip(*columns, strict=True):
                row += 1
                if source is None or target is None:
                    raise FormatError(f"row {row}: source or target is null")
                yield EditPair(source, target)


def _read_inline(path: Path) -> Iterator[EditPair]:
    for number, line in enumerate(_lines(path), 1):
        try:
            yield parse_inline(line)
        except FormatError as error:
            raise FormatError(f"line {number}: {error}") from error


def _read_parallel(files: ParallelFiles) -> Iterator[EditPair]:
    paths = _paths(files)
    sides = [_naming(path, _lines(path)) for path in paths]
    for lines, (source, target) in enumerate(itertools.zip_longest(*sides)):
        if source is None or target is None:
            # One has ended; the other continues after a line that was already read.
            counts = [lines + (text is not None) for text in (source, target)]
            counts = [n + sum(1 for _ in side) for n, side in zip(counts, sides, strict=True)]
            raise FormatError(
                f"{paths[0]} has {counts[0]} lines, but {paths[1]} has {counts[1]}; line n of "
                "one must correspond to line n of the other"
            )
        yield EditPair(source, target)


_INLINE = ".inline"
_READERS: dict[str, Callable[[Path, int | None], Iterator[EditPair]]] = {
    ".jsonl": _read_jsonl,
    ".tsv": _read_tsv,
    ".m2": _read_m2,
    ".st": _read_blocks,
    ".txt": _read_blocks,
    ".parquet": _read_parquet,
}
