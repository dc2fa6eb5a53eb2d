"""Lines of a file, or those that begin in a range of its bytes, in constant memory."""

from __future__ import annotations

import io
import lzma
import zlib
from contextlib import contextmanager
from gzip import BadGzipFile
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

import pyarrow as pa

from emendo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.batch.storage import Folder

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line with its line end."""

    content: bytes
    end: bytes = b""
    is_cut: bool = False
    """Whether it was too long, so that the rest is missing."""


def read_lines(
    folder: Folder, name: str, *, start: int = 0, stop: int = -1, limit: int = 64 << 20
) -> Iterator[Line]:
    """Read the lines that begin at byte `start` or later, and before `stop`.

    Args:
        folder: Where the file is.
        name: The file; `.gz`, `.bz2`, `.xz` and `.zst` are unpacked, and read whole.
        start: May be inside a line, which then belongs to the range that has its beginning.
        stop: -1 is the end.
        limit: Bytes of a line that are read; the rest of a longer one is skipped.

    Raises:
        FormatError: The file is compressed, and truncated or damaged.
    """
    with _telling_damage(name), folder.open(name) as opened, _unpacked(opened, name) as file:
        position = start
        if start:
            position -= 1
            file.seek(position)
            position += _skip_line(file)
        while (stop < 0 or position < stop) and (line := file.readline(limit)):
            is_cut = len(line) == limit and not line.endswith(b"\n")
            content = line.removeprefix(_BOM) if not position else line
            position += len(line) + (_skip_line(file) if is_cut else 0)
            bare = content.removesuffix(b"\n").removesuffix(b"\r")
            yield Line(bare, content[len(bare) :], is_cut)


@contextmanager
def _telling_damage(name: str) -> Iterator[None]:
    """Report a damaged compressed file in the same way for every compression format."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, BadGzipFile, pa.ArrowException) as error:
        raise FormatError(f"{name} cannot be unpacked: {error}") from error
    except OSError as error:
        # Errors of bz2 and zstd have no errno; those of disks and networks have one.
        if error.errno is None and PurePosixPath(name.lower()).suffix in (".bz2", ".zst"):
            raise FormatError(f"{name} cannot be unpacked: {error}") from error
        raise


def _skip_line(file: IO[bytes]) -> int:
    """Read to the end of a line, and return the number of bytes."""
    skipped = 0
    while block := file.readline(_BLOCK):
        skipped += len(block)
        if block.endswith(b"\n"):
            break
    return skipped


def _unpacked(file: IO[bytes], name: str) -> IO[bytes]:
    match PurePosixPath(name.lower()).suffix:
        case ".gz":
            import gzip

            return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
        case ".bz2":
            import bz2

            return bz2.BZ2File(file)
        case ".xz":
            import lzma

            return lzma.LZMAFile(file)
        case ".zst":
            stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
            return io.BufferedReader(stream)
    return file
