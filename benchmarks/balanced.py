"""Replicas behind HAProxy, and callers that record lost and doubled requests."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import secrets
import socket
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from serve_load import Connection

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "deploy/haproxy/haproxy.cfg"
NAMES = ("one", "two")
# After this many seconds without an answer a request counts as lost.
PATIENCE = 45.0
# Seconds until a new replica must answer; a busy machine takes minutes.
READY = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    """Return the processor time of a process so far, in user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition, seconds, what):
    """Wait until a condition holds, and return how long that took."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() > begin + seconds:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.01)
    return time.monotonic() - begin


class Replica:
    """One server process, always on the same port."""

    def __init__(self, command, log, core=None):
        """Start it.

        Args:
            command: Returns the command line for a port.
            log: The file for its output.
            core: The processor to which it is pinned.
        """
        self._command = command
        self._core = core
        self.log = log
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        """Start the process, and wait until it answers."""
        pin = {} if self._core is None else {"preexec_fn": self._pin}
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self._command(self.port),
                stdout=output,
                stderr=output,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                cwd=ROOT,
                **pin,
            )
        try:
            wait_until(self._is_ready, READY, f"replica at {self.url}")
        except BaseException:
            self.end()
            raise

    def _pin(self):
        os.sched_setaffinity(0, {self._core})

    def _is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(self.log.read_text())
        try:
            with urllib.request.urlopen(f"{self.url}/ready", timeout=6) as answer:
                return answer.status == 200
        except OSError:
            return False

    def send(self, signal):
        """Send a signal to the process."""
        self.process.send_signal(signal)

    def end(self):
        """End it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def finished(self):
        """Return the ids of requests that it answered with 200."""
        lines = (json.loads(line) for line in self.log.read_text().splitlines())
        return [
            line["request_id"]
            for line in lines
            if line.get("event") == "request" and line["status"] == 200
        ]


class Balancer:
    """HAProxy with the shipped configuration."""

    def __init__(self, replicas, work):
        """Start it for one or two replicas; with one, the other is never up."""
        addresses = [f"127.0.0.1:{replica.port}" for replica in replicas]
        addresses += [f"127.0.0.1:{free_port()}"] * (len(NAMES) - len(addresses))
        port, stats = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._stats = f"http://127.0.0.1:{stats}/stats;csv"
        self.log = work / "haproxy.log"
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                ["haproxy", "-db", "-f", str(CONFIG)],
                stdout=output,
                stderr=output,
                env={
                    **os.environ,
                    "EMENDO_BIND": f"127.0.0.1:{port}",
                    "EMENDO_STATS": f"127.0.0.1:{stats}",
                    "EMENDO_ONE": addresses[0],
                    "EMENDO_TWO": addresses[1],
                },
            )
        for name in NAMES[: len(replicas)]:
            self.wait_for(name, up=True)
        for name in NAMES[len(replicas) :]:
            self.wait_for(name, up=False)

    def rows(self, name):
        """Return HAProxy's state of a server in each backend; the first one makes the checks."""
        with urllib.request.urlopen(self._stats, timeout=5) as answer:
            lines = answer.read().decode().removeprefix("# ").splitlines()
        return [row for row in csv.DictReader(lines) if row["svname"] == name]

    def is_up(self, name):
        """Whether a replica gets requests."""
        return self.rows(name)[0]["status"].startswith("UP")

    def in_flight(self, name):
        """Return how many requests a replica has."""
        return sum(int(row["scur"]) for row in self.rows(name))

    def retries(self):
        """Return how often a request was retried."""
        return sum(int(row["wretr"] or 0) for row in self.rows("BACKEND"))

    def wait_for(self, name, *, up):
        """Wait until a replica gets requests, or gets none, and return the seconds."""

        def is_so():
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text())
            try:
                return self.is_up(name) == up
            except OSError:
                return False

        return wait_until(is_so, READY, f"{name} {'up' if up else 'out'}")

    def end(self):
        """End it."""
        self.process.kill()
        self.process.wait()


@contextmanager
def balanced(command, work, count=2, cores=None):
    """Start replicas and HAProxy."""
    replicas, balancer = [], None
    try:
        for number in range(count):
            core = cores[number] if cores else None
            replicas.append(Replica(command, work / f"{NAMES[number]}.log", core))
        balancer = Balancer(replicas, work)
        yield balancer, replicas
    finally:
        for process in (balancer, *replicas):
            if process is not None:
                process.end()


class Callers:
    """Callers in closed loops, in a thread; each request has its own id."""

    def __init__(self, url, texts, *, clients=8, changes=False):
        """Prepare them.

        Args:
            url: The balancer's.
            texts: The texts of the requests, in turn.
            clients: The number of callers at once.
            changes: Whether one in eight requests adds a word to a dictionary.
        """
        parts = urlsplit(url)
        self._address = parts.hostname, parts.port
        self._texts = texts
        self._clients = clients
        self._changes = changes
        self._stop = threading.Event()
        self.sent = {}
        """When each request was sent, by its id."""
        self.answered = {}
        """Its status, or the reason why there is none."""
        self.added = set()
        """The ids of requests that change something."""
        self._failure = None

    def __enter__(self):
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _run(self):
        async def all_clients():
            await asyncio.gather(*(self._client(number) for number in range(self._clients)))

        try:
            asyncio.run(all_clients())
        # Raised again in the thread that waits for this one.
        except BaseException as failure:
            self._failure = failure

    async def _client(self, number):
        connection = Connection(*self._address)
        turn = number
        while not self._stop.is_set():
            request_id = secrets.token_hex(8)
            turn += self._clients
            if self._changes and turn % 8 == 0:
                self.added.add(request_id)
                path, form = "/v2/words/add", {"word": f"w{request_id}"}
            else:
                text = self._texts[turn % len(self._texts)]
                path, form = "/v2/check", {"language": "en-US", "text": text}
            body = urlencode(form).encode()
            self.sent[request_id] = time.monotonic()
            try:
                self.answered[request_id], _ = await asyncio.wait_for(
                    connection.ask(
                        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-ID: {request_id}\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode()
                        + body
                    ),
                    PATIENCE,
                )
            except TimeoutError:
                self.answered[request_id] = "hung"
                connection.close()
            except (OSError, asyncio.IncompleteReadError):
                self.answered[request_id] = "broken"
                connection.close()
            if self.answered[request_id] != 200:
                # HAProxy closes a connection after one of its own errors.
                connection.close()
                # Callers that are refused at once must not make up the whole load.
                await asyncio.sleep(0.05)
        connection.close()

    def go_on(self, count):
        """Wait until this many more requests are answered."""
        until = len(self.answered) + count
        wait_until(lambda: len(self.answered) >= until, 120, f"{count} requests")

    def lost(self):
        """Return the ids of requests without a correct answer."""
        return {name for name in self.sent if self.answered.get(name) != 200}

    def statuses(self):
        """Return how often each status occurred."""
        return dict(Counter(str(status) for status in self.answered.values()))


def failures(log):
    """Return the replica of each request without a complete 200 answer, from HAProxy's log.

    A replica that gets requests although its checks fail has the same name.
    """
    # Other lines are about HAProxy itself.
    rows = (line.split() for line in log.splitlines() if " emendo emendo_" in line)
    return [
        row[2].partition("/")[2].removesuffix("-unchecked")
        for row in rows
        if row[4] != "200" or row[6] != "--"
    ]


def doubled(replicas):
    """Return the ids of requests that were answered with 200 by two replicas, or twice by one."""
    finished = Counter(name for replica in replicas for name in replica.finished())
    return {name for name, times in finished.items() if times > 1}
