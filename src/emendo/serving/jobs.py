"""Jobs, which hold the lines of one request, and batches of lines of several jobs."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from emendo.errors import DeadlineError, EngineError
from emendo.serving.callers import CALLER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
    from typing import Any

    from emendo.inference.steps import Steps
    from emendo.serving.deadline import Deadline

    Line = Hashable
    """What is run; lines of one group share batches."""
    Results = Mapping[Any, Any]
    RunLines = Callable[[Sequence[Any], Any], Steps[Results]]


class Job:
    """The lines of one request to run, and their results so far."""

    def __init__(self, costs: dict[Line, int], level: Hashable, deadline: Deadline) -> None:
        self.level = level
        self.caller = CALLER.get()
        self.results: dict[Any, Any] = {}
        self.entered = time.monotonic()
        # Only under the scheduler's lock.
        self.waiting = costs
        self.tokens = sum(costs.values())
        # Only in the scheduler's thread.
        self.ran = 0.0
        """Seconds for which the network ran its lines, and those of others in the same batches."""
        # Only in the event loop.
        self._deadline = deadline
        self._missing = len(self.waiting)
        self.is_noted = not self.waiting
        """Whether its wait has been noted."""
        self._error: BaseException | None = None
        self._news = asyncio.Event()

    @property
    def is_finished(self) -> bool:
        """Whether all lines are done."""
        return not self._missing

    @property
    def waited(self) -> float:
        """Seconds since it was submitted, without those in which its batches ran."""
        return max(0.0, time.monotonic() - self.entered - self.ran)

    async def finish(self) -> None:
        """Wait until all lines are done.

        Raises:
            DeadlineError: It took too long.
            EngineError: The network failed on one of them.
        """
        await self._within(self._deadline, lambda: not self._missing)

    async def finish_lines(self, lines: Collection[Line], deadline: Deadline) -> None:
        """Wait until these lines are done, up to their own deadline."""
        await self._within(deadline, lambda: all(line in self.results for line in lines))

    async def _within(self, deadline: Deadline, is_done: Callable[[], bool]) -> None:
        is_late = False

        def ring() -> None:
            nonlocal is_late
            is_late = True
            self._news.set()

        # Not `wait_for`: before Python 3.12 it may swallow the cancellation of the waiting task.
        timer = asyncio.get_running_loop().call_later(deadline.left, ring)
        try:
            while not (self._error or is_late or is_done()):
                self._news.clear()
                await self._news.wait()
        finally:
            timer.cancel()
        if is_done():
            return
        if is_late:
            raise DeadlineError(f"not done within {deadline.seconds:g} seconds")
        if self._error:
            # A new exception for each waiting request, because a traceback belongs to one of them.
            raise EngineError("the network failed on this text") from self._error

    def settle(self, results: Results, error: BaseException | None) -> None:
        """Take the results of a batch for lines of this job."""
        self._error = self._error or error
        for line, found in results.items():
            if line not in self.results:
                self.results[line] = found
                self._missing -= 1
        self._news.set()


class Begun:
    """A batch that has begun. It runs in steps, and others may run between them."""

    def __init__(
        self, batch: dict[Job, list[Line]], costs: Mapping[str, int], run: RunLines
    ) -> None:
        self.batch = batch
        self.costs = costs
        """The tokens of each caller."""
        self.level = next(iter(batch)).level
        self.lines = dict.fromkeys(line for own in batch.values() for line in own)
        self._steps = run(list(self.lines), self.level)
        self.is_prepared = False
        """Whether the first step is over, which ends before the first pass of the network."""

    @property
    def is_wanted(self) -> bool:
        """Whether anyone waits for it."""
        return bool(self.batch)

    def step(self) -> Results | None:
        """Run a step, and return the results if it was the last."""
        begin = time.monotonic()
        try:
            next(self._steps)
        except StopIteration as end:
            results: Results = end.value
            return results
        finally:
            end_of_step = time.monotonic()
            # A copy, because jobs may join in the meantime.
            for job in tuple(self.batch):
                job.ran += end_of_step - max(begin, job.entered)
        return None

    def join(self, job: Job) -> None:
        """Let a job of one of its callers wait for the lines that are being run anyway."""
        if job.level == self.level and job.caller in self.costs:
            own = [line for line in self.lines if line in job.waiting]
            if own:
                self.batch[job] = own
                job.tokens -= sum(job.waiting.pop(line) for line in own)

    def leave(self, job: Job) -> None:
        """Let a job no longer wait for it."""
        self.batch.pop(job, None)

    def alone(self, run: RunLines) -> list[Begun]:
        """Return a batch for each job."""
        return [
            Begun({job: own}, {job.caller: self.costs[job.caller]}, run)
            for job, own in self.batch.items()
        ]
