"""Load on a server from a separate process: clients in closed loops, or requests at a fixed rate.

    python benchmarks/serve_load.py --url http://127.0.0.1:8081 --texts texts.json --clients 8

Every client sends the next text to /v2/check. Prints one JSON object: statuses, requests a second,
latencies of requests that were answered with 200 and of those that were refused, and its own
processor seconds. --note writes the answers of an idle server to a file; with that file as
--expected, `wrong` counts the answers that differ. --latencies writes a file with two numbers for
each request that was answered with 200: its latency in milliseconds, and the share of processor
time that the machine's host gave to others, from ten seconds before the request was sent to two
seconds after.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import count
from pathlib import Path
from urllib.parse import urlencode, urlsplit

HUNG = 60.0
# Seconds before and after a request is sent in which stolen time slows it down. They do not depend
# on how long it takes, because slow requests must not be left out more often than others.
BEFORE, AFTER = 10.0, 2.0


class Connection:
    """One keep-alive connection, one request at a time; as little Python as possible."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.reader = self.writer = None

    async def ask(self, request):
        """Send a request and return the status and the body of its answer."""
        # The server closes connections that were idle for some seconds.
        if self.writer is not None and self.reader.at_eof():
            self.close()
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        status, body = int(head[9:12]), b""
        lines = head.lower().split(b"\r\n")
        for line in lines:
            if line.startswith(b"content-length:"):
                body = await self.reader.readexactly(int(line[15:]))
        if b"connection: close" in lines:
            self.close()
        return status, body

    def close(self):
        """Close it; the next request opens it again."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None


def check_request(text):
    body = urlencode({"language": "en-US", "text": text}).encode()
    return b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )


class Tally:
    """The outcomes of the requests."""

    def __init__(self, expected=()):
        self.statuses = Counter()
        self.seconds = {200: [], 429: []}
        self.expected = expected
        self.wrong = 0
        self.sent = []
        self.processor = [processor_times()]

    async def watch_processor(self):
        """Note the processor's times twice a second."""
        while True:
            await asyncio.sleep(0.5)
            self.processor.append(processor_times())

    async def ask(self, connection, requests, number):
        """Send a request and record its outcome."""
        request = requests[number % len(requests)]
        begin = time.perf_counter()
        body = b""
        try:
            status, body = await asyncio.wait_for(connection.ask(request), HUNG)
        except TimeoutError:
            status = "hung"
            connection.close()
        except (OSError, asyncio.IncompleteReadError):
            status = "broken"
            connection.close()
        self.statuses[status] += 1
        if status in self.seconds:
            self.seconds[status].append(time.perf_counter() - begin)
        if status == 200:
            self.sent.append(begin)
        if status == 200 and self.expected:
            self.wrong += json.loads(body)["matches"] != self.expected[number % len(requests)]

    def figures(self, elapsed):
        """Return the figures."""
        return {
            "statuses": {str(status): number for status, number in self.statuses.items()},
            "per_s": self.statuses[200] / elapsed,
            "p50_ms": percentile(self.seconds[200], 50),
            "p99_ms": percentile(self.seconds[200], 99),
            "refused_p99_ms": percentile(self.seconds[429], 99),
            "wrong": self.wrong,
            "cpu_s": time.process_time(),
        }

    def latencies(self):
        """Return the milliseconds of each answer with 200, and the share of time stolen then."""
        moments = [at for at, _, _ in self.processor]
        last = len(moments) - 1
        found = []
        for sent, took in zip(self.sent, self.seconds[200], strict=True):
            first = max(0, bisect_right(moments, sent - BEFORE) - 1)
            end = min(last, bisect_left(moments, sent + AFTER))
            _, all_before, stolen_before = self.processor[first]
            _, all_after, stolen_after = self.processor[end]
            stolen = (stolen_after - stolen_before) / max(1, all_after - all_before)
            found.append((round(1000 * took, 3), round(stolen, 4)))
        return found


def processor_times():
    """Return the current time, and the ticks of all processors since boot: total and stolen."""
    # user, nice, system, idle, iowait, irq, softirq, steal
    ticks = [int(each) for each in Path("/proc/stat").read_text().split()[1:9]]
    return time.perf_counter(), sum(ticks), ticks[-1]


def percentile(seconds, share):
    if not seconds:
        return None
    ordered = sorted(seconds)
    return round(1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 3)


async def noted(address, requests):
    """Return the answer for each text without other load."""
    connection = Connection(*address)
    answers = [await connection.ask(request) for request in requests]
    connection.close()
    assert all(status == 200 for status, _ in answers)
    return [json.loads(body)["matches"] for _, body in answers]


async def closed_loop(address, requests, clients, seconds, expected=()):
    """Run clients that send the next request as soon as they have an answer."""
    tally, numbers = Tally(expected), count()
    end = time.perf_counter() + seconds

    async def client():
        connection = Connection(*address)
        while time.perf_counter() < end:
            await tally.ask(connection, requests, next(numbers))
        connection.close()

    begin = time.perf_counter()
    watch = asyncio.ensure_future(tally.watch_processor())
    await asyncio.gather(*(client() for _ in range(clients)))
    watch.cancel()
    return tally, tally.figures(time.perf_counter() - begin)


async def open_loop(address, requests, rate, seconds, expected=()):
    """Send requests at a fixed rate, whether they are answered or not."""
    tally, idle, running = Tally(expected), [], set()

    async def one(number):
        connection = idle.pop() if idle else Connection(*address)
        await tally.ask(connection, requests, number)
        idle.append(connection)

    begin = time.perf_counter()
    watch = asyncio.ensure_future(tally.watch_processor())
    sent = 0
    while (now := time.perf_counter() - begin) < seconds:
        while sent < now * rate:
            task = asyncio.ensure_future(one(sent))
            running.add(task)
            task.add_done_callback(running.discard)
            sent += 1
        await asyncio.sleep(0.002)
    elapsed = time.perf_counter() - begin
    if running:
        await asyncio.wait(running)
    watch.cancel()
    for connection in idle:
        connection.close()
    return tally, tally.figures(elapsed) | {"sent_per_s": sent / elapsed}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", required=True)
    parser.add_argument("--texts", type=Path, required=True, help="a JSON list")
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--rate", type=float, help="requests a second, instead of clients")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument(
        "--note", type=Path, help="only write the answer for each text to this file"
    )
    parser.add_argument("--expected", type=Path, help="the file that --note wrote")
    parser.add_argument("--latencies", type=Path, help="write them to this file")
    options = parser.parse_args()
    parts = urlsplit(options.url)
    address = (parts.hostname, parts.port)
    requests = [check_request(text) for text in json.loads(options.texts.read_text("utf-8"))]
    if options.note:
        options.note.write_text(json.dumps(asyncio.run(noted(address, requests))))
        print("{}")
        return
    expected = json.loads(options.expected.read_text()) if options.expected else ()
    if options.rate:
        work = open_loop(address, requests, options.rate, options.seconds, expected)
    else:
        work = closed_loop(address, requests, options.clients, options.seconds, expected)
    tally, figures = asyncio.run(work)
    if options.latencies:
        options.latencies.write_text(json.dumps(tally.latencies()))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
