"""A panic in a native library, which is no `Exception`, costs its request, and the next is answered."""

import asyncio
import contextlib

import httpx

from emendo.bundle import Level
from emendo.errors import EngineError
from emendo.serving.deadline import Deadline
from emendo.serving.scheduler import Scheduler
from tests.security.scribe_server import ScribeServer, misbehave


def test_the_engine_goes_on(tmp_path):
    with ScribeServer(tmp_path / "log", deadline=5.0) as server:
        for _ in range(2):
            answer = httpx.post(f"{server.url}/v1/edit", json={"text": "No panic now."}, timeout=30)
            assert answer.status_code == 500
            assert list(answer.json()) == ["error"]
            good = httpx.post(f"{server.url}/v1/edit", json={"text": "It is teh dog."}, timeout=30)
            assert good.json()["results"][0]["text"] == "It is the dog."
        assert httpx.get(f"{server.url}/ready", timeout=10).status_code == 200


def test_one_who_shares_the_batch_is_answered():
    batches = []

    def run(lines, level):
        batches.append(list(lines))
        misbehave(lines)
        yield
        return dict.fromkeys(lines, ())

    async def ask(scheduler, line):
        async with scheduler.submit([line], level=Level(), deadline=Deadline.after(10)) as job:
            await job.finish()
        return job.results

    async def both():
        scheduler = Scheduler(run)
        asked = [asyncio.create_task(ask(scheduler, line)) for line in ("No panic.", "A dog.")]
        # Both wait before the first batch is taken.
        await asyncio.sleep(0)
        scheduler.start()
        results = await asyncio.gather(*asked, return_exceptions=True)
        await scheduler.close()
        return results

    panicked, answered = asyncio.run(asyncio.wait_for(both(), 30))
    assert sorted(batches[0]) == ["A dog.", "No panic."]
    assert isinstance(panicked, EngineError)
    assert answered == {"A dog.": ()}


def test_a_panic_while_a_text_is_read(editor, scribe):
    from tests.security.scribe_server import PanicException
    from tests.serving.conftest import client_of

    def fail(sentence):
        raise PanicException("index out of bounds")

    with client_of(editor) as client:
        plain, scribe.count_tokens = scribe.count_tokens, fail
        for text in ("This is a dog that " * 40, "This is a dog that " * 400):
            answer = client.post("/v1/edit", json={"text": text})
            assert answer.status_code == 500
            assert list(answer.json()) == ["error"]
        scribe.count_tokens = plain
        assert client.post("/v1/edit", json={"text": text}).status_code == 200


def test_a_scheduler_whose_thread_has_ended_ends_the_process(tmp_path):
    """What cannot be caught is for the supervisor: it starts a process anew, not a thread."""
    with ScribeServer(tmp_path / "log", deadline=5.0) as server:
        for text in ("Please kill it.", "It is teh dog."):
            with contextlib.suppress(httpx.TransportError):
                httpx.post(f"{server.url}/v1/edit", json={"text": text}, timeout=30)
        assert server.process.wait(timeout=20) != 0
