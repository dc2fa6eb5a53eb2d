"""A folder on any filesystem, with atomic writes.

It can be on a disk or on any filesystem of fsspec or pyarrow: S3, GCS, HDFS, SFTP, …
"""

from __future__ import annotations

import errno
import hashlib
import os
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import fsspec
from fsspec.implementations.arrow import ArrowFSWrapper
from fsspec.implementations.local import LocalFileSystem

from emendo.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsspec import AbstractFileSystem

STATE = "_emendo"
"""The folder of a job's own files; readers of Parquet skip names with this prefix."""
_DRAFTS = f"{STATE}/drafts"

# Object stores show a file when it is complete; renaming one there means copying it.
_SHOWN_WHOLE = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "r2", "hf"}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_full(error: BaseException | None) -> bool:
    """Whether an error or its cause is a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def open_filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the filesystem of a path or URL, and the path on it.

    Raises:
        RequestError: No installed package supports such URLs.
    """
    try:
        filesystem, path = fsspec.url_to_fs(url)
    except (ImportError, ValueError) as error:
        # fsspec's package for this kind is not installed; pyarrow has some of its own.
        import pyarrow as pa
        from pyarrow.fs import FileSystem

        try:
            bare, path = FileSystem.from_uri(url)
        except (pa.ArrowException, ValueError, OSError):
            raise RequestError(f"{url} cannot be reached: {error}") from error
        filesystem = ArrowFSWrapper(bare)
    return filesystem, path.rstrip("/") or "/"


@dataclass
class Written:
    """A file that is being written, with its size and checksum."""

    file: IO[bytes]
    size: int = 0

    def __post_init__(self) -> None:
        self._digest = hashlib.sha256()
        self.closed = False

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever has a buffer
        """Write, count and add to the checksum."""
        view = memoryview(data)
        self._digest.update(view)
        self.size += view.nbytes
        self.file.write(view)
        return view.nbytes

    def tell(self) -> int:
        """Return the bytes so far."""
        return self.size

    def flush(self) -> None:
        """Do nothing: the code that opened the file closes it."""

    def close(self) -> None:
        """Likewise."""

    def writable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is not."""
        return False

    def seekable(self) -> bool:
        """It is not."""
        return False

    @property
    def checksum(self) -> str:
        """The sha256 of what was written."""
        return self._digest.hexdigest()


@dataclass(frozen=True)
class Folder:
    """A folder by its URL, with which processes on other machines open it again."""

    url: str

    @cached_property
    def _place(self) -> tuple[AbstractFileSystem, str]:
        return open_filesystem(self.url)

    @property
    def is_local(self) -> bool:
        """Whether it is on a disk of this machine."""
        return isinstance(self._place[0], LocalFileSystem)

    def path(self, name: str = "") -> str:
        """Return the path of a file on the filesystem."""
        root = self._place[1]
        return f"{root.rstrip('/')}/{name}" if name else root

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        filesystem, _ = self._place
        filesystem.invalidate_cache()
        return bool(filesystem.exists(self.path(name)))

    def read(self, name: str) -> bytes:
        """Return a file's content.

        Raises:
            FileNotFoundError: There is none.
        """
        return bytes(self._place[0].cat_file(self.path(name)))

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read."""
        return self._place[0].open(self.path(name), "rb")  # type: ignore[no-any-return]

    def sizes(self, name: str = "") -> dict[str, int]:
        """Return the files below a folder, by their names in this one, with their bytes."""
        filesystem, _ = self._place
        filesystem.invalidate_cache()
        start = len(self.path()) + 1
        try:
            found = filesystem.find(self.path(name), detail=True)
        except FileNotFoundError:
            return {}
        return {path[start:]: info["size"] or 0 for path, info in found.items()}

    def put(self, name: str, content: bytes) -> None:
        """Write a whole file at once."""
        with self.writing(name) as written:
            written.write(content)

    @contextmanager
    def writing(self, name: str) -> Iterator[Written]:
        """Write a file that appears under its name only when it is complete."""
        filesystem, _ = self._place
        protocols = filesystem.protocol
        kinds = {protocols} if isinstance(protocols, str) else set(protocols)
        target = self.path(name)
        if kinds & _SHOWN_WHOLE:
            file = filesystem.open(target, "wb")
            try:
                yield Written(file)
            except BaseException:
                # Closing would publish it.
                if hasattr(file, "discard"):
                    file.discard()
                raise
            file.close()
            return
        draft = self.path(f"{_DRAFTS}/{uuid.uuid4().hex}")
        for path in (draft, target):
            filesystem.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        try:
            with filesystem.open(draft, "wb") as file:
                yield Written(file)
                if self.is_local:
                    # Before the rename: an empty file would look complete.
                    file.flush()
                    os.fsync(file.fileno())
            filesystem.mv(draft, target)
        except BaseException:
            self._remove(draft)
            raise

    def remove(self, name: str) -> None:
        """Remove a file or a folder, if it is there."""
        self._remove(self.path(name))

    def clear_drafts(self) -> None:
        """Remove the remains of interrupted attempts."""
        self.remove(_DRAFTS)

    def remove_empty(self) -> None:
        """Remove the job's own folders, and this one, if they are empty."""
        if self.is_local:
            with suppress(OSError):
                for name in (_DRAFTS, STATE, ""):
                    with suppress(FileNotFoundError):
                        os.rmdir(self.path(name))

    def _remove(self, path: str) -> None:
        filesystem, _ = self._place
        filesystem.invalidate_cache()
        if filesystem.exists(path):
            filesystem.rm(path, recursive=True)
