"""The scheduler: batches sentences of many requests under a token budget.

One thread runs the network. Callers share its time (`shares`), and the requests of each take turns,
so that many requests or a long document do not delay those of others; the batch is filled with
sentences of similar length, first of the same caller and then of others. A batch runs in steps, one
for each pass of the network, and between them batches of other callers have their turn. A batch
whose callers have left is continued only if one of them asks again. Nothing sleeps or polls: the
thread wakes when there is work, and a request wakes when its sentences are done.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from bisect import bisect_right
from collections import Counter, deque
from contextlib import asynccontextmanager
from itertools import islice
from threading import Condition, Thread
from typing import TYPE_CHECKING

from emendo.errors import OverloadedError
from emendo.serving.callers import CALLER
from emendo.serving.failures import describe_failure
from emendo.serving.jobs import Begun, Job
from emendo.serving.shares import Shares

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Hashable, Mapping, Sequence
    from typing import Any

    from emendo.serving.deadline import Deadline
    from emendo.serving.jobs import Line, Results, RunLines

_logger = logging.getLogger(__name__)

# Sentences from which a batch is chosen, and the minimum of each request.
_CANDIDATES = 256
_FROM_EACH = 4
# About the tokens of a text. It is used only for grouping; the editor counts exactly.
_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")
_EDGES = 2
# Batches that may be in progress at the same time; each takes a few hundred kilobytes at most.
_BEGUN = 32
# One further place for each of this many is reserved for callers without a waiting request.
_RESERVE = 4
# The exit code of a process that cannot continue.
_BROKEN = 70
# Tokens by which sentences of a batch may differ, and the same as a share of the longest: padding
# costs as much as text, and a small batch is as efficient as a large one.
_LIKE_TOKENS = 3
_LIKE_SHARE = 0.4
# Engines compile for every new shape of a batch, so there must not be too many.
_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


class Scheduler:
    """Runs the sentences of all requests in one thread."""

    def __init__(
        self,
        run: RunLines,
        *,
        batch_tokens: int = 128,
        max_waiting: int = 64,
        on_wait: Callable[[float], object] | None = None,
        text_of: Callable[[Any], str] = str,
        group_of: Callable[[Any], Hashable] = lambda _: None,
    ) -> None:
        """Get ready; `start` begins.

        Args:
            run: Edits lines at a level, or aligns them if there is none. Its steps are run only in
                the scheduler's thread.
            batch_tokens: Source tokens of a batch, including padding, estimated.
            max_waiting: Jobs that may wait; more are refused. A quarter more is reserved for
                callers without a waiting job.
            on_wait: Called with the seconds that each job waited while others were run, until its
                first results.
            text_of: Returns the text of a line; by default a line is its text.
            group_of: Returns the group of a line; a batch is of one group and one level.
        """
        self._run = run
        self._batch_tokens = batch_tokens
        self._max_waiting = max_waiting
        self._on_wait = on_wait
        self._text_of = text_of
        self._group_of = group_of
        # Both are changed only under the lock.
        self._jobs: deque[Job] = deque()
        self._begun: list[Begun] = []
        self._shares = Shares()
        self._wake = Condition()
        self._is_closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = Thread(target=self._work, name="emendo-engine", daemon=True)
        self.last_success = float("-inf")
        """When a pass of the network last succeeded, by the monotonic clock."""
        self._running: Begun | None = None
        self._running_since: float | None = None

    @property
    def is_full(self) -> bool:
        """Whether a job of the current caller would be refused."""
        caller = CALLER.get()
        # A copy, because the engine's thread may take jobs at the same time.
        waiting = [job.caller for job in tuple(self._jobs)]
        reserve = 0 if caller in waiting else max(1, self._max_waiting // _RESERVE)
        return self._is_closing or len(waiting) >= self._max_waiting + reserve

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return len(self._jobs)

    @property
    def running(self) -> float:
        """Seconds for which a step of a batch has been running, 0 if there is none."""
        since = self._running_since
        return 0.0 if since is None else time.monotonic() - since

    def start(self) -> None:
        """Start the thread, for the event loop in which this is called."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def close(self) -> None:
        """Accept no more jobs, finish the existing ones, and end the thread."""
        with self._wake:
            self._is_closing = True
            self._wake.notify()
        await asyncio.to_thread(self._thread.join)

    @asynccontextmanager
    async def submit(
        self, lines: Collection[Line], *, level: Hashable, deadline: Deadline
    ) -> AsyncIterator[Job]:
        """Run lines; when the block is left in any way, they are no longer needed.

        Args:
            lines: Each once.
            level: Passed on to `run`; None is for alignments, which have no levels.
            deadline: When all must be done.

        Raises:
            OverloadedError: Too many jobs are waiting.
        """
        job = Job({line: _cost(self._text_of(line)) for line in lines}, level, deadline)
        with self._wake:
            if self.is_full:
                raise OverloadedError("too many requests are waiting; try again in a second")
            for begun in self._begun:
                begun.join(job)
            if job.waiting:
                self._jobs.append(job)
            self._wake.notify()
        try:
            yield job
        finally:
            self._drop(job)

    def _drop(self, job: Job) -> None:
        self._note_wait(job)
        with self._wake:
            for begun in self._begun:
                begun.leave(job)
            if job.waiting:
                job.waiting.clear()
                self._jobs.remove(job)

    def _note_wait(self, job: Job) -> None:
        """Note how long a job waited for its first results, once."""
        if self._on_wait and not job.is_noted:
            running = self._running
            # The step that is running is not yet among those that have run.
            now = self.running if running and job in running.batch else 0.0
            self._on_wait(max(0.0, job.waited - now))
        job.is_noted = True

    def _work(self) -> None:
        try:
            self._run_batches()
        # Without this thread no request would be answered.
        except BaseException as error:
            _logger.critical("the engine's thread has ended: %s", describe_failure(error))
            logging.shutdown()
            # So that the supervisor restarts the process.
            os._exit(_BROKEN)

    def _run_batches(self) -> None:
        while True:
            with self._wake:
                while not (batch := self._choose()):
                    if self._is_closing:
                        return
                    self._wake.wait()
            self._step(batch)
            # Frees its memory, because the next batch may come much later.
            del batch

    def _choose(self) -> Begun | None:
        """Return the batch that is next, or None if there is no work."""
        wanted = [batch for batch in self._begun if batch.is_wanted]
        callers = [caller for batch in wanted for caller in batch.costs]
        callers += (job.caller for job in self._jobs)
        if not callers:
            return None
        caller = self._shares.next(callers)
        for batch in wanted:
            if caller in batch.costs:
                return batch
        if len(self._begun) >= _BEGUN:
            unwanted = next((batch for batch in self._begun if not batch.is_wanted), None)
            if not unwanted:
                # The oldest one is finished first, so that a place becomes free.
                return self._begun[0]
            self._begun.remove(unwanted)
        self._begun.append(Begun(*self._take_batch(caller), self._run))
        return self._begun[-1]

    def _take_batch(self, caller: str) -> tuple[dict[Job, list[Line]], dict[str, int]]:
        """Take the first line of a caller's next job, and others of similar length.

        Returns:
            The lines of each job, and the costs of each caller.
        """
        jobs = sorted(self._jobs, key=lambda job: job.caller != caller)
        first = jobs[0]
        head = next(iter(first.waiting))
        wanted = first.waiting[head]
        group = self._group_of(head)
        share = max(_FROM_EACH, _CANDIDATES // len(self._jobs))
        others = [
            (job.caller != caller, abs(cost - wanted), cost, job, line)
            for job in islice(jobs, _CANDIDATES // _FROM_EACH)
            if job.level == first.level and self._shares.may_join(job.caller)
            for line, cost in islice(job.waiting.items(), share)
            if not (job is first and line == head) and self._group_of(line) == group
        ]
        others.sort(key=lambda other: other[:2])
        # A sentence that several of these requests wait for is run once.
        chosen = {head: [first]}
        shortest = longest = wanted
        for _, _, cost, job, line in others:
            if line in chosen:
                chosen[line].append(job)
                continue
            low, high = min(shortest, cost), max(longest, cost)
            if high - low > max(_LIKE_TOKENS, _LIKE_SHARE * high):
                continue
            # Not the end: lines that are already chosen may follow.
            if (len(chosen) + 1) * high > self._batch_tokens:
                continue
            shortest, longest = low, high
            chosen[line] = [job]
        batch: dict[Job, list[Line]] = {}
        for line, jobs in islice(chosen.items(), _COUNTS[bisect_right(_COUNTS, len(chosen)) - 1]):
            for job in jobs:
                batch.setdefault(job, []).append(line)
        costs: Counter[str] = Counter()
        for job, lines in batch.items():
            taken = sum(job.waiting.pop(line) for line in lines)
            job.tokens -= taken
            costs[job.caller] += taken
        # The job that had its turn goes last.
        self._jobs.remove(first)
        self._jobs = deque(job for job in (*self._jobs, first) if job.waiting)
        return batch, costs

    def _waiting_tokens(self) -> Counter[str]:
        """Return how much of each caller waits."""
        found: Counter[str] = Counter()
        for job in self._jobs:
            found[job.caller] += job.tokens
        return found

    def _step(self, begun: Begun) -> None:
        """Run a step of a batch, and deliver the results if it was the last."""
        self._running, self._running_since = begun, (begin := time.monotonic())
        results: Results | None = None
        failure: BaseException | None = None
        try:
            results = begun.step()
        # Requests wait for an answer, and the next batch for this thread, so every error is caught.
        # A panic in a native library is not an `Exception`.
        except BaseException as error:
            failure = error
            _logger.error(
                "a batch of %d sentences failed: %s", len(begun.lines), describe_failure(error)
            )
        self._running = self._running_since = None
        now = time.monotonic()
        if begun.is_prepared and not failure:
            self.last_success = now
        begun.is_prepared = True
        with self._wake:
            self._shares.spend(now - begin, begun.costs, self._waiting_tokens())
            if results is None and not failure:
                return
            # Before the delivery, because a job that joins later would get no results.
            self._begun.remove(begun)
            if failure and len(begun.batch) > 1:
                # Only the request with this sentence should fail.
                self._begun += begun.alone(self._run)
                return
        self._deliver(begun.batch, results or {}, failure)

    def _deliver(
        self, batch: Mapping[Job, Sequence[Line]], results: Results, error: BaseException | None
    ) -> None:
        def settle() -> None:
            for job, lines in batch.items():
                self._note_wait(job)
                job.settle({line: results[line] for line in lines} if not error else {}, error)

        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:
            # The loop was closed without waiting, so there is no request to notify.
            _logger.warning("a batch came too late")


def _cost(text: str) -> int:
    return len(_TOKEN.findall(text)) + _EDGES
