"""Reading a long text pauses while the network runs, so that the network waits less for it."""

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
def pauses(monkeypatch):
    """Count the checks for a running network; the first `busy` of them find one."""
    found = SimpleNamespace(busy=10**9, checks=0, sleep=lambda: None)

    def is_busy():
        found.checks += 1
        return found.checks <= found.busy

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


def test_work_pauses_three_times_as_long_as_it_works(pauses):
    assert run(read, pauses.is_busy) >= 0.05 + 3 * 0.045


def test_work_that_the_network_does_not_wait_for_never_pauses(pauses):
    pauses.busy, pauses.sleep = 0, lambda: pytest.fail("it paused")
    run(read, pauses.is_busy)
    assert pauses.checks == 10


def test_a_pause_ends_when_the_network_stops(pauses):
    pauses.busy = 3
    slept = []
    pauses.sleep = lambda: slept.append(True)

    def work(check):
        spin(1.0)
        check()

    run(work, pauses.is_busy)
    assert len(slept) == 3


def test_little_work_does_not_pause(pauses):
    run(lambda check: [check() for _ in range(5)], pauses.is_busy)
    assert pauses.checks == 0


def test_a_pause_ends_when_the_caller_leaves(pauses):
    begun, done = threading.Event(), threading.Event()
    pauses.sleep = begun.set

    def work(check):
        spin(0.5)
        try:
            check()
        finally:
            done.set()

    async def main():
        aside = Aside(is_busy=pauses.is_busy)
        task = asyncio.create_task(aside.run(work, SIZE, Deadline.after(30)))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        left = time.monotonic()
        await asyncio.to_thread(done.wait, 30)
        return time.monotonic() - left

    assert asyncio.run(main()) < 1.0, "the pause would take 1.5 seconds"


def test_the_service_reads_a_text_with_pauses_while_its_network_runs(pauses):
    go, running, paused = threading.Event(), threading.Event(), threading.Event()
    scribe = Scribe()

    def wait(_):
        running.set()
        assert go.wait(30)

    scribe.before, pauses.sleep = wait, paused.set

    async def main():
        service = EditingService(Editor(scribe), ServerSettings(), Telemetry())
        service.scheduler.start()
        try:
            short = asyncio.create_task(service.edit(["This is teh dog."]))
            assert await asyncio.to_thread(running.wait, 30)
            long = asyncio.create_task(service.edit(["This is teh dog. " * 1000]))
            assert await asyncio.to_thread(paused.wait, 30)
            go.set()
            await asyncio.gather(short, long)
        finally:
            go.set()
            await service.scheduler.close()

    asyncio.run(main())
