"""Apps over an editor whose every edit is known, and a real server process over a tiny model."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

import httpx
from starlette.testclient import TestClient

from emendo import Editor
from emendo.bundle import Level
from emendo.serving.app import create_app
from emendo.serving.settings import ServerSettings
from tests.scribe import Scribe

KEY = "a-key-that-nobody-knows"


@pytest.fixture
def scribe():
    return Scribe()


@pytest.fixture
def editor(scribe):
    levels = {"balanced": Level(), "thorough": Level(keep_bias=-1.0)}
    return Editor(scribe, levels=levels)


@contextmanager
def client_of(editor, telemetry=None, **settings):
    """Open an app as a client on the same machine would."""
    app = create_app(editor, ServerSettings(**settings), telemetry)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(editor):
    with client_of(editor) as client:
        yield client


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """`emendo serve` in a process of its own."""

    def __init__(self, bundle, *arguments, log, environment=None):
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "emendo", "serve", "-m", str(bundle)),
                    *("--backend", "onnx", "--port", str(port), *map(str, arguments)),
                ],
                stderr=output,
                stdout=output,
                env={**os.environ, **(environment or {})},
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                if httpx.get(f"{self.url}/ready", timeout=5).status_code == 200:
                    break
            except httpx.TransportError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def log_lines(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def running(bundle, *arguments, log, environment=None):
    server = Process(bundle, *arguments, log=log, environment=environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def server(tiny_bundle, tmp_path_factory):
    """A real server, without keys, on a port of its own."""
    folder = tmp_path_factory.mktemp("server")
    with running(
        tiny_bundle, "--dictionaries", folder / "dictionaries", log=folder / "log"
    ) as server:
        yield server
