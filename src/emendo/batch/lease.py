"""The lease on an output folder: one command at a time writes there.

The holder renews a small file. If the file has not changed for a while, its holder has died and the
lease is free; if the holder was a process of this machine that no longer exists, it is free at
once. Only changes of the file count, not the time in it, because clocks of two machines differ.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emendo.batch.storage import STATE
from emendo.errors import JobError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.batch.storage import Folder

_LEASE = f"{STATE}/lease.json"
_RENEW = 5.0
# A lease that has not changed for this long is free.
_PATIENCE = 30.0
_LOOK = 0.5
_SETTLE = 0.1
# Leases of this process: its process id in a file does not prove that it wrote the file.
_held: set[str] = set()


class Lease:
    """The right to write into a folder, while in the context.

    Raises:
        JobError: Another command has it; the message names it.
    """

    def __init__(self, output: Folder) -> None:
        self._output = output
        self._holder = uuid.uuid4().hex
        self._since = time.strftime("%Y-%m-%d %H:%M:%S")
        self._renewals = 0
        self._end = threading.Event()
        self._thief: dict[str, Any] | None = None
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> Lease:
        free = self._wait_for_others()
        with self._alone():
            found = self._read()
            if found != free:
                raise self._refused(found or _unknown())
            # Before writing, or another thread could think that a dead process left this lease.
            _held.add(self._holder)
            self._write()
        # Without a lock, two commands may find the lease free; the last one to write gets it.
        time.sleep(_SETTLE if self._output.is_local else _LOOK)
        try:
            self._check_own()
        except BaseException:
            _held.discard(self._holder)
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        _held.discard(self._holder)
        with suppress(OSError), self._alone():
            found = self._read()
            if found and found["holder"] == self._holder:
                self._output.remove(_LEASE)
                self._output.remove_empty()

    def check(self) -> None:
        """Raise `JobError` if another command has taken the folder meanwhile."""
        if self._thief is not None:
            raise self._refused(self._thief)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """On a local disk, keep other commands from reading or writing the lease."""
        if not self._output.is_local or os.name != "posix":
            yield
            return
        handle = _locked(self._output.path(STATE))
        try:
            yield
        finally:
            os.close(handle)

    def _wait_for_others(self) -> dict[str, Any] | None:
        """Wait until the lease is free, and return what it says then."""
        first = found = self._read()
        deadline = time.monotonic() + _PATIENCE
        while found is not None and not _is_dead(found):
            if found["holder"] in _held or found != first:
                raise self._refused(found)
            if time.monotonic() > deadline:
                break
            time.sleep(_LOOK)
            found = self._read()
        return found

    def _refused(self, other: dict[str, Any]) -> JobError:
        return JobError(
            f"another `emendo batch` is writing into {self._output.url}: process "
            f"{other['process']} on {other['host']}, since {other['since']} (its time). Wait for "
            "it, end it, or choose another output"
        )

    def _check_own(self) -> None:
        found = self._read()
        if found is None or found["holder"] != self._holder:
            raise self._refused(found or _unknown())

    def _renew(self) -> None:
        while not self._end.wait(_RENEW):
            # If a filesystem cannot be reached for a while, the workers report it.
            with suppress(OSError), self._alone():
                found = self._read()
                if found is not None and found["holder"] != self._holder:
                    self._thief = found
                    return
                self._write()

    def _write(self) -> None:
        self._renewals += 1
        content = {
            "holder": self._holder,
            "host": socket.gethostname(),
            "processes": _processes(),
            "process": os.getpid(),
            "since": self._since,
            "renewals": self._renewals,
        }
        self._output.put(_LEASE, json.dumps(content).encode())

    def _read(self) -> dict[str, Any] | None:
        try:
            content = json.loads(self._output.read(_LEASE))
        except FileNotFoundError:
            return None
        except ValueError:
            return _unknown()
        return {**_unknown(), **content} if isinstance(content, dict) else _unknown()


def _locked(folder: str) -> int:
    """Lock a folder and return its handle; closing the handle ends the lock."""
    import fcntl

    while True:
        os.makedirs(folder, exist_ok=True)
        with suppress(FileNotFoundError):
            handle = os.open(folder, os.O_RDONLY)
            # Some network filesystems have no locks.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            # A command that ends removes an empty folder; then the handle is of the removed one.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(folder), os.fstat(handle)):
                    return handle
            os.close(handle)


def _unknown() -> dict[str, Any]:
    return {"holder": "", "host": "an unknown machine", "process": "?", "since": "an unknown time"}


def _processes() -> str:
    """Name the system to which this process's id belongs.

    A container may have its machine's name but process ids of its own.
    """
    parts = [socket.gethostname()]
    # Only Linux has these.
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


def _is_dead(found: dict[str, Any]) -> bool:
    """Whether the process that wrote it ran on this machine, and is gone."""
    process = found["process"]
    # On other systems `os.kill` with 0 is not a harmless test.
    if os.name != "posix":
        return False
    if found.get("processes") != _processes() or not isinstance(process, int):
        return False
    if process == os.getpid():
        return found["holder"] not in _held
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
