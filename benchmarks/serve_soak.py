"""A server under overload, and under mixed load for a long time.

    python benchmarks/serve_soak.py [--model BUNDLE] [--short] [--overload 60] [--seconds 1200]

- Overload: requests at ten times the rate that 64 clients reach, whether they are answered or not.
  `overload_p99_ratio`: p99 of the accepted requests divided by that of the 64 clients;
  `refused_p99_ms`: p99 of the time to a refusal; `hung`, `broken`: requests without an answer;
  `overload_rss_mb`: the peak memory, beside `normal_rss_mb`.
- Mixed load: both APIs, streams, dictionaries, callers that disconnect and invalid requests, from
  eight clients. `growth_mb`: the median memory in the last third of the time minus that in the
  second third, because memory rises and falls with the batches; `server_errors`: answers with 5xx.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from edit_models import bea_dev, exported, stand_in
from served import serving

CLIENTS = 64
TIMES = 10


@contextmanager
def watched(server, every=0.2):
    """Record the server's memory while the block runs."""
    samples, stop = [], threading.Event()

    def watch():
        while not stop.wait(every):
            samples.append(server.rss_mb())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield samples
    finally:
        stop.set()
        thread.join()


def overload(server, texts_file, normal_seconds, seconds):
    with watched(server) as before:
        normal = server.load(texts_file, "--clients", CLIENTS, "--seconds", normal_seconds)
    print(normal, file=sys.stderr, flush=True)
    with watched(server) as during:
        over = server.load(texts_file, "--rate", TIMES * normal["per_s"], "--seconds", seconds)
    print(over, file=sys.stderr, flush=True)
    statuses = over["statuses"]
    with urllib.request.urlopen(f"{server.url}/ready", timeout=10) as answer:
        assert answer.status == 200
    return {
        "capacity_per_s": normal["per_s"],
        "sent_per_s": over["sent_per_s"],
        "overload_per_s": over["per_s"],
        "accepted": statuses.get("200", 0),
        "refused": statuses.get("429", 0),
        "hung": statuses.get("hung", 0),
        "broken": statuses.get("broken", 0),
        "overload_p99_ratio": over["p99_ms"] / normal["p99_ms"],
        "refused_p99_ms": over["refused_p99_ms"] or 0.0,
        "normal_rss_mb": max(before),
        "overload_rss_mb": max(during),
    }


def mixed_request(rng, texts):
    """Return a request like those of clients, and whether its caller disconnects early."""
    text = " ".join(rng.choices(texts, k=rng.choice((1, 1, 1, 3, 20))))
    leaves = rng.random() < 0.05
    kind = rng.random()
    if kind < 0.4:
        return "/v2/check", urlencode({"language": "auto", "text": text}), leaves
    if kind < 0.6:
        parts = [{"markup": "<p>", "interpretAs": "\n\n"}, {"text": text}, {"markup": "</p>"}]
        data = json.dumps({"annotation": parts})
        return "/v2/check", urlencode({"language": "en-US", "data": data}), leaves
    if kind < 0.8:
        return "/v1/edit", json.dumps({"texts": [text, text[:50]]}), leaves
    if kind < 0.9:
        return "/v1/edit/stream", json.dumps({"text": text}), leaves
    if kind < 0.95:
        word = f"word{rng.randrange(500)}"
        return f"/v2/words/{rng.choice(('add', 'delete'))}", urlencode({"word": word}), False
    return rng.choice((("/v2/check", "text=a", False), ("/v1/edit", "{", False)))


async def mixed_client(address, texts, seed, end, statuses):
    rng = random.Random(seed)
    while time.monotonic() < end:
        path, body, leaves = mixed_request(rng, texts)
        data = body.encode()
        reader, writer = await asyncio.open_connection(*address)
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
            + data
        )
        if leaves:
            await asyncio.sleep(rng.uniform(0, 0.02))
            statuses["left"] += 1
        else:
            answer = await asyncio.wait_for(reader.read(), 60)
            statuses[int(answer[9:12])] += 1
        writer.close()


def soak(server, texts, seconds):
    parts = urlsplit(server.url)
    statuses = Counter()

    async def run():
        end = time.monotonic() + seconds
        await asyncio.gather(
            *(
                mixed_client((parts.hostname, parts.port), texts, seed, end, statuses)
                for seed in range(8)
            )
        )

    with watched(server, every=max(0.05, seconds / 300)) as samples:
        asyncio.run(run())
    third = len(samples) // 3
    print(statuses, samples[:: max(1, len(samples) // 20)], file=sys.stderr, flush=True)
    return {
        "mixed_requests": sum(statuses.values()),
        "server_errors": sum(
            number for status, number in statuses.items() if status != "left" and status >= 500
        ),
        "growth_mb": statistics.median(samples[-third:])
        - statistics.median(samples[third : 2 * third]),
        "mixed_rss_mb": max(samples),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--short", action="store_true", help="seconds instead of minutes, for CI")
    parser.add_argument("--overload", type=float, default=60.0, help="seconds of overload")
    parser.add_argument("--seconds", type=float, default=1200.0, help="seconds of mixed load")
    options = parser.parse_args()
    over, mixed = (min(options.overload, 5.0), min(options.seconds, 15.0)) if options.short else (
        options.overload,
        options.seconds,
    )  # fmt: skip
    _, raw = bea_dev(600)
    texts = [sentence.text for sentence in raw]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        texts_file = work / "texts.json"
        texts_file.write_text(json.dumps(texts))
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        with serving(bundle, work, "--cache-size", 0) as server:
            figures = overload(server, texts_file, min(10.0, over), over)
        with serving(bundle, work, "--cache-size", 2000) as server:
            figures |= soak(server, texts, mixed)
    print(json.dumps({key: round(float(value), 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
