"""The language server over its own pipe, with messages that no editor sends."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("pygls")

from tests.conftest import ROOT


@pytest.fixture
def server(tmp_path):
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.lsp.known_server", tmp_path / "words.txt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=ROOT,
    ) as process:
        yield process
        process.kill()


def send(server, **message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def answer(server, number):
    while True:
        length = 0
        while line := server.stdout.readline().strip():
            name, value = line.split(b":")
            length = int(value) if name == b"Content-Length" else length
        message = json.loads(server.stdout.read(length))
        if message.get("id") == number:
            return message


@pytest.mark.timeout(120)
def test_requests_after_shutdown_get_the_error_of_the_protocol(server):
    send(server, id=1, method="initialize", params={"processId": None, "capabilities": {}})
    assert answer(server, 1)["result"]
    send(server, method="initialized", params={})
    send(server, id=2, method="shutdown")
    assert answer(server, 2)["result"] is None
    send(server, id=3, method="textDocument/codeAction", params={"textDocument": {"uri": "file:///a"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "context": {"diagnostics": []}})  # fmt: skip
    assert answer(server, 3)["error"]["code"] == -32600
    send(server, id=4, method="shutdown")
    assert answer(server, 4)["error"]["code"] == -32600
    send(server, method="exit")
    assert server.wait(60) == 0


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: " + b"9" * 600 + b"\r\n\r\n",
        b"Content-Length: " + b"9" * 6000 + b"\r\n\r\n",
        b"a" * 10_000,
    ],
    ids=["large", "absurd", "no number", "no end"],
)
def test_no_length_is_believed(server, header):
    server.stdin.write(header)
    server.stdin.flush()
    assert server.wait(60) is not None
    (message,) = server.stderr.read().decode().strip().splitlines()
    assert "the language server ends" in message


@pytest.mark.timeout(120)
def test_requests_with_wrong_parameters_get_the_error_of_the_protocol(server):
    send(server, id=1, method="initialize", params={"processId": None, "capabilities": {}})
    assert answer(server, 1)["result"]
    send(server, method="initialized", params={})
    numbers = iter(range(2, 100))
    for method, params in (
        ("textDocument/codeAction", {}),
        ("textDocument/codeAction", {"textDocument": {}}),
        ("textDocument/codeAction", {"textDocument": {"uri": "file:///a"}, "range": 5}),
        ("textDocument/codeAction", []),
        ("workspace/executeCommand", {}),
    ):
        number = next(numbers)
        send(server, id=number, method=method, params=params)
        assert answer(server, number)["error"]["code"] == -32602, (method, params)
    # It reports findings by itself; nothing else was promised.
    for params in ({"textDocument": {"uri": "file:///a"}, "previousResultId": "1"}, {}):
        number = next(numbers)
        send(server, id=number, method="textDocument/diagnostic", params=params)
        assert answer(server, number)["error"]["code"] == -32601
    send(server, id=100, method="shutdown")
    assert answer(server, 100)["result"] is None
