"""Bytes of requests that are still arriving have a limit; those of others do not count against it.

Above the limit, the server closes the connections whose callers have been silent longest.
"""

import contextlib
import http.client
import json
import socket
import time

import pytest

from tests.security.scribe_server import ScribeServer

# Half of it is for requests that are still arriving.
BUFFERED = 2 * 2**20
HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def server(tmp_path):
    with ScribeServer(
        tmp_path / "log", max_buffered=BUFFERED, deadline=20.0, keep_alive=3
    ) as server:
        yield server


class Friend:
    """A caller with an idle connection, and one with half a request on another."""

    def __init__(self, server):
        self.idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        self.idle.connect()
        self.idle.auto_open = 0
        self.half = connected(server)
        self.half.sendall(HEAD)
        self.ask()
        time.sleep(0.1)

    def ask(self):
        self.idle.request("GET", "/health")
        answer = self.idle.getresponse()
        answer.read()
        assert answer.status == 200

    def is_answered(self):
        """Whether both connections still work."""
        try:
            self.ask()
            self.half.sendall(b"\r\n")
            return self.half.recv(4096).startswith(b"HTTP/1.1 200")
        except (OSError, http.client.HTTPException):
            return False


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def test_requests_that_are_answered_close_nobody(server):
    """They have arrived, so they do not count, however long their answers take."""
    body = json.dumps({"text": "Please hang up."}).encode().ljust(650_000)
    head = b"POST /v1/edit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    friend = Friend(server)
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            other = stack.enter_context(connected(server))
            other.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.5)
        third = stack.enter_context(connected(server))
        third.sendall(HEAD)
        time.sleep(0.3)
        assert friend.is_answered()


def test_the_heads_of_requests_count_until_the_answer(server):
    body = json.dumps({"text": "Please hang up."}).encode()
    head = b"POST /v1/edit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    more = b"X-More: %s\r\nContent-Length: %d\r\n\r\n" % (b"x" * 600_000, len(body))
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            other = stack.enter_context(connected(server))
            other.sendall(head + more + body)
            time.sleep(0.2)
        fourth = stack.enter_context(connected(server))
        fourth.sendall(head + more + body)
        assert fourth.recv(4096).startswith(b"HTTP/1.1 429")


def test_empty_lines_between_requests_close_nobody(server):
    friend = Friend(server)
    with connected(server) as other:
        other.sendall(HEAD + b"\r\n")
        assert other.recv(4096).startswith(b"HTTP/1.1 200")
        with contextlib.suppress(ConnectionError):
            for _ in range(60):
                other.sendall(b"\r\n" * 20_000)
        time.sleep(0.3)
        with connected(server) as third:
            third.sendall(HEAD)
            time.sleep(0.3)
            assert friend.is_answered()


def test_empty_lines_keep_no_connection_open(server):
    with connected(server) as other:
        other.sendall(HEAD + b"\r\n")
        assert other.recv(4096).startswith(b"HTTP/1.1 200")
        other.settimeout(0.5)
        begin = time.monotonic()
        closed = False
        while not closed and time.monotonic() - begin < 10:
            try:
                other.sendall(b"\r\n")
                closed = other.recv(4096) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                closed = True
        assert closed
        assert time.monotonic() - begin < 5


def test_a_request_after_an_empty_line_is_answered(server):
    with connected(server) as other:
        for _ in range(2):
            other.sendall(b"\r\n" + HEAD + b"\r\n")
            # The body may arrive after the head.
            answer = http.client.HTTPResponse(other)
            answer.begin()
            assert (answer.status, answer.read()) == (200, b'{"status":"alive"}')
