"""Callers who take their time: a request's own runs from its first byte, and others are answered."""

import contextlib
import http.client
import socket
import time

import httpx
import pytest

from tests.security.scribe_server import ScribeServer

SLOW = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\nlanguage=en"
DEADLINE = 2.0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "log"
    with ScribeServer(log, deadline=DEADLINE, max_connections=50) as server:
        yield server


@contextlib.contextmanager
def connections(server, count, first=b""):
    found = []
    try:
        for _ in range(count):
            found.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            # Closed at once if there is no room for it.
            with contextlib.suppress(ConnectionError):
                found[-1].sendall(first)
        yield found
    finally:
        for each in found:
            each.close()


def drip(connection, part, seconds):
    """Send a part every tenth of a second until the server ends it; return when, and the answer."""
    begin = time.monotonic()
    connection.settimeout(0.1)
    answer = b""
    while time.monotonic() - begin < seconds:
        try:
            connection.sendall(part)
            if not (read := connection.recv(4096)):
                break
            answer += read
        except TimeoutError:
            continue
        except ConnectionError:
            break
    return time.monotonic() - begin, answer


@pytest.mark.parametrize(
    ("first", "part"),
    [
        (SLOW, b"a"),
        (SLOW.replace(b"Content-Length: 9000", b"Transfer-Encoding: chunked"), b""),
        (b"GET /health HTTP/1.1\r\n", b"X: y\r\n"),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n", b"a"),
    ],
    ids=["body", "silent body", "headers", "body that nobody reads"],
)
def test_a_slow_request_ends_with_its_deadline(server, first, part):
    with connections(server, 1, first) as (connection,):
        seconds, answer = drip(connection, part, 4 * DEADLINE)
    assert seconds < DEADLINE + 2
    if first is SLOW:
        assert answer.split()[1] == b"400", answer
        assert b"Error: the body did not arrive in time" in answer


@pytest.mark.parametrize("slow", ["head", "body"])
def test_the_time_of_head_and_body_is_part_of_the_deadline(tmp_path, slow):
    """What is left for the network is what they left."""
    body = b"language=en&text=Please+hang+up."
    head = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    first, rest = (head, body) if slow == "body" else (head[:20], head[20:] + body)
    with (
        ScribeServer(tmp_path / "log", deadline=DEADLINE) as server,
        connections(server, 1, first) as (connection,),
    ):
        begin = time.monotonic()
        time.sleep(0.6 * DEADLINE)
        connection.sendall(rest)
        assert connection.recv(4096).split()[1] == b"503"
        assert time.monotonic() - begin < 1.4 * DEADLINE


@pytest.mark.parametrize("first", [SLOW, b"GET /hea", b""], ids=["bodies", "heads", "silence"])
def test_health_is_answered_whoever_else_is_connected(tmp_path, first):
    with (
        ScribeServer(tmp_path / "log", max_connections=50) as server,
        connections(server, 200, first),
    ):
        begin = time.monotonic()
        for path in ("/health", "/ready", "/v2/healthcheck", "/v2/languages"):
            assert httpx.get(server.url + path, timeout=5).status_code == 200
        assert time.monotonic() - begin < 3


def test_health_has_a_reserve_when_all_are_at_work(tmp_path):
    body = b"language=en&text=Please+hang+up."
    whole = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    with (
        ScribeServer(tmp_path / "log", max_connections=20) as server,
        connections(server, 20, whole + body),
    ):
        time.sleep(0.5)
        assert httpx.get(f"{server.url}/health", timeout=5).status_code == 200
        refused = httpx.get(f"{server.url}/v1/info", timeout=5)
        assert refused.status_code == 429
        assert "connections" in refused.json()["error"]


def test_a_connection_is_refused_only_while_all_are_in_use(tmp_path):
    """A proxy keeps its connections, so one that was refused once must not stay so."""
    body = b"language=en&text=Please+hang+up."
    whole = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    with ScribeServer(tmp_path / "log", max_connections=20) as server:
        same = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        same.auto_open = 0

        def status():
            same.request("GET", "/v1/info")
            answer = same.getresponse()
            answer.read()
            return answer.status

        with connections(server, 20, whole + body):
            time.sleep(0.5)
            same.connect()
            assert status() == 429
        time.sleep(0.5)
        assert status() == 200
        same.close()


def test_an_answer_that_nobody_takes_is_dropped(tmp_path):
    body = b"language=en&text=" + b"This+is+teh+dog.+" * 10_000
    head = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    # Long enough to read and write the text, on a machine that has other things to do.
    deadline = 12.0
    with ScribeServer(tmp_path / "log", deadline=deadline) as server, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(head + body)
        answer = connection.recv(2000)
        assert answer.startswith(b"HTTP/1.1 200 ")
        length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        time.sleep(deadline + 2)
        taken = len(answer)
        with contextlib.suppress(ConnectionError):
            while read := connection.recv(2**16):
                taken += len(read)
        assert taken < length, "the server has kept the rest"
