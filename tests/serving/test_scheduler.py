"""The scheduler under everything that can go wrong: failures, deadlines, leavers, overload, the end."""

import asyncio
import threading
import time

import pytest

from emendo.bundle import Level
from emendo.errors import DeadlineError, EngineError, OverloadedError
from emendo.serving import jobs
from emendo.serving import scheduler as module
from emendo.serving.callers import CALLER
from emendo.serving.deadline import Deadline
from emendo.serving.scheduler import Scheduler

LEVEL = Level()


class Engine:
    """Runs lines, and can be told to wait or to fail."""

    def __init__(self):
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def free(self):
        """Let everything run."""
        self.gate.set()

    def __call__(self, lines, level):
        self.batches.append(list(lines))
        self.entered.set()
        assert self.gate.wait(60)
        yield
        if any("poison" in line for line in lines):
            raise RuntimeError("poison")
        return dict.fromkeys(lines, ())


def with_scheduler(work, engine=None, **options):
    """Run async work with a scheduler, and see that it ends."""
    engine = engine or Engine()

    async def run():
        scheduler = Scheduler(engine, **options)
        scheduler.start()
        try:
            await asyncio.wait_for(work(scheduler, engine), 120)
        finally:
            engine.free()
            await asyncio.wait_for(scheduler.close(), 60)
        return engine

    return asyncio.run(run())


async def ask(scheduler, *lines, deadline=60.0, level=LEVEL, caller=""):
    CALLER.set(caller)
    async with scheduler.submit(lines, level=level, deadline=Deadline.after(deadline)) as job:
        await job.finish()
    return job.results


def test_lines_of_many_requests_share_batches():
    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        others = [asyncio.create_task(ask(scheduler, f"line {k}", "same")) for k in range(10)]
        await asyncio.sleep(0.05)
        engine.gate.set()
        assert await first == {"first": ()}
        for k, each in enumerate(others):
            assert await each == {f"line {k}": (), "same": ()}

    engine = with_scheduler(work)
    assert engine.batches[0] == ["first"]
    # Eleven lines, in numbers that engines know already.
    assert [len(batch) for batch in engine.batches[1:]] == [8, 3]
    assert sum(batch.count("same") for batch in engine.batches) == 1, "run once for all"


