"""Reading a text rests while the network runs, so that the network need not wait for it."""

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest

from emendo import Editor
from emendo.serving import aside as module
from emendo.serving.aside import Aside
from emendo.serving.deadline import Deadline
from emendo.serving.service import EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry
from tests.scribe import Scribe

SIZE = 10_000


def spin(seconds):
    """Use the processor in this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.fixture
def rests(monkeypatch):
    """Notes each look while work rests; `busy` of them find a running network."""
    found = SimpleNamespace(busy=10**9, looks=0, sleep=lambda: None)

    def is_busy():
        found.looks += 1
        return found.looks <= found.busy

    def sleep(seconds):
        found.sleep()
        time.sleep(seconds)

    clock = {name: getattr(time, name) for name in ("monotonic", "thread_time")}
    monkeypatch.setattr(module, "time", SimpleNamespace(**clock, sleep=sleep))
    found.is_busy = is_busy
    return found


def run(work, is_busy):
    return asyncio.run(Aside(is_busy=is_busy).run(work, SIZE, Deadline.after(30)))


def read(check):
    """Work for at least 50 ms, with regular checks, and return how long it took."""
    begin = time.monotonic()
    for _ in range(10):
        spin(0.005)
        check()
    return time.monotonic() - begin


def test_work_rests_three_times_as_long_as_it_works(rests):
    assert run(read, rests.is_busy) >= 0.05 + 3 * 0.045


def test_work_that_the_network_does_not_wait_for_never_rests(rests):
    rests.busy, rests.sleep = 0, lambda: pytest.fail("it rested")
    run(read, rests.is_busy)
    assert rests.looks == 10


def test_a_rest_ends_when_the_network_stops(rests):
    rests.busy = 3
    slept = []
    rests.sleep = lambda: slept.append(True)

    def work(check):
        spin(1.0)
        check()

    run(work, rests.is_busy)
    assert len(slept) == 3


def test_little_work_does_not_rest(rests):
    run(lambda check: [check() for _ in range(5)], rests.is_busy)
    assert rests.looks == 0


def test_a_rest_ends_when_the_caller_leaves(rests):
    begun, done = threading.Event(), threading.Event()
    rests.sleep = begun.set

    def work(check):
        spin(0.5)
        try:
            check()
        finally:
            done.set()

    async def main():
        aside = Aside(is_busy=rests.is_busy)
        task = asyncio.create_task(aside.run(work, SIZE, Deadline.after(30)))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        left = time.monotonic()
        await asyncio.to_thread(done.wait, 30)
        return time.monotonic() - left

    assert asyncio.run(main()) < 1.0, "the rest would take 1.5 seconds"


def test_the_service_reads_a_text_with_rests_while_its_network_runs(rests):
    go, running, rested = threading.Event(), threading.Event(), threading.Event()
    scribe = Scribe()

    def wait(_):
        running.set()
        assert go.wait(30)

    scribe.before, rests.sleep = wait, rested.set

    async def main():
        service = EditingService(Editor(scribe), ServerSettings(), Telemetry())
        service.scheduler.start()
        try:
            short = asyncio.create_task(service.edit(["This is teh dog."]))
            assert await asyncio.to_thread(running.wait, 30)
            long = asyncio.create_task(service.edit(["This is teh dog. " * 1000]))
            assert await asyncio.to_thread(rested.wait, 30)
            go.set()
            await asyncio.gather(short, long)
        finally:
            go.set()
            await service.scheduler.close()

    asyncio.run(main())
