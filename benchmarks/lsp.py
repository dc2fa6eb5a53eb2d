"""The language server in an editor: the time from a keystroke to new diagnostics.

    python benchmarks/lsp.py [--model BUNDLE] [--backend onnx] [--precision int8] [--short]

A real client opens a Markdown file of 2,000 words (BEA-dev sentences as natural text) over standard
input and output, and types letters at random places. The time of a keystroke is from sending the
change to reading the diagnostics of that version, with the 20 ms for which the server waits for
further changes. `--model` is a bundle's folder. Without it, an untrained stand-in is measured, at a
level where it looks words up at 8 % of the slots, as network.py assumes; it edits most sentences,
and an edited sentence is run twice.

- `p50_ms`, `p99_ms`: from a keystroke to diagnostics.
- `read_p50_ms`, `network_p50_ms`: the parts of this for reading the document and for running the
  network, measured in this process on similar keystrokes.
- `cpu_p50_ms`: processor time of the server for a keystroke, which other load hardly affects.
- `latex_…`, `html_…`: the same text as LaTeX and HTML; not with `--short`.
- `start_s`: from the start of the process to the answer to `initialize`.
- `first_s`: from opening the file to all of its diagnostics, with the model loaded.
- `idle_rss_mb`: memory of the process with the model loaded, after one short sentence.

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
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from lsprotocol import types
from tests.lsp.client import UTF16, Client

from edit_models import bea_dev, exported, stand_in
from emendo import TextTokenizer, load_editor
from emendo.bundle import Level, open_bundle
from emendo.bundle.format import BALANCED, TOKENIZER
from emendo.bundle.store import set_levels
from emendo.inference import SentenceEditor
from emendo.inference.loading import open_backend
from emendo.labels import NO_LABEL

WORDS = 2000
LOOKED_UP = 0.08
SUFFIXES = {"markdown": ".md", "latex": ".tex", "html": ".html"}


def sections(texts):
    """Yield paragraphs of five sentences until there are enough words."""
    words = 0
    for k in range(0, len(texts), 5):
        paragraph = texts[k : k + 5]
        yield paragraph
        words += sum(len(text.split()) for text in paragraph)
        if words >= WORDS:
            return


def written(texts, markup):
    """Write a document with headings, emphasis, code and a list."""
    emphasis, code, heading, item, paragraph = {
        "markdown": ("**{}**", "`{}`", "## {}", "- {}", "{}"),
        "latex": ("\\textbf{{{}}}", "\\texttt{{{}}}", "\\section{{{}}}", "\\item {}", "{}"),
        "html": ("<b>{}</b>", "<code>{}</code>", "<h2>{}</h2>", "<p>{}</p>", "<p>{}</p>"),
    }[markup]
    if markup == "latex":
        texts = [text.translate({ord(c): f"\\{c}" for c in "&%$#_"}) for text in texts]
    lines = []
    for k, sentences in enumerate(sections(texts)):
        if k % 4 == 0:
            lines.append(heading.format(f"The part number {k // 4 + 1}"))
        first, *rest = " ".join(sentences).split(" ")
        body = " ".join([emphasis.format(first), *rest, code.format("some_code()")])
        lines.append((item if k % 4 == 3 else paragraph).format(body))
    return "\n\n".join(lines) + "\n"


def rss_mb(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def cpu_ms(pid):
    """Return the processor time that all threads of a process have used."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def quieten(bundle, texts):
    """Set a bundle's level so that words are looked up at 8 % of the slots."""
    config = open_bundle(bundle)
    backend = open_backend(config, backend="onnx", precision="fp32")
    tokenizer = TextTokenizer.from_file(config.file(TOKENIZER), rep_id=config.config.rep_id)
    editor = SentenceEditor(backend, tokenizer)
    margins = []
    for source in tokenizer.encode_many(texts[:40]):
        batch = editor.prepare([source])
        scores = backend.run(batch).three_way[0]
        keeps = backend.alphabet.slot_keep_ids(batch.keep_ids)[0] != NO_LABEL
        # By how much KEEP loses, where it is possible.
        margins.append((scores[:, 1:].max(-1) - scores[:, 0])[keeps])
    bias = float(np.quantile(np.concatenate(margins), 1 - LOOKED_UP))
    set_levels(bundle, {BALANCED: Level(keep_bias=max(0.0, bias))}, BALANCED)
    return bundle


