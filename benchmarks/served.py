"""A server process for benchmarks: started, measured from outside, stopped."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

LOAD = Path(__file__).with_name("serve_load.py")


class Server:
    """`emendo serve` on a free port."""

    def __init__(self, bundle, work, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        begin = time.perf_counter()
        with (work / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "emendo", "serve", "--model", str(bundle)),
                    *("--port", str(port), "--dictionaries", str(work / "dictionaries")),
                    *("--log-level", "warning", *map(str, options)),
                ],
                stdout=log,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/ready", timeout=10):
                    break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit((work / "server.log").read_text()) from None
            time.sleep(0.01)
        self.ready_s = time.perf_counter() - begin

    def rss_mb(self):
        """Return its current memory."""
        return self._status_mb("VmRSS")

    def peak_mb(self):
        """Return its peak memory."""
        return self._status_mb("VmHWM")

    def _status_mb(self, field):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith(field)]
        return int(line.split()[1]) / 1024

    def load(self, texts_file, *options):
        """Run the load against this server."""
        return load(self.url, texts_file, *options)


def load(url, texts_file, *options):
    """Run the load in a separate process and return its figures."""
    done = subprocess.run(
        [
            *(sys.executable, str(LOAD), "--url", url),
            *("--texts", str(texts_file), *map(str, options)),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


@contextmanager
def serving(bundle, work, *options):
    server = Server(bundle, work, *options)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait()
