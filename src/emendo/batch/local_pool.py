"""Processes of this machine, one engine each; a crashed one is replaced."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from emendo.batch.fragment_editor import FragmentEditor, Outcome, pin_threads
from emendo.errors import EmendoError, JobError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from multiprocessing.process import BaseProcess

    from emendo.batch.fragments import Fragment
    from emendo.batch.job import Job

# If this many workers in a row crash before they are ready, it is not chance.
_MAX_FALSE_STARTS = 3
_GRACE = 5.0


class LocalPool:
    """Runs fragments in separate processes."""

    def __init__(self, job: Job, workers: int) -> None:
        self._job = job
        self.workers = workers
        self._crew: dict[Connection, _Worker] = {}
        self._again: deque[Fragment] = deque()
        self._false_starts = 0

    def outcomes(
        self, fragments: Iterator[Fragment], on_rows: Callable[[int], object]
    ) -> Generator[Outcome]:
        """Edit fragments, in the order in which they finish.

        Args:
            fragments: Taken as workers become free.
            on_rows: Called regularly with the number of rows read since the last call.

        Raises:
            JobError: Workers cannot be started.
        """
        self._again.extend(islice(fragments, self.workers))
        try:
            for _ in range(len(self._again)):
                self._hire()
            while self._crew:
                for connection in wait(list(self._crew)):
                    assert isinstance(connection, Connection)
                    try:
                        said = connection.recv()
                    except (EOFError, OSError):
                        self._replace(connection)
                        continue
                    if isinstance(said, int):
                        on_rows(said)
                        continue
                    if isinstance(said, EmendoError):
                        raise said
                    if isinstance(said, Outcome):
                        yield said
                    self._give(connection, fragments)
        finally:
            for worker in self._crew.values():
                worker.process.terminate()
            for worker in self._crew.values():
                worker.process.join(_GRACE)
                worker.process.kill()
            self._crew.clear()

    def _give(self, connection: Connection, fragments: Iterator[Fragment]) -> None:
        """Give a worker a fragment, or end it if none is left; a crash starts a new one."""
        worker = self._crew[connection]
        worker.is_ready, self._false_starts = True, 0
        worker.fragment = self._again.popleft() if self._again else next(fragments, None)
        if worker.fragment is None:
            del self._crew[connection]
            connection.close()
            worker.process.join(_GRACE)
            return
        # It may have died already, which shows when its pipe is read.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.send(worker.fragment)

    def _hire(self) -> None:
        # Not forked: engines and filesystems have threads, which a fork would lose.
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._job), daemon=True)
        process.start()
        # With this copy open, the end of the worker would not be noticed.
        theirs.close()
        self._crew[mine] = _Worker(process)

    def _replace(self, connection: Connection) -> None:
        """Replace a crashed worker; its fragment goes to the next one."""
        worker = self._crew.pop(connection)
        worker.process.join()
        self._false_starts += not worker.is_ready
        if self._false_starts == _MAX_FALSE_STARTS:
            raise JobError(
                f"{self._false_starts} workers in a row crashed while loading the model "
                f"(exit code {worker.process.exitcode}); there may be too little memory: "
                "use fewer --workers"
            )
        if worker.fragment:
            self._again.append(worker.fragment)
        self._hire()


@dataclass
class _Worker:
    process: BaseProcess
    fragment: Fragment | None = None
    is_ready: bool = False


def _work(connection: Connection, job: Job) -> None:
    """Edit fragments until the pipe is closed."""
    # Ctrl-C reaches all processes of a terminal; the driver ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pin_threads()
    try:
        editor = FragmentEditor(job)
    except EmendoError as error:
        connection.send(error)
        return

    def tell(rows: int) -> None:
        try:
            connection.send(rows)
        except OSError:
            # The driver has ended; to `FragmentEditor` it would look as if a file
            # could not be written.
            raise SystemExit from None

    try:
        connection.send(None)
        while True:
            connection.send(editor.run(connection.recv(), on_rows=tell))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
