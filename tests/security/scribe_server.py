"""A server process over an editor whose every edit is known, with settings that are given as JSON.

Words in a text have it misbehave: `hang` keeps the engine, `panic` fails as a native library does,
`kill` breaks the scheduler itself.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

from tests.serving.conftest import free_port

ROOT = Path(__file__).parents[2]


class ScribeServer:
    """The process; `url`, `port` and `memory` are for those who drive it."""

    def __init__(self, log, *, environment=None, keys=(), **settings):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        settings = {"port": self.port, **settings}
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.security.scribe_server",
                    json.dumps([settings, keys]),
                ],
                cwd=ROOT,
                stdout=output,
                stderr=output,
                env={**os.environ, **(environment or {})},
            )
        until = time.monotonic() + 60
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)

    def _is_ready(self):
        try:
            return httpx.get(f"{self.url}/ready", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=30)

    def memory(self):
        """Return the megabytes it holds."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 2**20

    def peak(self):
        """Return the most megabytes it ever held."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 2**10

    def stop(self, timeout):
        """Ask it to stop, and return the seconds that took."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=timeout)
        return time.monotonic() - begin

    def requests(self):
        """Return the log's lines on requests."""
        lines = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [line for line in lines if line["event"] == "request"]


class PanicException(BaseException):
    """What a panic in a native library is in Python: no `Exception`."""


def misbehave(sentences):
    """Do what a text asks for."""
    for sentence in sentences:
        if "hang" in sentence:
            threading.Event().wait()
        if "panic" in sentence:
            raise PanicException("index out of bounds")
        if "kill" in sentence:
            from emendo.serving.scheduler import Scheduler

            Scheduler._take_batch = None


def main(arguments):
    """Serve until it is stopped."""
    from emendo import Editor
    from emendo.serving import server
    from emendo.serving.access import ApiKey
    from emendo.serving.log_lines import set_up_logs
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry
    from tests.scribe import Scribe

    settings, keys = json.loads(arguments)
    # Not a setting: the tests have less time than callers.
    server._KEEP_ALIVE = settings.pop("keep_alive", server._KEEP_ALIVE)
    if "dictionaries" in settings:
        settings["dictionaries"] = Path(settings["dictionaries"])
    set_up_logs("debug")
    scribe = Scribe()
    scribe.before = misbehave
    server.run_server(
        Editor(scribe),
        ServerSettings(**settings, api_keys=ApiKey.parse_all(keys)),
        Telemetry(),
    )


if __name__ == "__main__":
    main(sys.argv[1])
