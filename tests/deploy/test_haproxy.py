"""Two servers behind HAProxy under constant load: restarted, killed, and stopped in mid-work."""

import json
import re
import shutil
import signal
import sys
import time

import httpx
import pytest

pytest.importorskip("fastapi")

from balanced import CONFIG, Callers, balanced, doubled
from emendo.serving.settings import ServerSettings
from tests.scribe import WRONG

if shutil.which("haproxy") is None:
    pytest.skip("haproxy is not installed: apt-get install haproxy", allow_module_level=True)

CLIENTS = 8
TEXTS = [f"Sentence {k} is about a cat in london, and {word}." for k, word in enumerate(WRONG)]
# Requests before and after each disturbance.
CALM = 100


def command(words, **settings):
    """Return what starts a server over an editor whose every edit is known."""

    def on(port):
        own = {"port": port, "dictionaries": str(words), **settings}
        return [sys.executable, "-m", "tests.security.scribe_server", json.dumps([own, []])]

    return on


@pytest.fixture
def servers(tmp_path):
    words = tmp_path / "words"
    with balanced(command(words), tmp_path) as (balancer, replicas):
        yield balancer, replicas, words / "local/default/default.txt"


def callers(balancer, **options):
    return Callers(balancer.url, TEXTS, clients=CLIENTS, changes=True, **options)


def check_answered(load, words):
    """Every word that was said to be added is there."""
    kept = set(words.read_text().split())
    assert {f"w{name}" for name in load.added if load.answered[name] == 200} <= kept


def test_a_rolling_restart_loses_nothing(servers):
    balancer, replicas, words = servers
    with callers(balancer) as load:
        for name, replica in zip(("one", "two"), replicas, strict=True):
            load.go_on(CALM)
            replica.send(signal.SIGTERM)
            assert replica.process.wait(timeout=40) == 0
            balancer.wait_for(name, up=False)
            replica.start()
            balancer.wait_for(name, up=True)
        load.go_on(CALM)
    check_answered(load, words)
    assert load.lost() == set(), load.statuses()
    assert doubled(replicas) == set()


def test_a_kill_loses_only_what_was_in_flight(servers):
    balancer, replicas, words = servers
    with callers(balancer) as load:
        load.go_on(CALM)
        replicas[0].send(signal.SIGKILL)
        replicas[0].process.wait()
        at = time.monotonic()
        balancer.wait_for("one", up=False)
        load.go_on(CALM)
    check_answered(load, words)
    # Reads are asked again unless their answer had begun (SD: the server closed it amid the data).
    # Changes are not: a caller has one of them at a time.
    log = balancer.log.read_text()
    assert len(load.lost() - load.added) <= log.count(" SD "), (load.statuses(), odd(log))
    assert len(load.lost()) <= CLIENTS
    assert all(load.sent[name] <= at for name in load.lost())
    assert doubled(replicas) == set()


def odd(log):
    """Return the lines of HAProxy's log on requests that did not go as they should."""
    return [line for line in log.splitlines() if " -- " not in line]


def test_a_server_that_hangs_is_left_out(servers):
    balancer, replicas, words = servers
    with callers(balancer) as load:
        load.go_on(CALM)
        replicas[0].send(signal.SIGSTOP)
        seconds = balancer.wait_for("one", up=False)
        out = time.monotonic()
        load.go_on(CALM)
        late = [name for name in list(load.sent) if load.sent[name] > out]
        replicas[0].send(signal.SIGCONT)
        balancer.wait_for("one", up=True)
        load.go_on(CALM)
    print("stalled_out_s", round(seconds, 2), load.statuses())
    assert seconds <= 5
    assert len(late) > CLIENTS
    assert not load.lost() & set(late)
    # Each caller had one request there at most.
    assert len(load.lost()) <= CLIENTS
    assert "hung" not in load.answered.values()
    assert not doubled(replicas) & load.added
    check_answered(load, words)


def test_a_refusal_is_passed_on(tmp_path):
    """429 and its Retry-After reach the caller, and no other server is asked instead."""
    body = {"language": "en", "text": "This is a test."}
    # One request in ten seconds from each server.
    with balanced(command(tmp_path, rate=6), tmp_path) as (balancer, replicas):
        answers = [httpx.post(f"{balancer.url}/v2/check", data=body, timeout=30) for _ in range(8)]
        logs = [replica.log.read_text() for replica in replicas]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert all(1 <= int(answer.headers["retry-after"]) <= 10 for answer in refused)
    assert sum(log.count('"status": 429') for log in logs) == len(refused)


def test_times_follow_the_servers_own():
    """The balancer waits for longer than a server takes to give up by itself."""
    text = CONFIG.read_text(encoding="utf-8")
    (seconds,) = re.findall(r"timeout server (\d+)s", text)
    assert int(seconds) > ServerSettings().deadline


def test_the_log_has_no_path(servers):
    balancer, _, _ = servers
    httpx.get(f"{balancer.url}/k/a-key-that-nobody-knows/v2/languages")
    assert "a-key" not in balancer.log.read_text()
