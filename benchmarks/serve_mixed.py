"""Hostile and friendly clients of one server together, for a given time.

    python benchmarks/serve_mixed.py [--model BUNDLE] [--seconds 7200]

First measures the throughput with 64 clients (`capacity_per_s`), then friendly clients at a third
of it: alone and, for `--seconds`, beside attackers that are limited to half a core
(`serve_attack.py`).

- `wrong`: answers to friendly clients that differ from those of the same server without other load;
  `friendly_5xx`, `friendly_lost` (hung or broken), `friendly_429_share`.
- `memory_ratio`: the median of the server's memory in the last quarter of the time, divided by that
  in the second quarter.
- `alone_p99_ms`, `attacked_p99_ms` and `p99_ratio`: of the friendly clients at the same rate.
- `attacks`, `attackers_cores`: the number of attacks, and the cores that they used.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from edit_models import bea_dev, exported, stand_in
from serve_soak import CLIENTS, watched
from served import serving

ATTACK = Path(__file__).with_name("serve_attack.py")
TEXTS = 300
# Shares of the throughput: the rate of friendly clients, and the limit for one address.
FRIENDLY, ALLOWED = 1 / 3, 0.5


def capacity(bundle, work, texts_file, seconds):
    """Return the requests a second of a server without a limit on each caller."""
    with serving(bundle, work, "--cache-size", 0) as server:
        return server.load(texts_file, "--clients", CLIENTS, "--seconds", seconds)["per_s"]


def attacked(server, seconds, work):
    """Return the figures of the friendly clients, the attackers and the memory."""
    attackers = subprocess.Popen(
        [sys.executable, str(ATTACK), "--url", server.url, "--seconds", str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    with watched(server, every=min(5.0, max(0.1, seconds / 400))) as samples:
        friends = work()
    said, _ = attackers.communicate(timeout=120)
    return friends, json.loads(said), samples


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--seconds", type=float, default=7200.0, help="seconds of attacks")
    options = parser.parse_args()
    # A 99th percentile needs some thousands of requests, so the long form measures for longer.
    before = min(180.0, max(5.0, options.seconds / 6))
    _, raw = bea_dev(TEXTS)
    texts = [sentence.text for sentence in raw]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        texts_file, answers = work / "texts.json", work / "answers.json"
        texts_file.write_text(json.dumps(texts))
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        per_s = capacity(bundle, work, texts_file, before)
        rate = FRIENDLY * per_s
        limits = ("--cache-size", 0, "--rate", max(1, round(60 * ALLOWED * per_s)))
        with serving(bundle, work, "--cache-size", 0) as server:
            server.load(texts_file, "--note", answers)
        with serving(bundle, work, *limits) as server:
            load = (texts_file, "--rate", rate, "--expected", answers, "--seconds")
            alone = server.load(*load, before)
            print(f"{rate:.1f} a second alone: {alone}", file=sys.stderr, flush=True)
            friends, attackers, samples = attacked(
                server, options.seconds, lambda: server.load(*load, options.seconds)
            )
    print(friends, attackers, file=sys.stderr, flush=True)
    print(json.dumps(figures(per_s, rate, alone, friends, attackers, samples)))


def figures(per_s, rate, alone, friends, attackers, samples):
    """Return all figures."""
    statuses = friends["statuses"]
    asked = sum(statuses.values())
    quarter = max(1, len(samples) // 4)
    slow = [each["p99_ms"] or 0.0 for each in (alone, friends)]
    found = {
        "capacity_per_s": per_s,
        "friendly_per_s": rate,
        "friendly_requests": asked,
        "wrong": alone["wrong"] + friends["wrong"],
        "friendly_5xx": sum(n for status, n in statuses.items() if status.startswith("5")),
        "friendly_lost": statuses.get("hung", 0) + statuses.get("broken", 0),
        "friendly_429_share": statuses.get("429", 0) / max(1, asked),
        "memory_ratio": statistics.median(samples[-quarter:])
        / statistics.median(samples[quarter : 2 * quarter] or samples),
        "peak_mb": max(samples),
        "alone_p99_ms": slow[0],
        "attacked_p99_ms": slow[1],
        "p99_ratio": slow[1] / max(slow[0], 1e-9),
        "attacks": attackers["attacks"],
        "attackers_cores": attackers["cores"],
    }
    return {key: round(float(value), 4) for key, value in found.items()}


if __name__ == "__main__":
    main()
