"""The server compared with the editor in one process, on the same sentences.

    python benchmarks/serve.py [--model BUNDLE] [--short] [--seconds 8]

BEA-dev sentences as natural text, one in each request, without a cache. `--model` is a bundle's
folder; without it, an untrained stand-in is measured that changes about half of the sentences.

- `throughput_ratio`: requests a second with 16 to 64 clients from a second process, divided by the
  sentences a second of `Editor.edit_many` in one process just before; the median of `ratios`, four
  for each number of clients (one with `--short`), because both vary by a fifth.
- `p50_ms`, `p99_ms`: with 64 clients; `by_clients` has requests a second, p50 and p99 for each
  number of clients, from its last round.
- `cached_ratio`: the time to check a document of 2,000 words again with one sentence changed,
  divided by that of its first check; the median of several documents.
- `idle_rss_mb`, `ready_s`: memory before the first text, and the time from the start to the first
  answer of /ready, which runs the network.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

from edit_models import bea_dev, exported, stand_in
from served import serving

FEW, MANY = (1, 2, 4, 8), (16, 32, 64)
ROUNDS = 4
WORDS = 2000
# The editor alone in a process.
IN_PROCESS = """
import json, sys, time
from emendo import load_editor

bundle, texts, seconds = sys.argv[1], json.load(open(sys.argv[2])), float(sys.argv[3])
editor = load_editor(bundle, cache_size=0)
editor.edit_many(texts[:50])
done, begin = 0, time.perf_counter()
while time.perf_counter() - begin < seconds:
    editor.edit_many(texts)
    done += len(texts)
print(done / (time.perf_counter() - begin))
"""


def in_process(bundle, texts_file, seconds):
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS, str(bundle), str(texts_file), str(seconds)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(done.stdout)


def check(url, text):
    body = urllib.parse.urlencode({"language": "en-US", "text": text}).encode()
    begin = time.perf_counter()
    with urllib.request.urlopen(f"{url}/v2/check", data=body) as answer:
        answer.read()
    return time.perf_counter() - begin


def documents(texts, count):
    """Yield documents of two thousand words, as lists of sentences."""
    done = 0
    for _ in range(count):
        sentences, words = [], 0
        while words < WORDS:
            sentences.append(texts[done % len(texts)])
            words += len(sentences[-1].split())
            done += 1
        yield sentences


def as_document(sentences):
    return "\n\n".join(" ".join(sentences[k : k + 5]) for k in range(0, len(sentences), 5))


def cached_ratio(bundle, work, texts, count):
    ratios = []
    for number, sentences in enumerate(documents(texts, count)):
        # A new server, so that nothing of an earlier document is in its cache.
        with serving(bundle, work) as server:
            check(server.url, "She is here.")
            first = check(server.url, as_document(sentences))
            again = []
            for k in range(3):
                sentences[len(sentences) // 2] = f"This is the {number + k}th sentence that is new."
                again.append(check(server.url, as_document(sentences)))
        print(f"first {first:.3f} s, again {again}", file=sys.stderr)
        ratios.append(statistics.median(again) / first)
    return statistics.median(ratios)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--short", action="store_true", help="fewer and shorter loads, for CI")
    parser.add_argument("--seconds", type=float, default=8.0, help="seconds of each load")
    options = parser.parse_args()
    few, many, rounds = ((1,), (16, 64), 1) if options.short else (FEW, MANY, ROUNDS)
    seconds = min(options.seconds, 3.0) if options.short else options.seconds
    # About as many as a load sends, and in random order: BEA-dev begins with the weaker writers,
    # and a load that ends within them would be compared with an editor that also reads the others.
    _, raw = bea_dev(150 if options.short else 400)
    texts = [sentence.text for sentence in raw]
    random.Random(0).shuffle(texts)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        texts_file = work / "texts.json"
        texts_file.write_text(json.dumps(texts))
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        with serving(bundle, work, "--cache-size", 0) as server:
            figures = {"idle_rss_mb": server.rss_mb(), "ready_s": server.ready_s}
            server.load(texts_file, "--clients", 8, "--seconds", 1)
            by_clients, rates, ratios = {}, [], []
            for number in (*few, *(many * rounds)):
                # In turns, so that a machine that slows down slows both.
                editor_rate = in_process(bundle, texts_file, seconds)
                load = server.load(texts_file, "--clients", number, "--seconds", seconds)
                print(number, editor_rate, load, file=sys.stderr, flush=True)
                assert set(load["statuses"]) == {"200"}
                by_clients[number] = load
                if number in many:
                    rates.append(load["per_s"])
                    ratios.append(load["per_s"] / editor_rate)
            figures["loaded_rss_mb"] = server.rss_mb()
        figures["cached_ratio"] = cached_ratio(bundle, work, texts, 2 if options.short else 5)
    figures["throughput_ratio"] = statistics.median(ratios)
    figures["requests_per_s"] = statistics.median(rates)
    figures["p50_ms"], figures["p99_ms"] = (by_clients[64][key] for key in ("p50_ms", "p99_ms"))
    rounded = {key: round(float(value), 3) for key, value in figures.items()}
    rounded["ratios"] = [round(ratio, 3) for ratio in ratios]
    rounded["by_clients"] = {
        number: [round(each["per_s"], 1), each["p50_ms"], each["p99_ms"]]
        for number, each in by_clients.items()
    }
    print(json.dumps(rounded))


if __name__ == "__main__":
    main()
