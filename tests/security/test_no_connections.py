"""Nothing leaves the machine: every verb runs under strace, in a home of its own, with both engines.

Counted are connections and datagrams to any address but this machine's own, name look-ups, and files
that a library leaves behind to know the machine again.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest

from tests.serving.conftest import free_port

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")

ENGINES = ["onnx", pytest.param("openvino", marks=pytest.mark.timeout(300))]
TEXT = "He go to the store and likes a cat.\n"
CALLS = "connect,sendto,sendmsg,sendmmsg"
ADDRESS = re.compile(
    r'sin6?_port=htons\((\d+)\).*?(?:inet_addr|inet_pton)\((?:AF_INET6, )?"([^"]+)"'
)
DNS = 53


def is_loopback(address):
    found = ip_address(address)
    # Before 3.13, Python does not look into addresses of the one kind within the other.
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


class Traced:
    """A command whose calls to the network are written down."""

    def __init__(self, folder, *arguments, text=None):
        self.home, self._trace = folder / "home", folder / "trace"
        self.home.mkdir(parents=True)
        # What would switch reports off is taken away: users have not set it.
        switches = ("TELEMETRY", "USAGE_STATS", "DO_NOT_TRACK")
        kept = {
            k: v for k, v in os.environ.items() if k != "CI" and not any(s in k for s in switches)
        }
        env = {**kept, "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home / ".cache")}
        self.process = subprocess.Popen(
            [
                *("strace", "-f", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none"),
                *("-o", self._trace, sys.executable, *map(str, arguments)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        )
        self.text = text

    def finish(self, timeout=240):
        output, errors = self.process.communicate(self.text, timeout=timeout)
        assert self.process.returncode == 0, errors
        return output

    def strangers(self):
        """Return the calls that reach for other machines, and look-ups of names."""
        return [
            line
            for line in self._trace.read_text().splitlines()
            for port, address in ADDRESS.findall(line)
            if not is_loopback(address) or int(port) == DNS
        ]

    def files(self):
        return sorted(str(p.relative_to(self.home)) for p in self.home.rglob("*") if p.is_file())


EDIT = "import sys, emendo; print(emendo.load_editor(sys.argv[1], backend=sys.argv[2]).edit('He go.').text)"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_editor(tiny_bundle, tmp_path, engine):
    if engine == "openvino":
        pytest.importorskip("openvino")
    run = Traced(tmp_path, "-c", EDIT, tiny_bundle, engine)
    assert run.finish()
    assert run.strangers() == []
    assert run.files() == []


def test_edit(tiny_bundle, tmp_path):
    run = Traced(tmp_path, "-m", "emendo", "edit", "-m", tiny_bundle, text=TEXT)
    assert run.finish()
    assert run.strangers() == []
    assert run.files() == []


@pytest.mark.parametrize("engine", ENGINES)
def test_the_server(tiny_bundle, tmp_path, engine):
    if engine == "openvino":
        pytest.importorskip("openvino")
    port = free_port()
    run = Traced(
        tmp_path,
        *("-m", "emendo", "serve", "-m", tiny_bundle, "--backend", engine, "--port", port),
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 120
    while True:
        try:
            if httpx.get(f"{url}/ready", timeout=5).status_code == 200:
                break
        except httpx.TransportError:
            assert time.monotonic() < deadline
            assert run.process.poll() is None
            time.sleep(0.1)
    answer = httpx.post(f"{url}/v2/check", data={"text": TEXT, "language": "en"}, timeout=60)
    assert answer.status_code == 200
    # To the server itself: strace does not hand it on.
    children = Path(f"/proc/{run.process.pid}/task/{run.process.pid}/children").read_text()
    os.kill(int(children.split()[0]), signal.SIGTERM)
    run.finish()
    assert run.strangers() == []
    assert [name for name in run.files() if "emendo" not in name] == []


def test_the_language_server(tiny_bundle, tmp_path):
    run = Traced(
        tmp_path,
        *("-m", "emendo", "lsp", "-m", tiny_bundle, "--backend", "onnx"),
        *("--dictionary", tmp_path / "words.txt"),
    )
    document = {"uri": "file:///a.txt", "languageId": "plaintext", "version": 1, "text": TEXT}
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    ]
    for message in messages:
        _send(run.process, message)
    while "publishDiagnostics" not in _receive(run.process):
        pass
    _send(run.process, {"id": 2, "method": "shutdown"})
    while '"id":2' not in _receive(run.process).replace(" ", ""):
        pass
    _send(run.process, {"method": "exit"})
    run.finish()
    assert run.strangers() == []
    assert run.files() == []


def test_batch(tiny_bundle, tmp_path):
    pytest.importorskip("pyarrow")
    source = tmp_path / "text"
    source.mkdir()
    (source / "a.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    run = Traced(
        tmp_path,
        *("-m", "emendo", "batch", source, tmp_path / "out", "-m", tiny_bundle),
        *("--backend", "onnx", "--workers", "1", "--local"),
    )
    run.finish()
    assert run.strangers() == []
    assert run.files() == []


@pytest.mark.timeout(600)
def test_batch_on_ray(tiny_bundle, tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("ray")
    source = tmp_path / "text"
    source.mkdir()
    (source / "a.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    run = Traced(
        tmp_path,
        *("-m", "emendo", "batch", source, tmp_path / "out", "-m", tiny_bundle),
        *("--backend", "onnx", "--workers", "1"),
    )
    run.finish(timeout=580)
    assert run.strangers() == []
    assert run.files() == []


def _send(process, message):
    body = json.dumps({"jsonrpc": "2.0", **message})
    process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}")
    process.stdin.flush()


def _receive(process):
    size = 0
    while line := process.stdout.readline().strip():
        if line.lower().startswith("content-length:"):
            size = int(line.split(":")[1])
    assert size, "the server has closed its output"
    return process.stdout.read(size)
