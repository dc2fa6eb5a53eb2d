"""Hostile and friendly clients of one server together, for a given time.

    python benchmarks/serve_mixed.py [--model BUNDLE] [--seconds 7200]

The speed of a shared machine changes within minutes, so the time is divided into rounds. Each round
measures the throughput of a second server with 64 clients (`capacity_per_s`), then friendly clients
at a third of it: alone, beside attackers that are limited to half a core (`serve_attack.py`), and
alone again. The attacks of all rounds together take `--seconds`.

- `wrong`: answers to friendly clients that differ from those of the same server without other load;
  `friendly_5xx`, `friendly_lost` (hung or broken), `friendly_429_share`.
- `memory_ratio`: the median of the server's memory in the last quarter of the attacks, divided by
  that in the second quarter.
- `alone_p99_ms`, `attacked_p99_ms` and `p99_ratio`: of the friendly clients in all rounds;
  `undisturbed_p99_ratio`: the same for the requests that were sent while less than two per cent of
  this machine's processor time was stolen by its host (`serve_load.py`), null if there are none;
  `undisturbed_requests`: the number of such requests during attacks.
- `attacks`, `attackers_cores`: the number of attacks, and the cores that they used.
- `rounds`: for each round its capacity, both p99, the friendly requests without an answer of 200,
  and the share of the processor time that was stolen during the attacks (`stolen`).

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from edit_models import bea_dev, exported, stand_in
from serve_load import percentile, processor_times
from serve_soak import CLIENTS, watched
from served import serving

ATTACK = Path(__file__).with_name("serve_attack.py")
TEXTS = 300
# Shares of the throughput: the rate of friendly clients, and the limit for one address.
FRIENDLY, ALLOWED = 1 / 3, 0.5
# The limit is fixed, so if the machine becomes much faster, the rate is at most this share of it.
BELOW = 0.9
# The seconds of attacks in a round, and the most rounds: if there would be more, each is longer.
# Then the seconds in each round for friendly clients alone, half of them before the attacks and
# half after, and for measuring the capacity.
ROUND, MOST_ROUNDS = 180.0, 10
ALONE, CAPACITY = 60.0, 20.0
# A request with at least this share of stolen time counts as disturbed.
STOLEN = 0.02


class Mixture:
    """One server for all rounds, and what was measured in them."""

    def __init__(self, bundle, work, texts):
        self.bundle, self.work = bundle, work
        self.texts_file, self.answers = work / "texts.json", work / "answers.json"
        self.texts_file.write_text(json.dumps(texts))
        self.statuses, self.wrong = Counter(), 0
        self.alone, self.attacked, self.memory = [], [], []
        self.attacks, self.core_seconds, self.rounds = 0, 0.0, []
        with serving(bundle, work, "--cache-size", 0) as server:
            server.load(self.texts_file, "--note", self.answers)

    def capacity(self, seconds):
        """Return the requests a second of a server without a limit on each caller."""
        with serving(self.bundle, self.work, "--cache-size", 0) as server:
            load = server.load(self.texts_file, "--clients", CLIENTS, "--seconds", seconds)
        return load["per_s"]

    def friendly(self, server, rate, seconds):
        """Return the latencies of friendly clients, with the stolen time, and their figures."""
        file = self.work / "latencies.json"
        figures = server.load(
            *(self.texts_file, "--rate", rate, "--seconds", seconds),
            *("--expected", self.answers, "--latencies", file),
        )
        self.wrong += figures["wrong"]
        return json.loads(file.read_text()), figures

    def round(self, server, rate, capacity, seconds_alone, seconds):
        """Measure friendly clients beside attackers, and alone before and after."""
        alone, _ = self.friendly(server, rate, seconds_alone / 2)
        begin = processor_times()
        with watched(server, every=min(5.0, max(0.1, seconds / 400))) as memory:
            attackers = subprocess.Popen(
                [sys.executable, str(ATTACK), "--url", server.url, "--seconds", str(seconds)],
                stdout=subprocess.PIPE,
                text=True,
            )
            attacked, figures = self.friendly(server, rate, seconds)
            said = json.loads(attackers.communicate(timeout=120)[0])
        spent, stolen = (
            after - before for after, before in zip(processor_times()[1:], begin[1:], strict=True)
        )
        later, _ = self.friendly(server, rate, seconds_alone / 2)
        alone += later
        self.statuses.update(figures["statuses"])
        self.alone += alone
        self.attacked += attacked
        self.memory += memory
        self.attacks += said["attacks"]
        self.core_seconds += said["cores"] * seconds
        self.rounds.append(
            {
                "capacity_per_s": round(capacity, 2),
                "friendly_per_s": round(rate, 2),
                "alone_p99_ms": p99(alone),
                "attacked_p99_ms": p99(attacked),
                "others": sum(figures["statuses"].values()) - len(attacked),
                "stolen": round(stolen / max(1, spent), 4),
            }
        )
        print(self.rounds[-1], figures["statuses"], said, file=sys.stderr, flush=True)

    def figures(self, seconds):
        """Return all figures."""
        asked = sum(self.statuses.values())
        quarter = max(1, len(self.memory) // 4)
        both = (self.alone, self.attacked)
        slow, quiet = [p99(each) for each in both], [undisturbed(each) for each in both]
        found = {
            "capacity_per_s": statistics.mean(each["capacity_per_s"] for each in self.rounds),
            "friendly_requests": asked,
            "wrong": self.wrong,
            "friendly_5xx": sum(n for each, n in self.statuses.items() if each.startswith("5")),
            "friendly_lost": self.statuses["hung"] + self.statuses["broken"],
            "friendly_429_share": self.statuses["429"] / max(1, asked),
            "memory_ratio": statistics.median(self.memory[-quarter:])
            / statistics.median(self.memory[quarter : 2 * quarter] or self.memory),
            "peak_mb": max(self.memory),
            "alone_p99_ms": slow[0],
            "attacked_p99_ms": slow[1],
            "p99_ratio": slow[1] / max(slow[0], 1e-9),
            "undisturbed_p99_ratio": p99(quiet[1]) / p99(quiet[0]) if all(quiet) else None,
            "undisturbed_requests": len(quiet[1]),
            "attacks": self.attacks,
            "attackers_cores": self.core_seconds / seconds,
        }
        return {key: value if value is None else round(value, 4) for key, value in found.items()}


def p99(latencies):
    """Return the 99th percentile in milliseconds, 0 if there are none."""
    return percentile([ms / 1000 for ms, _ in latencies], 99) or 0.0


def undisturbed(latencies):
    """Return the latencies of the requests with hardly any stolen time."""
    return [each for each in latencies if each[1] < STOLEN]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--seconds", type=float, default=7200.0, help="seconds of attacks")
    options = parser.parse_args()
    rounds = int(min(MOST_ROUNDS, max(1, options.seconds // ROUND)))
    seconds = options.seconds / rounds
    # The short form has a shorter beginning, too.
    alone, measured = (max(5.0, min(each, seconds / 3)) for each in (ALONE, CAPACITY))
    _, raw = bea_dev(TEXTS)
    texts = [sentence.text for sentence in raw]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        mixture = Mixture(bundle, work, texts)
        capacity = mixture.capacity(measured)
        allowed = ALLOWED * capacity
        limits = ("--cache-size", 0, "--rate", max(1, round(60 * allowed)))
        with serving(bundle, work, *limits) as server:
            for number in range(rounds):
                if number:
                    capacity = mixture.capacity(measured)
                rate = min(FRIENDLY * capacity, BELOW * allowed)
                mixture.round(server, rate, capacity, alone, seconds)
    print(json.dumps({**mixture.figures(options.seconds), "rounds": mixture.rounds}))


if __name__ == "__main__":
    main()
