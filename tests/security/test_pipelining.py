"""Requests that a caller sends before earlier ones are answered."""

import re
import socket

import pytest

from tests.security.scribe_server import ScribeServer

HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
NOWHERE = HEALTH.replace(b"/health", b"/nowhere")
BODY = b"language=en&text=This+is+teh+dog."
CHECK = (
    b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
)
FLOOD_MB = 5


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ScribeServer(tmp_path_factory.mktemp("log") / "log", max_characters=1000) as server:
        yield server


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def statuses(connection, count):
    """Return the status of each answer, up to a number of them or the end of the connection."""
    read = b""
    while len(found := re.findall(rb"HTTP/1\.1 (\d+)", read)) < count:
        part = connection.recv(65536)
        if not part:
            break
        read += part
    return [int(status) for status in found]


def test_one_request_after_the_other_is_answered(server):
    with connect(server) as connection:
        for request, status in ((CHECK, 200), (NOWHERE, 404), (HEALTH, 200)) * 5:
            connection.sendall(request)
            assert statuses(connection, 1) == [status]


@pytest.mark.parametrize("second", [HEALTH, HEALTH[:9], b"\0\0garbage", b"GET /" + b"x" * 2**21])
def test_what_comes_too_early_ends_the_connection_after_the_answer(server, second):
    """Never an error that looks like the answer to the first request."""
    with connect(server) as connection:
        connection.sendall(CHECK + second)
        assert statuses(connection, 9) == [200]
    with connect(server) as connection:
        connection.sendall(HEALTH)
        assert statuses(connection, 1) == [200]


def test_a_flood_takes_little_memory_and_costs_nobody_the_connection(server):
    """Each request takes a hundred times as much memory as it has bytes."""
    with connect(server) as other:
        other.sendall(HEALTH)
        assert statuses(other, 1) == [200]
        before = server.peak()
        with connect(server) as connection:
            try:
                for _ in range(FLOOD_MB):
                    connection.sendall(CHECK * (2**20 // len(CHECK)))
            except (ConnectionError, TimeoutError):
                pass
        other.sendall(HEALTH)
        assert statuses(other, 1) == [200]
        assert server.peak() < before + 32
