"""Threads for work that takes long in Python, so that it does not block the event loop.

There is one thread each for short texts, for long ones and for the disk: a long text does not delay
short ones, and at most two threads compete with the event loop. Work counts against its request's
deadline, and ends when the caller disconnects.

Work on long texts keeps the Python interpreter busy, and every pass of the network would have to
wait for it. So while the network runs, such work pauses for most of the time.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from emendo.errors import DeadlineError, EngineError, OverloadedError
from emendo.serving.callers import CALLER

if TYPE_CHECKING:
    from typing import TypeVar

    from emendo.serving.deadline import Deadline

    Result = TypeVar("Result")

Check: TypeAlias = Callable[[], object]
"""Called regularly by work; raises if the result is no longer needed."""
LONG = 2000
"""The size in characters from which a thread is worthwhile; below, the work is faster."""
_VERY_LONG = 20_000
# The reserve is one place for this many.
_RESERVED = 4
# While the network runs, work pauses for this many times the processor time that it has used, once
# that is at least this many seconds. In a pause, it checks at this interval whether the network has
# stopped.
_PAUSE, _AT_LEAST, _INTERVAL = 3.0, 0.002, 0.002


class _UnwantedError(Exception):
    """The result of this work is no longer needed."""


class Aside:
    """The threads of one server."""

    def __init__(
        self, max_waiting: int = 64, *, is_busy: Callable[[], bool] = lambda: False
    ) -> None:
        """Get ready.

        Args:
            max_waiting: Works that may wait for each thread; those beyond are refused.
            is_busy: Whether the network is running.
        """
        self._quick, self._slow, self._disk = (
            _Lane(name, max_waiting, is_busy) for name in ("quick", "slow", "disk")
        )

    async def run(self, work: Callable[[Check], Result], size: int, deadline: Deadline) -> Result:
        """Do work on a text, in a thread if it is long.

        Args:
            work: Gets a function to call regularly, which raises if the result is not needed.
            size: Number of characters; of one caller, shorter work goes first.
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
    """A thread with its queue of work.

    Callers take turns, each with its smallest work first, so that nobody can keep the thread busy
    alone. A quarter more places are reserved for callers that have no work waiting.
    """

    def __init__(self, name: str, max_waiting: int, is_busy: Callable[[], bool]) -> None:
        self._name = name
        self._max_waiting = max_waiting
        self._is_busy = is_busy
        self._wake = Condition()
        # The work of each caller; the first caller is next.
        self._waiting: OrderedDict[str, list[_Task]] = OrderedDict()
        self._thread: Thread | None = None

    async def run(self, work: Callable[[Check], Result], size: int, deadline: Deadline) -> Result:
        caller, task = CALLER.get(), _Task(work, size, deadline, self._is_busy)
        with self._wake:
            self._drop_unwanted()
            reserve = 0 if caller in self._waiting else self._max_waiting // _RESERVED
            if sum(map(len, self._waiting.values())) >= self._max_waiting + reserve:
                raise OverloadedError("too many requests are waiting; try again in a second")
            self._waiting.setdefault(caller, []).append(task)
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
                task = self._take()
            if task:
                task.run()

    def _take(self) -> _Task | None:
        """Remove the work that is next, if any of it is still wanted."""
        self._drop_unwanted()
        if not self._waiting:
            return None
        caller, tasks = self._waiting.popitem(last=False)
        task = min(tasks, key=lambda each: each.size)
        tasks.remove(task)
        if tasks:
            self._waiting[caller] = tasks
        return task

    def _drop_unwanted(self) -> None:
        """Remove the work of callers who have disconnected."""
        for caller, tasks in list(self._waiting.items()):
            tasks[:] = [each for each in tasks if each.is_wanted]
            if not tasks:
                del self._waiting[caller]


class _Task:
    """Work, and whether somebody waits for it."""

    def __init__(
        self,
        work: Callable[[Check], Any],
        size: int,
        deadline: Deadline,
        is_busy: Callable[[], bool],
    ) -> None:
        self.size = size
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.is_wanted = True
        self._loop = asyncio.get_running_loop()
        self._work = work
        self._deadline = deadline
        self._is_busy = is_busy
        # The processor time of this thread after the last pause.
        self._paused = 0.0

    def check(self) -> None:
        self._pause()
        if not self.is_wanted or not self._deadline.left:
            raise _UnwantedError

    def _pause(self) -> None:
        """If the network runs, pause in proportion to the work done since the last pause."""
        worked = time.thread_time() - self._paused
        if worked < _AT_LEAST:
            return
        end = time.monotonic() + _PAUSE * worked
        while self.is_wanted and self._is_busy() and time.monotonic() < end:
            time.sleep(_INTERVAL)
        self._paused = time.thread_time()

    def run(self) -> None:
        result, failure = None, None
        self._paused = time.thread_time()
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
