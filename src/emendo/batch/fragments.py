"""Input files and their fragments; a fragment is a file, or some of its rows or bytes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.storage import STATE, Folder, open_filesystem
from emendo.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PARQUET, JSONL, CSV, TSV, TEXT = FORMATS = ("parquet", "jsonl", "csv", "tsv", "text")
_BY_SUFFIX = {
    **{".parquet": PARQUET, ".pq": PARQUET},
    **{".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL},
    **{".csv": CSV, ".tsv": TSV, ".txt": TEXT, ".text": TEXT},
}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}
# Fields by which filesystems tell whether a file has changed.
_VERSIONS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "created")
# Footers are read in parallel: on remote storage each takes time, but no work.
_FOOTERS_AT_ONCE = 16


class InputFile(NamedTuple):
    """A file of the input."""

    name: str
    """Within the input's folder."""
    size: int
    version: str
    format: str

    @property
    def is_compressed(self) -> bool:
        """Whether it must be read from its start."""
        return PurePosixPath(self.name).suffix.lower() in _COMPRESSED


@dataclass(frozen=True)
class Fragment:
    """The part of the input that one worker reads, edits and writes at once."""

    number: int
    input: str
    """The file's name within the input's folder."""
    format: str
    size: int
    """Bytes of the input, about."""
    start: int
    """The first row of Parquet, or byte of lines."""
    stop: int
    """The one after the last; -1 for the end of the file."""
    output: str
    """The file's name within the output's folder."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def find_input(url: str, output: str, kind: str = "auto") -> tuple[Folder, list[InputFile]]:
    """List the input: a file, all files of a folder, or those that match a pattern.

    Names that begin with a dot or an underscore are ignored, as in Spark.

    Raises:
        RequestError: There is no file, an unknown format, or the output is inside the input.
    """
    filesystem, path = open_filesystem(url)
    root = path
    names: dict[str, dict[str, Any]] = {}
    if any(sign in path for sign in "*?["):
        parts = path.split("/")
        plain = next(k for k, part in enumerate(parts) if any(sign in part for sign in "*?["))
        root = "/".join(parts[:plain]) or "/"
        for found, info in filesystem.glob(path, detail=True).items():
            is_folder = info["type"] == "directory"
            names |= filesystem.find(found, detail=True) if is_folder else {found: info}
    elif filesystem.isfile(path):
        root = path.rsplit("/", 1)[0]
        names = {path: filesystem.info(path)}
    elif filesystem.isdir(path):
        names = filesystem.find(path, detail=True)
    if not names:
        raise RequestError(f"{url}: there is no such file or folder, or it is empty")
    folder = Folder(_url_of(url, path, root))
    _check_apart(url, output, root, is_folder=root == path)
    files = []
    for each in sorted(names):
        name = each[len(root.rstrip("/")) + 1 :]
        info = names[each]
        is_hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        # Object stores can have a file that stands for a folder.
        if info["type"] != "file" or is_hidden or name.endswith("/"):
            continue
        version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
        files.append(InputFile(name, info["size"] or 0, version, _format_of(name, kind)))
    if not files:
        raise RequestError(f"{url} contains no files")
    return folder, files


def _url_of(url: str, path: str, root: str) -> str:
    """Return the URL of a parent folder of a URL."""
    return url.rstrip("/") if root == path else url.rstrip("/")[: len(root) - len(path)] or root


def _check_apart(url: str, output: str, root: str, *, is_folder: bool) -> None:
    here, there = open_filesystem(url)[0], open_filesystem(output)
    if type(here) is not type(there[0]) or not is_folder:
        return
    inside, outside = f"{there[1]}/", f"{root.rstrip('/')}/"
    if inside.startswith(outside) or outside.startswith(inside):
        raise RequestError(
            f"the output {output} and the input {url} overlap; choose another output"
        )


def _format_of(name: str, kind: str) -> str:
    if kind != "auto":
        return kind
    path = PurePosixPath(name.lower())
    suffix = path.suffix
    if suffix in _COMPRESSED:
        suffix = path.with_suffix("").suffix
    if suffix not in _BY_SUFFIX:
        raise RequestError(
            f"{name} has an unknown suffix (known: {', '.join(_BY_SUFFIX)}); "
            f"give the format with --format {'|'.join(FORMATS)}"
        )
    return _BY_SUFFIX[suffix]


def split_files(
    folder: Folder, files: Iterable[InputFile], *, column: str, fragment_bytes: int
) -> Iterator[Fragment]:
    """Split files into fragments of about this many bytes of text; small files stay whole.

    Raises:
        RequestError: Two files would be written to the same place.
    """
    taken: set[str] = set()
    number = 0
    with ThreadPoolExecutor(_FOOTERS_AT_ONCE) as pool:
        files = list(files)
        cuts = pool.map(lambda file: _cuts(folder, file, column, fragment_bytes), files)
        for file, spans in zip(files, cuts, strict=True):
            for part, (start, stop) in enumerate(spans):
                output = _output_name(file, part if len(spans) > 1 else None)
                if output in taken:
                    raise RequestError(
                        f"two input files would both be written to {output}; rename {file.name}"
                    )
                taken.add(output)
                size = file.size // len(spans)
                yield Fragment(number, file.name, file.format, size, start, stop, output)
                number += 1


def _output_name(file: InputFile, part: int | None) -> str:
    stem = file.name
    if file.format == PARQUET and stem.lower().endswith((".parquet", ".pq")):
        stem = stem.rsplit(".", 1)[0]
    assert not stem.startswith(STATE)
    return f"{stem}.parquet" if part is None else f"{stem}.{part:05}.parquet"


def _cuts(
    folder: Folder, file: InputFile, column: str, fragment_bytes: int
) -> list[tuple[int, int]]:
    whole = [(0, -1)]
    if file.size <= fragment_bytes or file.is_compressed or file.format in (CSV, TSV):
        # A line break in CSV may be inside a value, which shows only after reading all before it.
        return whole
    if file.format != PARQUET:
        step = -(-file.size // -(-file.size // fragment_bytes))
        return [(start, min(start + step, file.size)) for start in range(0, file.size, step)]
    try:
        with folder.open(file.name) as opened:
            footer = pq.read_metadata(opened)
    except (OSError, pa.ArrowException):
        # The worker that reads it reports the error; the other files are not affected.
        return whole
    size = 0
    for k in range(footer.num_row_groups):
        group = footer.row_group(k)
        for each in map(group.column, range(group.num_columns)):
            if each.path_in_schema == column:
                size += each.total_uncompressed_size
    parts = max(1, -(-size // fragment_bytes))
    step = max(1, -(-footer.num_rows // parts))
    spans = [
        (start, min(start + step, footer.num_rows)) for start in range(0, footer.num_rows, step)
    ]
    return spans if len(spans) > 1 else whole
