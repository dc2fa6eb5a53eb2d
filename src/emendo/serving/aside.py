"""Threads for work that takes long in Python, so that it does not block the event loop.

There is one thread each for short texts, for long ones and for the disk: a long text does not delay
short ones, and at most two threads compete with the event loop. Work counts against its request's
deadline, and ends when the caller disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from emendo.errors import DeadlineError, EngineError, OverloadedError

if TYPE_CHECKING:
    from typing import TypeVar

    from emendo.serving.deadline import Deadline

    Result = TypeVar("Result")

Check: TypeAlias = Callable[[], object]
"""Called regularly by work; raises if the result is no longer needed."""
LONG = 2000
"""The size in characters from which a thread is worthwhile; below, the work is faster."""
_VERY_LONG = 20_000


class _UnwantedError(Exception):
    """The result of this work is no longer needed."""


class Aside:
    """The threads of one server."""

    def __init__(self, max_waiting: int = 64) -> None:
        """Get ready.

        Args:
            max_waiting: Works that may wait for each thread; those beyond are refused.
        """
        self._quick, self._slow, self._disk = (
            _Lane(name, max_waiting) for name in ("quick", "slow", "disk")
        )

    async def run(self, work: Callable[[Check], Result], size: int, deadline: Deadline) -> Result:
        """Do work on a text, in a thread if it is long.

        Args:
            work: Gets a function to call regularly, which raises if the result is not needed.
            size: Number of characters; shorter work goes first.
            deadline: When it must be done.

        Raises:
            OverloadedError: Too much work is already waiting.
            DeadlineError: It took too long.
            EngineError: A library failed with something other than a Python exception.
        """
        if size < LONG:
            return _guarded(work, lambda: None)
        return await (self._quick if size < _VERY_LONG else self._slow).run(work, size, deadline)

    async def run_on_disk(self, work: Callable[[], Result], deadline: Deadline) -> Result:
        """Do work that may have to wait for a disk or another process."""
        return await self._disk.run(lambda _: work(), 0, deadline)


class _Lane:
    """A thread with its queue of work, the smallest first."""

    def __init__(self, name: str, max_waiting: int) -> None:
        self._name = name
        self._max_waiting = max_waiting
        self._number = count()
        self._wake = Condition()
        self._waiting: list[tuple[int, int, _Task]] = []
        self._thread: Thread | None = None

    async def run(self, work: Callable[[Check], Result], size: int, deadline: Deadline) -> Result:
        task = _Task(work, deadline)
        with self._wake:
            if len(self._waiting) >= self._max_waiting:
                # Work of callers who have disconnected is removed.
                self._waiting = sorted(each for each in self._waiting if each[2].is_wanted)
            if len(self._waiting) >= self._max_waiting:
                raise OverloadedError("too many requests are waiting; try again in a second")
            heappush(self._waiting, (size, next(self._number), task))
            if self._thread is None:
                # A daemon: the process does not wait for it when it ends.
                self._thread = Thread(target=self._work, name=f"emendo-{self._name}", daemon=True)
                self._thread.start()
            self._wake.notify()
        try:
            # Not `wait_for`: before Python 3.12 it may swallow the cancellation of who waits.
            await asyncio.wait({task.future}, timeout=deadline.left)
            if not task.future.done():
                raise DeadlineError(f"not done within {deadline.seconds:g} seconds")
            result: Result = task.future.result()
            return result
        finally:
            task.is_wanted = False

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._waiting:
                    self._wake.wait()
                *_, task = heappop(self._waiting)
            task.run()


class _Task:
    """Work, and whether somebody waits for it."""

    def __init__(self, work: Callable[[Check], Any], deadline: Deadline) -> None:
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.is_wanted = True
        self._loop = asyncio.get_running_loop()
        self._work = work
        self._deadline = deadline

    def check(self) -> None:
        if not self.is_wanted or not self._deadline.left:
            raise _UnwantedError

    def run(self) -> None:
        result, failure = None, None
        try:
            self.check()
            result = _guarded(self._work, self.check)
        except _UnwantedError:
            return
        # Any exception goes to the caller, and the thread continues with the next work.
        except Exception as error:
            failure = error

        def settle() -> None:
            if self.future.done():
                return
            if failure is None:
                self.future.set_result(result)
            elif self.is_wanted:
                self.future.set_exception(failure)

        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:
            # The loop was closed without waiting, so there is no caller to notify.
            return


def _guarded(work: Callable[[Check], Result], check: Check) -> Result:
    """Do work; a panic in a native library, not an `Exception`, must not end the thread."""
    try:
        return work(check)
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise EngineError("a library failed on this text") from error
