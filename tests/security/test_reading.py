"""Reading a text is work like any other: it has a deadline, ends when the caller leaves, and holds up
neither others nor the end of the server.
"""

import asyncio
import contextlib
import json
import random
import socket
import threading
import time

import httpx
import pytest

from emendo.errors import OverloadedError
from emendo.serving.aside import Aside
from emendo.serving.callers import CALLER
from emendo.serving.deadline import Deadline
from tests.security.scribe_server import ScribeServer

rng = random.Random(0)
WORDS = ["".join(rng.choices("-+", k=14)) for _ in range(10_000)]
# A thousand texts, in each of which most of the words stand: the dearest request to read.
DEAR = {"texts": ["".join(rng.choices("-+", k=199)) for _ in range(1000)], "dictionary": WORDS}
LONG = {"text": "This is teh dog. " * 1500}


def post(server, body, timeout=60):
    return httpx.post(f"{server.url}/v1/edit", json=body, timeout=timeout)


def raw(body):
    content = json.dumps(body).encode()
    head = "POST /v1/edit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


@contextlib.contextmanager
def sent(server, *bodies):
    """Send requests whose answers nobody reads."""
    connections = []
    for body in bodies:
        connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        connections[-1].sendall(raw(body))
    try:
        yield
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.parametrize("pieces", [4000, 16_000])
def test_own_words_are_looked_up_in_linear_time(tmp_path, pieces):
    """Words that all begin alike, in a text that has nothing but such beginnings."""
    body = {"text": "-" * pieces + ".", "dictionary": [f"-{k}" for k in range(4000)]}
    with ScribeServer(tmp_path / "log") as server:
        begin = time.monotonic()
        assert post(server, body).status_code == 200
        assert time.monotonic() - begin < 3


def test_reading_counts_against_the_deadline(tmp_path):
    with ScribeServer(tmp_path / "log", deadline=1.0) as server:
        begin = time.monotonic()
        with contextlib.suppress(httpx.ReadError):
            answer = post(server, DEAR)
            assert answer.status_code == 503
            assert "error" in answer.json()
        assert time.monotonic() - begin < 2.5
        # The thread is free again, not still at it.
        assert post(server, LONG).status_code == 200


def test_reading_ends_when_the_caller_leaves_and_holds_up_nobody(tmp_path):
    with ScribeServer(tmp_path / "log") as server:
        with sent(server, *[DEAR] * 8):
            time.sleep(1)
            begin = time.monotonic()
            assert httpx.get(f"{server.url}/health", timeout=5).status_code == 200
            assert post(server, {"text": "This is teh dog. " * 200}).status_code == 200
            assert time.monotonic() - begin < 3, "a shorter text does not wait for long ones"
        begin = time.monotonic()
        assert post(server, LONG).status_code == 200
        assert time.monotonic() - begin < 4, "those who have left are not read"


def test_latex_counts_against_the_deadline_and_ends_when_the_caller_leaves(tmp_path):
    """It takes some ten times as long to read as other markup."""
    pytest.importorskip("pylatexenc")
    long = {"text": ("\\emph{a} $b$ " * 20_000)[:190_000], "markup": "latex"}
    with ScribeServer(tmp_path / "log", deadline=1.0) as server:
        begin = time.monotonic()
        with contextlib.suppress(httpx.ReadError):
            assert post(server, long).status_code == 503
        assert time.monotonic() - begin < 2.5
    with ScribeServer(tmp_path / "log") as server:
        with sent(server, *[long] * 4):
            time.sleep(0.5)
        begin = time.monotonic()
        assert post(server, LONG).status_code == 200
        assert time.monotonic() - begin < 4, "those who have left are not read"


def test_many_words_for_many_short_texts_hold_up_nobody(tmp_path):
    """Short texts are read at once, but not if each is searched for thousands of words."""
    same = {"texts": ["a"] * 1000, "dictionary": ["a"] * 10_000}
    many = {"texts": ["a"] * 1000, "dictionary": [f"word{k}" for k in range(10_000)]}
    with ScribeServer(tmp_path / "log") as server, sent(server, *[many] * 8, same, same):
        time.sleep(0.2)
        begin = time.monotonic()
        assert httpx.get(f"{server.url}/health", timeout=5).status_code == 200
        assert time.monotonic() - begin < 1


def test_callers_take_turns_at_reading():
    """Nobody can keep the thread busy, or all of its places."""
    done = []

    async def read(aside, caller, size):
        CALLER.set(caller)
        await aside.run(lambda _: done.append((caller, size)), size, Deadline.after(30))

    async def main():
        aside = Aside(max_waiting=8)
        begun, go = threading.Event(), threading.Event()

        def keep(_):
            begun.set()
            go.wait(30)

        first = asyncio.create_task(aside.run(keep, 20_000, Deadline.after(30)))
        await asyncio.to_thread(begun.wait, 30)
        tasks = [asyncio.create_task(read(aside, "one", 29_000 - k)) for k in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError):
            await asyncio.create_task(read(aside, "one", 20_000))
        tasks += [asyncio.create_task(read(aside, each, 90_000)) for each in ("two", "three")]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError):
            await asyncio.create_task(read(aside, "four", 20_000))
        go.set()
        await asyncio.gather(first, *tasks)

    asyncio.run(main())
    assert done[:4] == [("one", 28_993), ("two", 90_000), ("three", 90_000), ("one", 28_994)]
    assert len(done) == 10


@pytest.mark.parametrize("body", [DEAR, {"text": "Please hang up."}], ids=["reading", "engine"])
def test_the_end_comes_in_time_whatever_runs(tmp_path, body):
    with ScribeServer(tmp_path / "log", deadline=3.0) as server, sent(server, *[body] * 8):
        time.sleep(1)
        assert server.stop(timeout=60) < 3 + 1.5
        assert server.process.returncode == 0
