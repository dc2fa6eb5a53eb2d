"""All bytes of a request count, wherever they stand in it."""

import socket
import time

import httpx
import pytest

from tests.security.scribe_server import ScribeServer

HEAD = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
KEY = "a-key-that-nobody-knows"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ScribeServer(tmp_path_factory.mktemp("log") / "log", keys=[KEY]) as server:
        yield server


def send(server, head, part, megabytes, *, then=b""):
    """Send the same part again and again until the server has enough of it; return its answer."""
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        try:
            connection.sendall(head)
            while sent < megabytes * 2**20:
                connection.sendall(part)
                sent += len(part)
            connection.sendall(then)
        except ConnectionError:
            pass
        try:
            answer = connection.recv(4096)
        except (ConnectionError, TimeoutError):
            answer = b""
    return answer, sent / 2**20


@pytest.mark.parametrize(
    ("head", "part", "then"),
    [
        (HEAD + b"0\r\n", b"X-Trailer: " + b"a" * 1000 + b"\r\n", b"\r\n"),
        (HEAD + b"0\r\nX-Trailer: ", b"a" * 1000, b"\r\n\r\n"),
        (HEAD, b"1;" + b"e" * 1000 + b"\r\na\r\n", b"0\r\n\r\n"),
        (HEAD, b"400\r\n" + b"a" * 1024 + b"\r\n", b"0\r\n\r\n"),
        (HEAD.replace(b"\r\n\r\n", b"\r\n"), b"X-Header: " + b"a" * 1000 + b"\r\n", b"\r\n"),
    ],
    ids=["trailers", "one trailer", "chunk extensions", "body", "headers"],
)
def test_no_part_of_a_request_is_without_bound(server, head, part, then):
    before = server.memory()
    answer, sent = send(server, head, part * 64, 20, then=then)
    assert sent < 20, "the server read it all"
    assert not answer or answer.split()[1] in (b"400", b"413", b"403"), answer
    assert server.memory() - before < 24
    assert httpx.get(f"{server.url}/health", timeout=5).status_code == 200


def test_many_at_once_are_bounded_together(server):
    """Unfinished heads of many callers are dropped, the oldest first; others are answered."""
    before = server.memory()
    head = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: " + b"a" * 1000_000
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(100)]
    try:
        for connection in slow:
            try:
                connection.sendall(head)
            except ConnectionError:
                continue
        time.sleep(0.3)
        assert server.memory() - before < 90
        for _ in range(3):
            assert httpx.get(f"{server.url}/health", timeout=5).status_code == 200
    finally:
        for connection in slow:
            connection.close()


def test_a_trailer_is_no_header(server):
    """A key that comes behind the body lets nobody in."""
    body = b"text=teh&language=en"
    raw = HEAD + b"%x\r\n%b\r\n0\r\nX-API-Key: %b\r\n\r\n" % (len(body), body, KEY.encode())
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(raw)
        assert connection.recv(4096).split()[1] == b"403"
    with httpx.Client(base_url=server.url) as client:
        answer = client.post(f"/k/{KEY}/v2/check", content=iter([body]))
    assert len(answer.json()["matches"]) == 1, "a body in chunks without trailers is read"