def test_a_batch_keeps_to_the_budget_and_to_like_lengths():
    async def work(scheduler, engine):
        short = [f"a{k}" for k in range(40)]
        long = [f"{k} " + "word " * 40 for k in range(8)]
        mixed = [line for pair in zip(short, long * 5, strict=True) for line in pair]
        await ask(scheduler, *dict.fromkeys(mixed))

    engine = with_scheduler(work, batch_tokens=256)
    assert sum(map(len, engine.batches)) == 48
    for batch in engine.batches:
        costs = [len(line) // 4 + 3 for line in batch]
        assert len(batch) == 1 or len(batch) * max(costs) <= 256
        assert max(costs) - min(costs) <= max(3, 0.4 * max(costs)), "little padding"
    assert len(engine.batches) < 12


def test_levels_do_not_mix():
    other = Level(keep_bias=1.0)

    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        tasks = [
            asyncio.create_task(ask(scheduler, f"{k}", level=other if k % 2 else LEVEL))
            for k in range(6)
        ]
        await asyncio.sleep(0.05)
        engine.gate.set()
        await asyncio.gather(first, *tasks)

    engine = with_scheduler(work)
    assert sorted(map(sorted, engine.batches[1:])) == [["0", "2", "4"], ["1", "3", "5"]]


def test_a_long_document_does_not_hold_up_a_short_one():
    async def work(scheduler, engine):
        engine.gate.clear()
        document = asyncio.create_task(ask(scheduler, *(f"{k} " + "w " * 40 for k in range(500))))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        short = asyncio.create_task(ask(scheduler, "a short text"))
        await asyncio.sleep(0.05)
        engine.gate.set()
        await short
        await document

    engine = with_scheduler(work, batch_tokens=256)
    assert next(k for k, batch in enumerate(engine.batches) if "a short text" in batch) <= 2


def test_a_failing_batch_fails_its_own_request_only():
    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        bad = asyncio.create_task(ask(scheduler, "poison", "and more"))
        good = [asyncio.create_task(ask(scheduler, f"good {k}")) for k in range(5)]
        await asyncio.sleep(0.05)
        engine.gate.set()
        assert await first
        with pytest.raises(EngineError, match="network failed"):
            await bad
        for each in good:
            assert await each
        assert await ask(scheduler, "after all") == {"after all": ()}
        assert not scheduler.waiting

    with_scheduler(work)


def test_a_request_that_takes_too_long_is_told_so_and_frees_its_place():
    async def work(scheduler, engine):
        engine.gate.clear()
        running = asyncio.create_task(ask(scheduler, "running", deadline=2))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        waiting = asyncio.create_task(ask(scheduler, "waiting", deadline=0.2))
        for each, seconds in ((waiting, r"0\.2"), (running, "2")):
            with pytest.raises(DeadlineError, match=f" {seconds} seconds"):
                await each
        assert not scheduler.waiting
        engine.gate.set()
        assert await ask(scheduler, "later")

    engine = with_scheduler(work)
    assert engine.batches == [["running"], ["later"]], "what nobody waits for is not run"


def test_who_leaves_is_not_run():
    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        leaver = asyncio.create_task(ask(scheduler, "leaver"))
        stayer = asyncio.create_task(ask(scheduler, "stayer"))
        await asyncio.sleep(0.05)
        leaver.cancel()
        first.cancel()
        await asyncio.sleep(0.05)
        engine.gate.set()
        assert await stayer
        with pytest.raises(asyncio.CancelledError):
            await leaver

    engine = with_scheduler(work)
    assert engine.batches == [["first"], ["stayer"]]


def test_too_many_are_refused_at_once():
    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        waiting = [asyncio.create_task(ask(scheduler, f"{k}")) for k in range(3)]
        await asyncio.sleep(0.05)
        assert scheduler.is_full
        begin = time.monotonic()
        for _ in range(100):
            with pytest.raises(OverloadedError):
                await ask(scheduler, "one too many")
        assert time.monotonic() - begin < 1
        engine.gate.set()
        await asyncio.gather(first, *waiting)
        assert not scheduler.is_full
        assert await ask(scheduler, "again")

    with_scheduler(work, max_waiting=3)


class Clock:
    """Stands still unless it is advanced."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


class SlowEngine(Engine):
    """Takes long for some lines, by a clock of its own."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()

    def __call__(self, lines, level):
        self.clock.now += 0.05 if "greedy" in lines[0] else 0.001
        return (yield from super().__call__(lines, level))


def test_callers_share_the_time(monkeypatch):
    """One whose lines take long waits for himself; turns alone would give him nearly all of it."""

    async def work(scheduler, engine):
        engine.gate.clear()
        greedy = [
            asyncio.create_task(
                ask(
                    scheduler,
                    f"{k} greedy " + "w " * 50,
                    f"{k} greedy, too " + "w " * 50,
                    caller="a",
                )
            )
            for k in range(6)
        ]
        assert await asyncio.to_thread(engine.entered.wait, 30)
        modest = [
            asyncio.create_task(ask(scheduler, f"{k} modest " + "w " * 50, caller="b"))
            for k in range(20)
        ]
        await asyncio.sleep(0.05)
        engine.gate.set()
        await asyncio.gather(*greedy, *modest)

    engine = SlowEngine()
    for each in (module, jobs):
        monkeypatch.setattr(each, "time", engine.clock)
    with_scheduler(work, engine=engine, batch_tokens=32)
    assert all(len(batch) == 1 for batch in engine.batches)
    order = [batch[0].split()[1] for batch in engine.batches]
    last = len(order) - 1 - order[::-1].index("modest")
    assert order[:last].count("greedy") <= 3, "twenty short ones take less time than one long one"
    requests = [batch[0].split()[0] for batch in engine.batches if "modest" not in batch[0]]
    assert sorted(requests[:6]) == list("012345"), "his own requests take turns, too"


def test_a_caller_who_has_nothing_waiting_finds_a_place():
    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first", caller="a"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        greedy = [asyncio.create_task(ask(scheduler, f"{k}", caller="a")) for k in range(4)]
        await asyncio.sleep(0.05)
        with pytest.raises(OverloadedError):
            await ask(scheduler, "one too many", caller="a")
        modest = asyncio.create_task(ask(scheduler, "one", caller="b"))
        await asyncio.sleep(0.05)
        with pytest.raises(OverloadedError):
            await ask(scheduler, "his second", caller="b")
        with pytest.raises(OverloadedError):
            await ask(scheduler, "the reserve is used up", caller="c")
        engine.gate.set()
        await asyncio.gather(first, *greedy, modest)

    with_scheduler(work, max_waiting=4)


def test_closing_finishes_what_was_begun_and_takes_nothing_more():
    async def work(scheduler, engine):
        engine.gate.clear()
        tasks = [asyncio.create_task(ask(scheduler, f"{k}")) for k in range(5)]
        assert await asyncio.to_thread(engine.entered.wait, 30)
        closing = asyncio.create_task(scheduler.close())
        await asyncio.sleep(0.05)
        with pytest.raises(OverloadedError):
            await ask(scheduler, "too late")
        engine.gate.set()
        assert len(await asyncio.gather(*tasks)) == 5
        await closing

    with_scheduler(work)


def test_lines_are_there_before_the_whole():
    async def work(scheduler, engine):
        lines = [f"{k} " + "w " * 200 for k in range(20)]
        async with scheduler.submit(lines, level=LEVEL, deadline=Deadline.after(10)) as job:
            await job.finish_lines(lines[:1], Deadline.after(10))
            assert lines[0] in job.results
            await job.finish()
            assert set(job.results) == set(lines)
            assert job.is_finished

    with_scheduler(work, batch_tokens=64)


def test_a_job_without_lines_is_done():
    async def work(scheduler, engine):
        assert await ask(scheduler) == {}

    assert with_scheduler(work).batches == []


@pytest.mark.parametrize("other", ["a", "b"])
def test_equal_lines_of_long_requests_are_run_once(other):
    """A client that repeats its request does not double the work, however full batches are."""
    lines = [f"{k:02d} " + "word " * 17 for k in range(20)]

    async def work(scheduler, engine):
        engine.gate.clear()
        first = asyncio.create_task(ask(scheduler, "first", caller="z"))
        assert await asyncio.to_thread(engine.entered.wait, 30)
        both = [asyncio.create_task(ask(scheduler, *lines, caller=each)) for each in ("a", other)]
        await asyncio.sleep(0.05)
        engine.gate.set()
        await asyncio.gather(first, *both)

    engine = with_scheduler(work)
    assert len(engine.batches) > 2
    assert sorted(line for batch in engine.batches[1:] for line in batch) == lines


def test_lines_that_are_done_do_not_fail_with_others():
    async def work(scheduler, engine):
        good, bad = "good " + "w " * 10, "poison " + "w " * 40
        deadline = Deadline.after(10)
        async with scheduler.submit([good, bad], level=LEVEL, deadline=deadline) as job:
            with pytest.raises(EngineError):
                await job.finish()
            await job.finish_lines([good], deadline)
            await job.finish_lines([], deadline)
            with pytest.raises(EngineError):
                await job.finish_lines([bad], deadline)
        assert job.results == {good: ()}

    with_scheduler(work, batch_tokens=8)
