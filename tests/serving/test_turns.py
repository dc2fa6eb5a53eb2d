"""Batches of several passes: callers take turns between them."""

import asyncio
import threading
import time

import pytest

from emendo.errors import EngineError
from emendo.serving import jobs
from emendo.serving import scheduler as module
from tests.serving.test_scheduler import Clock, Engine, ask, with_scheduler

PASSES = 20


class SteppingEngine(Engine):
    """Takes many passes for hard lines; each pass needs a ticket."""

    def __init__(self):
        super().__init__()
        self.tickets = threading.Semaphore(0)
        self.is_free = False
        self.passes = []
        self.is_closed = False
        self.on_pass = lambda: None

    def free(self):
        super().free()
        self.is_free = True
        self.tickets.release(1)

    def __call__(self, lines, level):
        try:
            for _ in range(PASSES if "hard" in lines[0] else 1):
                yield
                if not self.is_free:
                    assert self.tickets.acquire(timeout=60)
                self.passes.append(lines[0])
                self.on_pass()
            return (yield from super().__call__(lines, level))
        except GeneratorExit:
            self.is_closed = True
            raise


async def until(condition):
    """Wait for what happens in the other thread."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.002)


async def run_passes(engine, count):
    """Let the network do so many more passes."""
    wanted = len(engine.passes) + count
    engine.tickets.release(count)
    await until(lambda: len(engine.passes) == wanted)


async def begin(scheduler, line, caller=""):
    """Submit a line without waiting for it."""
    task = asyncio.create_task(ask(scheduler, line, caller=caller))
    await asyncio.sleep(0)
    return task


async def begin_and_leave(scheduler, engine, line, caller=""):
    """Submit a line, and cancel the request in the third pass."""
    task = await begin(scheduler, line, caller)
    await run_passes(engine, 2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_callers_share_the_time_of_one_long_batch():
    async def work(scheduler, engine):
        hard = await begin(scheduler, "hard", "a")
        await run_passes(engine, 2)
        easy = await begin(scheduler, "easy", "b")
        # One of the hard line, which has begun, and one of the easy line.
        await run_passes(engine, 2)
        assert await easy == {"easy": ()}
        engine.free()
        assert await hard == {"hard": ()}

    engine = with_scheduler(work, engine=SteppingEngine())
    assert engine.passes == ["hard"] * 3 + ["easy"] + ["hard"] * 17
    assert engine.batches == [["easy"], ["hard"]]


def test_only_so_many_batches_are_begun(monkeypatch):
    monkeypatch.setattr(module, "_BEGUN", 8)
    counts = []

    async def work(scheduler, engine):
        engine.on_pass = lambda: counts.append(len(scheduler._begun))
        hard = [await begin(scheduler, f"hard {k}", str(k)) for k in range(20)]
        engine.free()
        assert await asyncio.gather(*hard) == [{f"hard {k}": ()} for k in range(20)]

    with_scheduler(work, engine=SteppingEngine(), batch_tokens=1)
    assert max(counts) == 8


def test_one_more_caller_waits_for_one_batch_and_not_for_all(monkeypatch):
    monkeypatch.setattr(module, "_BEGUN", 4)

    async def work(scheduler, engine):
        hard = [await begin(scheduler, f"hard {k}", str(k)) for k in range(4)]
        while len(set(engine.passes)) < 4:
            await run_passes(engine, 1)
        easy = await begin(scheduler, "easy", "new")
        engine.free()
        await asyncio.gather(easy, *hard)

    engine = with_scheduler(work, engine=SteppingEngine(), batch_tokens=1)
    assert engine.batches.index(["easy"]) == 1


def test_a_batch_that_nobody_waits_for_gives_way_and_can_be_joined():
    async def work(scheduler, engine):
        await begin_and_leave(scheduler, engine, "hard")
        easy = await begin(scheduler, "easy", "b")
        await run_passes(engine, 2)
        await easy
        assert engine.passes == ["hard"] * 3 + ["easy"]
        # A repeated request joins the batch that has begun.
        again = await begin(scheduler, "hard")
        assert not scheduler.waiting
        engine.free()
        assert await again == {"hard": ()}

    engine = with_scheduler(work, engine=SteppingEngine())
    assert engine.passes.count("hard") == PASSES
    assert engine.batches == [["easy"], ["hard"]]


def test_a_batch_that_nobody_waits_for_is_not_continued():
    async def work(scheduler, engine):
        await begin_and_leave(scheduler, engine, "hard")
        engine.free()
        await until(lambda: not scheduler.running)
        await ask(scheduler, "easy")

    engine = with_scheduler(work, engine=SteppingEngine())
    assert engine.passes == ["hard"] * 3 + ["easy"]


def test_a_batch_that_nobody_waits_for_does_not_take_the_place_of_another(monkeypatch):
    monkeypatch.setattr(module, "_BEGUN", 1)

    async def work(scheduler, engine):
        await begin_and_leave(scheduler, engine, "hard", "a")
        easy = await begin(scheduler, "easy", "b")
        await run_passes(engine, 2)
        assert await easy == {"easy": ()}
        assert engine.is_closed

    engine = with_scheduler(work, engine=SteppingEngine())
    assert engine.passes == ["hard"] * 3 + ["easy"]
    assert engine.batches == [["easy"]]


def test_the_end_does_not_wait_for_what_nobody_waits_for():
    async def work(scheduler, engine):
        await begin_and_leave(scheduler, engine, "hard")
        closing = asyncio.create_task(scheduler.close())
        await asyncio.sleep(0)
        await run_passes(engine, 1)
        await closing

    assert with_scheduler(work, engine=SteppingEngine()).passes == ["hard"] * 3


def test_requests_of_a_failed_batch_take_turns_with_others():
    async def work(scheduler, engine):
        first = await begin(scheduler, "first", "a")
        await until(lambda: scheduler._begun)
        texts = ["hard poison", "hard one", "hard two"]
        hard = [await begin(scheduler, text, "a") for text in texts]
        await run_passes(engine, 1 + PASSES)
        assert await first
        # The batch of three has failed, and the first of them is run alone.
        await until(lambda: len(scheduler._begun) == 3)
        easy = await begin(scheduler, "easy", "b")
        await run_passes(engine, 2)
        assert await easy == {"easy": ()}
        engine.free()
        outcomes = await asyncio.gather(*hard, return_exceptions=True)
        assert [isinstance(each, EngineError) for each in outcomes] == [True, False, False]

    with_scheduler(work, engine=SteppingEngine())


def test_the_network_works_while_long_batches_run():
    """The last success is that of a pass, not that of a whole batch."""

    async def work(scheduler, engine):
        started = time.monotonic()
        hard = await begin(scheduler, "hard")
        await until(lambda: scheduler._begun)
        assert scheduler.last_success < started
        await run_passes(engine, 2)
        assert scheduler.last_success > started
        engine.free()
        await hard

    with_scheduler(work, engine=SteppingEngine())


def test_a_request_waits_while_others_run(monkeypatch):
    clock = Clock()
    for each in (module, jobs):
        monkeypatch.setattr(each, "time", clock)
    waits = []

    async def work(scheduler, engine):

        def advance():
            clock.now += 1.0

        engine.on_pass = advance
        both = [await begin(scheduler, f"hard {k}", str(k)) for k in range(2)]
        engine.tickets.release(2 * PASSES)
        await asyncio.gather(*both)
        # Each pass of one is a wait of the other, until it has its result.
        assert waits == pytest.approx([PASSES - 1, PASSES], abs=1)
        easy = await begin(scheduler, "easy")
        await run_passes(engine, 1)
        await easy
        assert waits[2:] == [0.0]
        # A cancelled request that has run has not waited.
        await begin_and_leave(scheduler, engine, "hard")
        assert waits[3:] == [0.0]

    with_scheduler(work, engine=SteppingEngine(), batch_tokens=1, on_wait=waits.append)
