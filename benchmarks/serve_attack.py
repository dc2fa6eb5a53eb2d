"""Hostile clients of a server, which limit their own CPU time to a share of a core.

    python benchmarks/serve_attack.py --url http://127.0.0.1:8081 --seconds 60 [--cores 0.5]

They use their own address (127.0.0.2), so that the server's `--rate` counts them separately. Prints
one JSON object: the number of attacks, their outcomes, and the cores that they used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import time
from collections import Counter
from urllib.parse import urlencode, urlsplit

ADDRESS = "127.0.0.2"
CLIENTS = 24
# Seconds after which a client stops waiting for an answer and starts the next attack.
PATIENCE = 5.0
UNITS = (
    *("](", "`", "* ", "[a](", "<!--", "<a ", '<a href="', "<code>a", "<p>error</p>", "1.2a.1a.1"),
    *("\\begin{a}", "{", "$a$ ", "a.b/c_1 ", "😀 teh ", "-.", "and the dog likes it ", "He go. "),
    *("govverment yusually tierd ", "convenyent countrisyde trafick diffrunt "),
)


def post(path, body, *headers, host="127.0.0.1"):
    head = [f"POST {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


def chunked(path, *parts):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode() + b"".join(parts)


def nasty_text(rng):
    """Return text that is hard to parse, rarely of the greatest length."""
    size = rng.choice((500, 2_000, 8_000, 8_000, 30_000))
    unit = rng.choice(UNITS)
    return (unit * (size // len(unit) + 1))[:size]


def hard_text(rng):
    text = nasty_text(rng)
    if rng.random() < 0.5:
        return post("/v2/check", urlencode({"language": "en-US", "text": text}).encode())
    markup = rng.choice(("plain", "markdown", "html", "latex"))
    return post("/v1/edit", json.dumps({"text": text, "markup": markup}).encode(), _JSON)


def broken_body(rng):
    bodies = (b"{", b"[" * 20_000, b"\xff\xfe" * 100, b'{"text": 5}', b'{"texts": [null]}', b"")
    return post(rng.choice(("/v1/edit", "/v1/align", "/v1/edit/stream")), rng.choice(bodies), _JSON)


def broken_protocol(rng):
    return rng.choice(
        (
            b"\x00" * 200 + b"\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /v2/check HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 60_000 + b"\r\n\r\n",
            chunked("/v2/check", b"zz\r\n"),
            chunked("/v2/check", b"0\r\n", b"A: b\r\n" * 20_000, b"\r\n"),
        )
    )


def stranger(rng):
    path = rng.choice(("/", "/metrics", "/v2/words", f"/{rng.randrange(10**9)}", "/../etc/passwd"))
    if rng.random() < 0.5:
        return post(path, b"", host="localhost.evil.example")
    return post(path, b"", "Origin: https://evil.example")


def words(rng):
    word = "".join(rng.choices("abcdefgh-./\\é", k=rng.randrange(1, 120)))
    action = rng.choice(("add", "delete"))
    user = rng.choice(("x", "../x", "y" * 100))
    return post(f"/v2/words/{action}", urlencode({"word": word, "username": user}).encode())


def too_much(rng):
    if rng.random() < 0.5:
        return b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n"
    return post("/v2/check", urlencode({"language": "en-US", "text": "a b " * 60_000}).encode())


_JSON = "Content-Type: application/json"
# With their relative frequency.
ATTACKS = {
    hard_text: 4,
    broken_body: 4,
    broken_protocol: 3,
    stranger: 3,
    words: 3,
    too_much: 1,
}


class Share:
    """Limits this process to a share of a core."""

    def __init__(self, cores):
        self.cores = cores
        self.begin, self.spent = time.perf_counter(), time.process_time()

    def used(self):
        """Return the cores used since the beginning."""
        elapsed = time.perf_counter() - self.begin
        return (time.process_time() - self.spent) / max(elapsed, 1e-9)

    async def wait(self):
        """Wait until the process has used less than its share."""
        await asyncio.sleep(0)
        while self.used() > self.cores:
            await asyncio.sleep(0.02)


async def attack(address, rng):
    """Make one attack and return its outcome."""
    request = rng.choices(list(ATTACKS), list(ATTACKS.values()))[0](rng)
    reader, writer = await asyncio.open_connection(*address, local_addr=(ADDRESS, 0))
    try:
        manner = rng.random()
        if manner < 0.1:
            # A few bytes slowly, and then nothing.
            for k in range(10):
                writer.write(request[k : k + 1])
                await asyncio.sleep(0.2)
            return "slow"
        writer.write(request)
        await writer.drain()
        if manner < 0.25:
            await asyncio.sleep(rng.uniform(0, 0.05))
            return "left"
        return (await reader.readexactly(12))[9:].decode("latin-1")
    finally:
        writer.close()


async def client(address, seed, end, share, outcomes):
    rng = random.Random(seed)
    while time.perf_counter() < end:
        await share.wait()
        try:
            outcome = await asyncio.wait_for(attack(address, rng), PATIENCE)
        except TimeoutError:
            outcome = "impatient"
        except (OSError, asyncio.IncompleteReadError):
            outcome = "cut off"
        outcomes[outcome] += 1


async def run(address, seconds, cores):
    share, outcomes = Share(cores), Counter()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(client(address, seed, end, share, outcomes) for seed in range(CLIENTS)))
    return {"outcomes": outcomes, "attacks": sum(outcomes.values()), "cores": share.used()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", required=True)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cores", type=float, default=0.5)
    options = parser.parse_args()
    # Otherwise it warns about each connection that the server closes during a slow attack.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    parts = urlsplit(options.url)
    print(
        json.dumps(asyncio.run(run((parts.hostname, parts.port), options.seconds, options.cores)))
    )


if __name__ == "__main__":
    main()
