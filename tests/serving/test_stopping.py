"""A server that is told to stop, and requests that were on their way."""

import signal
import socket
import time
from contextlib import suppress

import pytest

from tests.security.scribe_server import ScribeServer

REQUEST = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
# More than an event loop accepts in a few of its turns: uvloop's accepts one in each.
CALLERS = 60
# Seconds in which the server is told, and begins to stop.
TOLD = 0.4


@pytest.fixture
def server(tmp_path):
    with ScribeServer(tmp_path / "log") as server:
        yield server


def connect(server):
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.settimeout(10)
    return connection


def answer(connection):
    """Return all of an answer, up to the end of the connection."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_request_that_was_on_its_way_is_answered(server, asked_before):
    """A balancer has chosen this server, and does not know yet that it stops."""
    with connect(server) as connection:
        if asked_before:
            connection.sendall(REQUEST)
            before = b""
            while not before.endswith(b"}"):
                before += connection.recv(65536)
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(TOLD)
        connection.sendall(REQUEST)
        said = answer(connection)
    assert said.startswith(b"HTTP/1.1 200")
    # The caller must not try it again here.
    assert b"connection: close" in said.lower()
    assert server.process.wait(timeout=30) == 0


def test_callers_who_wait_to_be_let_in_are_answered(server):
    """The system has made their connections; the server has not accepted them yet."""
    server.process.send_signal(signal.SIGSTOP)
    waiting = [connect(server) for _ in range(CALLERS)]
    for connection in waiting:
        connection.sendall(REQUEST)
    server.process.send_signal(signal.SIGTERM)
    server.process.send_signal(signal.SIGCONT)
    answers = []
    for connection in waiting:
        with connection, suppress(ConnectionResetError):
            answers.append(answer(connection))
    assert len(answers) == CALLERS
    assert all(said.startswith(b"HTTP/1.1 200") for said in answers)
    assert all(b"connection: close" in said.lower() for said in answers)
    assert server.process.wait(timeout=30) == 0


def test_a_request_that_has_begun_is_read_and_answered(server):
    with connect(server) as connection:
        connection.sendall(REQUEST[:10])
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        # Longer than a caller who says nothing is waited for.
        time.sleep(TOLD + 1.5)
        connection.sendall(REQUEST[10:])
        assert answer(connection).startswith(b"HTTP/1.1 200")
    assert server.process.wait(timeout=30) == 0


def test_callers_who_say_nothing_do_not_keep_it(server):
    with connect(server), connect(server) as kept:
        kept.sendall(REQUEST)
        assert kept.recv(65536)
        # Deadline: 30 s.
        assert server.stop(timeout=30) < 10
    assert server.process.returncode == 0
