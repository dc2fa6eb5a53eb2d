"""Whatever goes wrong, it is said in the documented form, and who leaves is nobody's failure."""

import json
import socket
import time
from contextlib import suppress

import httpx
import pytest

from emendo.serving.access import ApiKey
from tests.security.scribe_server import ScribeServer
from tests.serving.conftest import KEY, client_of

LONG = "This is a dog that " * 40


def check_form(path, status, content_type, text):
    if path.startswith("/v2/"):
        assert content_type.startswith("text/plain")
        assert text.startswith("Error: ")
    else:
        assert content_type.startswith("application/json")
        assert list(json.loads(text)) == ["error"]
    assert status >= 400


@pytest.mark.parametrize("path", ["/v1/edit", "/v2/check", "/v1/edit/stream", "/v1/align"])
def test_a_mistake_of_ours(editor, scribe, path):
    def fail(sentence):
        raise ZeroDivisionError("secret")

    scribe.count_tokens = fail
    with client_of(editor) as client:
        if path.startswith("/v2"):
            answer = client.post(path, data={"language": "en", "text": LONG})
        else:
            answer = client.post(path, json={"text": LONG})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    check_form(path, answer.status_code, answer.headers["content-type"], answer.text)


@pytest.mark.parametrize("prefix", ["/v1", "/v2", ""])
def test_what_is_not_there_or_not_allowed(editor, prefix):
    for settings in ({}, {"api_keys": (ApiKey.parse(f"me:{KEY}"),)}, {"max_characters": 1}):
        with client_of(editor, **settings) as client:
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "ABC"):
                for name in ("nowhere", "edit", "check", "words/add", "docs/x", "page/x"):
                    path = f"{prefix}/{name}"
                    answer = client.request(method, path, content=b"a" * 1_200_000)
                    if answer.status_code < 400:
                        continue
                    kind = answer.headers["content-type"]
                    check_form(path, answer.status_code, kind, answer.text)
            answer = client.get(f"{prefix}/x", headers={"Host": "evil.example"})
            if answer.status_code == 403:
                check_form(f"{prefix}/x", 403, answer.headers["content-type"], answer.text)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "log"
    with ScribeServer(log, deadline=20.0) as server:
        yield server


@pytest.mark.parametrize(
    "raw",
    [
        b"NONSENSE\r\n\r\n",
        b"GET /v1/info HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"GET /v2/check HTTP/1.1\r\nX: " + b"a" * 1_100_000,
        b"POST /v1/edit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_bytes_that_are_no_request(server, raw):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(raw)
        answer = b""
        # The server does not read more than it accepts; closing then resets the connection.
        with suppress(ConnectionResetError):
            while read := connection.recv(4096):
                answer += read
    head, _, body = answer.decode().partition("\r\n\r\n")
    status, *headers = head.split("\r\n")
    kind = next(line.split(": ")[1] for line in headers if line.startswith("content-type"))
    path = "/v2/check" if b"/v2/check" in raw else "/"
    check_form(path, int(status.split()[1]), kind, body)


def leave(server, path, content, *, cut=0, wait=0.5):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(head.encode() + content[: len(content) - cut])
        time.sleep(wait)


def statuses(server, path):
    return [line["status"] for line in server.requests() if line["route"] == path]


@pytest.fixture(scope="module")
def busy_server(server):
    """The server, once its engine has a text that keeps it for ever."""
    leave(server, "/v1/edit", b'{"text": "Please hang up."}')
    until = time.monotonic() + 5
    while not statuses(server, "/v1/edit"):
        assert time.monotonic() < until
        time.sleep(0.05)
    return server


@pytest.mark.parametrize("cut", [5, 0], ids=["while he sends", "while he waits"])
@pytest.mark.parametrize("path", ["/v1/edit", "/v1/edit/stream", "/v1/align", "/v2/check"])
def test_who_leaves_is_a_499(busy_server, path, cut):
    server = busy_server
    text = f"This is teh dog, I see {path} {cut}."
    form = f"language=en&text={text}".replace(" ", "+")
    content = form if path == "/v2/check" else json.dumps({"text": text})
    before = len(statuses(server, path))
    leave(server, path, content.encode(), cut=cut)
    until = time.monotonic() + 5
    while len(statuses(server, path)) == before and time.monotonic() < until:
        time.sleep(0.05)
    # One who left earlier may be logged only now.
    assert set(statuses(server, path)[before:]) == {499}
    figures = httpx.get(f"{server.url}/metrics", timeout=5).text
    assert f'emendo_request_seconds_count{{route="{path}",status="499"}}' in figures
    assert 'status="500"' not in figures


@pytest.mark.parametrize("path", ["/v1/edit", "/v2/check", "/v2/words/add", "/nowhere"])
@pytest.mark.parametrize(
    ("origin", "method", "header", "why"),
    [
        ("https://evil.example", "POST", "Content-Type", "origin"),
        ("https://page.example", "DELETE", "Content-Type", "method"),
        ("https://page.example", "POST", "X-Other", "headers"),
    ],
)
def test_a_web_page_that_asks_whether_it_may(editor, path, origin, method, header, why):
    """A browser's question before the request itself, refused by a server that has named its pages."""
    with client_of(editor, is_open=True, cors_origins=("https://page.example",)) as client:
        answer = client.options(
            path,
            headers={
                "Origin": origin,
                "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": header,
            },
        )
    assert answer.status_code == 400
    assert why in answer.text
    assert "--cors-origin" in answer.text
    assert answer.headers.get("access-control-allow-origin") != "https://evil.example"
    check_form(path, answer.status_code, answer.headers["content-type"], answer.text)


def test_a_web_page_can_use_a_server_with_keys_and_read_its_refusals(editor):
    """A browser sends no key when it asks, and a page must see why it was refused."""
    page = {"Origin": "https://page.example"}
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    settings = {"api_keys": (ApiKey.parse(f"me:{KEY}"),), "cors_origins": (page["Origin"],)}
    body = {"text": "This is teh dog."}
    with client_of(editor, rate=18, **settings) as client:
        answer = client.options("/v1/edit", headers={**page, **asked})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == page["Origin"]
        # It is an answer of the middleware: without its headers, a key is needed.
        assert client.options("/v1/edit", headers=page).status_code == 401
        key = {"Authorization": f"Bearer {KEY}"}
        statuses = []
        for headers in ({}, key, key, key, key):
            answer = client.post("/v1/edit", json=body, headers={**page, **headers})
            statuses.append(answer.status_code)
            assert answer.headers["access-control-allow-origin"] == page["Origin"]
            assert "Retry-After" in answer.headers["access-control-expose-headers"]
        assert statuses == [401, 200, 200, 200, 429]
        other = client.post("/v1/edit", json=body, headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