def keystrokes(text, count, seed=0):
    """Yield where a letter is typed and then replaced, and the document after typing it."""
    rng = random.Random(seed)
    inside = [k for k in range(1, len(text)) if text[k - 1 : k + 1].isalpha()]
    for _ in range(count // 2):
        place = rng.choice(inside)
        yield place, place, "e", text[:place] + "e" + text[place:]
        # Another letter, so that no sentence occurs twice.
        yield place, place + 1, rng.choice("abcdfgh"), None


async def typed(client, uri, text, version, count):
    """Type, and return how long each keystroke took in ms."""
    from emendo.lsp.positions import Lines

    pid = client.protocol._server.pid
    times, spents = [], []
    for start, end, letter, _ in keystrokes(text, count):
        version += 1
        text = text[:start] + letter + text[end:]
        lines = Lines(client.texts[uri], UTF16)
        place = lines.range(start, end)
        client.texts[uri] = text
        change = types.TextDocumentContentChangePartial(place, letter)
        spent, begin = cpu_ms(pid), time.perf_counter()
        client.change(uri, version, change)
        await client.shown(uri, version)
        times.append(1000 * (time.perf_counter() - begin))
        spents.append(cpu_ms(pid) - spent)
        await asyncio.sleep(0.03)
    return times, spents


async def measure(bundle, texts, options, work):
    client = Client()
    figures = {}
    begin = time.perf_counter()
    await client.start(
        *("-m", "emendo", "lsp", "--model", bundle, "--dictionary", work / "words.txt"),
        *("--backend", options.backend, "--precision", options.precision),
        environment={"OMP_NUM_THREADS": "1"},
    )
    figures["start_s"] = time.perf_counter() - begin
    # A short text is checked as soon as the model is loaded.
    client.open("file:///warm.txt", "She is here.")
    await client.shown("file:///warm.txt", 1)
    pid = client.protocol._server.pid
    await asyncio.sleep(1)
    figures["idle_rss_mb"] = rss_mb(pid)
    count = 40 if options.short else 200
    for markup in ("markdown",) if options.short else SUFFIXES:
        text = written(texts, markup)
        uri = f"file:///document{SUFFIXES[markup]}"
        begin = time.perf_counter()
        client.open(uri, text, markup)
        await client.shown(uri, 1)
        # The first diagnostics are not complete; there are actions once they are.
        while not await client.actions(
            uri, types.Range(types.Position(0, 0), types.Position(0, 0))
        ):
            pass
        if markup == "markdown":
            figures["first_s"] = time.perf_counter() - begin
            figures["diagnostics"] = len(client.diagnostics[uri].diagnostics)
            figures["words"] = len(text.split())
        times, spents = await typed(
            client, uri, text, 1, count if markup == "markdown" else count // 4
        )
        prefix = "" if markup == "markdown" else f"{markup}_"
        figures[f"{prefix}p50_ms"] = statistics.median(times)
        figures[f"{prefix}p99_ms"] = sorted(times)[int(0.99 * (len(times) - 1))]
        figures[f"{prefix}cpu_p50_ms"] = statistics.median(spents)
        print(markup, figures, file=sys.stderr, flush=True)
    figures["loaded_rss_mb"] = rss_mb(pid)
    await client.stop()
    return figures


def in_process(bundle, texts, options):
    """Return the median times for reading the document and for the network."""
    editor = load_editor(bundle, backend=options.backend, precision=options.precision)
    text = written(texts, "markdown")
    editor.edit(text, markup="markdown")
    reads, runs = [], []
    for _, _, _, after in keystrokes(text, 40, seed=1):
        if after is None:
            continue
        begin = time.perf_counter()
        document = editor.read(after, markup="markdown")
        known = editor.remembered(document.lines)
        missing = [line for line in document.lines if line not in known]
        middle = time.perf_counter()
        editor.edit_lines(missing)
        reads.append(1000 * (middle - begin))
        runs.append(1000 * (time.perf_counter() - middle))
    return {"read_p50_ms": statistics.median(reads), "network_p50_ms": statistics.median(runs)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a bundle's folder")
    parser.add_argument("--backend", default="onnx")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--short", action="store_true", help="fewer keystrokes, for CI")
    options = parser.parse_args()
    _, raw = bea_dev(600)
    texts = [sentence.text for sentence in raw]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        bundle = options.model or quieten(
            exported(stand_in(work / "model", texts), work / "bundle"), texts
        )
        figures = asyncio.run(measure(bundle, texts, options, work))
        figures |= in_process(bundle, texts, options)
    print(json.dumps({key: round(float(value), 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
