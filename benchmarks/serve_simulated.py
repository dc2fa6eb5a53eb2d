"""How long friendly clients wait beside hostile ones, in a simulation with little processor use.

    python benchmarks/serve_simulated.py [--model BUNDLE] [--seconds 300] [--slower 1.0]

Runs every sentence of `serve_mixed.py` once, and notes the processor time of each of its passes.
Then the server's scheduler runs the same sentences, but each pass is only a pause of this time,
multiplied by `--slower`. So the figures show the effect of the order of the work, whatever else the
machine does. HTTP, reading texts and the limit on the requests of a caller are left out.

Friendly clients send a third of what the scheduler could run. They send alone for half of
`--seconds`, and then for all of `--seconds` beside hostile clients, which send `--attacks` long
texts a second. One in six hostile clients leaves at once, and the others leave after five seconds.

- `alone_ms` and `attacked_ms`: the 50th, 90th and 99th percentile of the friendly clients' times.
- `beginning_ms`: the same for requests sent in the first 20 seconds of attacks, when the hostile
  clients are new to the scheduler.
- `p99_ratio`: the attacked 99th percentile divided by the one alone.
- `failed`: friendly requests without an answer.
- `attacks`: hostile requests that were answered, and those that were not.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from edit_models import bea_dev, exported, stand_in
from emendo.errors import ServerError
from emendo.inference.editors import Editors
from emendo.inference.loading import load_editor
from emendo.serving.callers import CALLER
from emendo.serving.deadline import Deadline
from emendo.serving.scheduler import Scheduler
from serve_attack import PATIENCE, nasty_text
from serve_load import percentile

TEXTS, ATTACKS = 300, 150
FRIENDLY = 1 / 3
# Of a batch, whatever its sentences are.
OVERHEAD = 0.002
LEAVE = 1 / 6
BEGINNING = 20.0


class Recorder:
    """Notes the processor seconds of the passes of each sentence."""

    def __init__(self, bundle):
        self.editors = Editors([load_editor(bundle, cache_size=0)])
        self.level = self.editors.level()
        self.passes = {}

    def read(self, text):
        """Return the sentences of a text, after running those that are new."""
        lines = list(dict.fromkeys(self.editors.read(text).lines))
        for line in lines:
            if line not in self.passes:
                self.passes[line] = list(self.run(line))
        return lines

    def run(self, line):
        steps = self.editors.line_steps([line], self.level)
        while True:
            begin = time.process_time()
            is_over = next(steps, steps) is steps
            yield time.process_time() - begin
            if is_over:
                return

    def seconds(self, lines):
        return sum(sum(self.passes[line]) for line in lines)


class Simulation:
    """A scheduler whose network only takes time."""

    def __init__(self, passes, slower):
        self.passes, self.slower = passes, slower
        self.scheduler = Scheduler(self.run, text_of=lambda line: line.text)
        self.times, self.failed, self.attacks = [], 0, Counter()

    def run(self, lines, level):
        del level
        for number in range(longest := max(len(self.passes[line]) for line in lines)):
            own = (self.passes[line][number : number + 1] for line in lines)
            work = sum(max(0.0, seconds - OVERHEAD) for one in own for seconds in one)
            time.sleep(self.slower * (OVERHEAD + work))
            if number < longest - 1:
                yield
        return dict.fromkeys(lines, ())

    async def ask(self, caller, lines):
        CALLER.set(caller)
        begin = time.perf_counter()
        async with self.scheduler.submit(lines, level=0, deadline=Deadline.after(60)) as job:
            await job.finish()
        return time.perf_counter() - begin

    async def friendly(self, begin, lines):
        try:
            self.times.append((begin, await self.ask("friendly", lines)))
        except ServerError:
            self.failed += 1

    async def hostile(self, lines, patience):
        try:
            await asyncio.wait_for(self.ask("hostile", lines), patience)
            self.attacks["answered"] += 1
        except (TimeoutError, ServerError):
            self.attacks["not answered"] += 1

    async def load(self, texts, rate, hostile, attacks, seconds):
        """Send both kinds of texts at their rates.

        Returns:
            For each friendly request when it was sent, and how long it took.
        """
        rng, tasks, sent = random.Random(5), set(), 0
        self.times = []
        begin = time.perf_counter()
        attack_at = rng.expovariate(attacks) if attacks else seconds

        def start(work):
            tasks.add(task := asyncio.ensure_future(work))
            task.add_done_callback(tasks.discard)

        while (now := time.perf_counter() - begin) < seconds:
            while sent < now * rate:
                start(self.friendly(now, texts[sent % len(texts)]))
                sent += 1
            while attack_at < min(now, seconds):
                attack_at += rng.expovariate(attacks)
                patience = rng.uniform(0, 0.05) if rng.random() < LEAVE else PATIENCE
                start(self.hostile(rng.choice(hostile), patience))
            await asyncio.sleep(0.002)
        while tasks:
            await asyncio.wait(tasks)
        return self.times


async def simulate(recorder, texts, hostile, options):
    simulation = Simulation(recorder.passes, options.slower)
    simulation.scheduler.start()
    rate = FRIENDLY * len(texts) / sum(map(recorder.seconds, texts))
    alone = await simulation.load(texts, rate, (), 0, options.seconds / 2)
    attacked = await simulation.load(texts, rate, hostile, options.attacks, options.seconds)
    await simulation.scheduler.close()
    beginning = [(sent, took) for sent, took in attacked if sent < BEGINNING]
    alone_ms, attacked_ms, beginning_ms = (
        [percentile([took for _, took in each], share) for share in (50, 90, 99)]
        for each in (alone, attacked, beginning)
    )
    return {
        "alone_ms": alone_ms,
        "attacked_ms": attacked_ms,
        "beginning_ms": beginning_ms,
        "p99_ratio": round(attacked_ms[2] / alone_ms[2], 3),
        "failed": simulation.failed,
        "attacks": simulation.attacks,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--seconds", type=float, default=300.0, help="seconds of attacks")
    parser.add_argument("--attacks", type=float, default=2.6, help="hostile texts a second")
    parser.add_argument("--slower", type=float, default=1.0, help="factor of the times noted")
    options = parser.parse_args()
    _, raw = bea_dev(TEXTS)
    texts = [sentence.text for sentence in raw]
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        bundle = options.model or exported(stand_in(work / "model", texts), work / "bundle")
        recorder = Recorder(bundle)
        friendly = [recorder.read(text) for text in texts]
        hostile = [recorder.read(nasty_text(rng)) for _ in range(ATTACKS)]
    print(json.dumps(asyncio.run(simulate(recorder, friendly, hostile, options))))


if __name__ == "__main__":
    main()
