"""A real server process, driven as its users drive it: httpx, LanguageTool's clients, signals."""

import concurrent.futures
import json
import socket
import subprocess
import sys
import time

import httpx
import pytest

from emendo import load_editor
from tests.serving.conftest import KEY, running

pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def editor(tiny_bundle):
    return load_editor(tiny_bundle, backend="onnx")


@pytest.fixture(scope="module")
def wild(editor, edit_texts):
    """Texts that the model changes."""
    return [text for text in edit_texts if editor.edit(text).edits][:60]


def test_many_clients_get_what_the_editor_gives(server, editor, wild):
    def ask(text):
        answer = httpx.post(f"{server.url}/v1/edit", json={"text": text}, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()["results"][0]["text"]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, wild)) == [editor.edit(text).text for text in wild]


def test_an_alignment_is_that_of_the_editor(server, editor, wild):
    text = next(text for text in wild if editor.align(text).links and "." not in text)
    answer = httpx.post(f"{server.url}/v1/align", json={"text": text}, timeout=30)
    (found,) = answer.json()["alignments"]
    expected = editor.align(text)
    assert (tuple(found["source"]), tuple(found["output"])) == expected[:2]
    assert [tuple(link.values())[:3] for link in found["links"]] == [
        link[:3] for link in expected.links
    ]
    assert [link["probability"] for link in found["links"]] == pytest.approx(
        [link.probability for link in expected.links], abs=1e-3
    )


def test_language_tool_python(server, editor, wild):
    language_tool_python = pytest.importorskip("language_tool_python")
    # Inside of a match the client counts an emoji once, we twice, as LanguageTool does.
    text = "😀😀\n\n" + next(text for text in wild if "😀" not in text and "the" in text)
    with language_tool_python.LanguageTool("en-US", remote_server=server.url) as tool:
        found = tool.check(text)
        assert found
        for match in found:
            assert match.rule_id.startswith("EMENDO_")
            assert match.message
            assert match.category
            assert match.rule_issue_type
            assert 0 <= match.offset < match.offset + match.error_length <= len(text)
            assert not text[match.offset : match.offset + match.error_length].isspace()
        assert tool.correct(text) == editor.edit(text).text


def test_a_document_comes_as_a_stream(server, editor, wild):
    text = "\n\n".join(wild)
    with httpx.stream("POST", f"{server.url}/v1/edit/stream", json={"text": text}, timeout=60) as a:
        *sentences, last = [json.loads(line) for line in a.iter_lines()]
    edits = [(e["start"], e["end"], e["replacement"]) for s in sentences for e in s["edits"]]
    assert edits == [(e.start, e.end, e.replacement) for e in editor.edit(text).edits]
    assert last["done"]


def test_a_check_by_get_is_answered_even_if_there_is_nothing_to_do(server):
    for text in ("", "%ff%fe", "5", "The dog."):
        answer = httpx.get(f"{server.url}/v2/check?language=en&text={text}", timeout=10)
        assert answer.status_code == 200


def test_headers_end(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n")

        def send_for_ever():
            for _ in range(500):
                connection.sendall(b"X: " + b"a" * 2**16 + b"\r\n")
                time.sleep(0.001)

        with pytest.raises(ConnectionError):
            send_for_ever()
    long = "The dog. " * 20_000
    answer = httpx.get(
        f"{server.url}/v2/check", params={"language": "en", "text": long[:60_000]}, timeout=60
    )
    assert answer.status_code == 200, "a text may stand in the query"
    assert httpx.get(f"{server.url}/health").status_code == 200


def test_callers_who_leave_do_no_harm(server):
    host, port = server.url.removeprefix("http://").split(":")
    body = b"language=en&text=" + b"The+dog+likes+the+cat+and+it+is+gone.+" * 200
    head = b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
    for part in (
        b"",
        b"POST /v2",
        head % len(body),
        head % len(body) + body[:99],
        head % len(body) + body,
    ):
        for _ in range(5):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(part)
    assert httpx.get(f"{server.url}/ready", timeout=10).status_code == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00\xff\xfe\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /k//v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v2/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v2/check?text=%ff%fe&language=en HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    ],
)
def test_bytes_that_are_no_request(server, raw):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(raw)
        connection.settimeout(2)
        try:
            answer = connection.recv(100)
        except (TimeoutError, ConnectionError):
            answer = b""
    assert b" 500 " not in answer
    assert httpx.get(f"{server.url}/health", timeout=10).status_code == 200


def test_what_is_in_the_log(server):
    httpx.post(f"{server.url}/v1/edit", json={"text": "Zyzzyva"})
    httpx.get(f"{server.url}/Zyzzyva?apiKey=Zyzzyva")
    lines = server.log_lines()
    assert any(line["event"] == "request" and line["route"] == "/v1/edit" for line in lines)
    assert "Zyzzyva" not in server.log.read_text()


def test_keys_settings_restart_and_stop(tiny_bundle, tmp_path, wild):
    options = ("--host", "127.0.0.1", "--dictionaries", tmp_path / "words")
    environment = {"EMENDO_API_KEYS": f"me:{KEY}", "EMENDO_MAX_CHARACTERS": "5000"}
    with running(tiny_bundle, *options, log=tmp_path / "log", environment=environment) as server:
        base = f"{server.url}/k/{KEY}/v2"
        assert httpx.get(f"{server.url}/v2/languages").status_code == 403
        assert httpx.get(f"{base}/maxtextlength").text == "5000"
        for k in range(5):
            added = httpx.post(f"{base}/words/add", data={"word": f"word{k}"})
            assert added.json() == {"added": True}
        server.kill()
    with running(tiny_bundle, *options, log=tmp_path / "log", environment=environment) as server:
        base = f"{server.url}/k/{KEY}/v2"
        assert len(httpx.get(f"{base}/words").json()["words"]) == 5
        # What was begun before the signal is answered after it.
        body = {"text": "\n\n".join(f"{text} {k}" for k in range(2) for text in wild)[:5000]}
        url = f"{server.url}/k/{KEY}/v1/edit/stream"
        with httpx.stream("POST", url, json=body, timeout=30) as answer:
            lines = answer.iter_lines()
            next(lines)
            server.process.terminate()
            *_, last = lines
        assert json.loads(last)["done"]
        assert server.process.wait(timeout=30) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/health")
    assert KEY not in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "--no-auth"),
        (["--model", "/nowhere"], "nowhere"),
        (["--deadline", "0"], "deadline"),
        (["--log-level", "loud"], "--log-level"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(tiny_bundle, arguments, said):
    done = subprocess.run(
        [sys.executable, "-m", "emendo", "serve", "--model", str(tiny_bundle), *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
