"""Editing compared with the bare encoder and with an autoregressive Transformer, from text to text.

    python benchmarks/edit_speed.py [--model FOLDER [--bundle FOLDER]]
        [--short | --torch] [--threads 1]

BEA-dev sentences as natural text, with confidences. `--model` is a trained model's folder. Without
it, an untrained stand-in shows only that everything runs: its figures are meaningless, because the
cost depends on the number of edits.

- `ort_ratio`, `openvino_ratio`: the time of one round in batches of 32, divided by that of the bare
  encoder in the same engine on the same token ids (ONNX Runtime in fp32, OpenVINO in bf16 if the
  processor has it).
- `second_round_ratio`: the time that a second round adds, divided by that of the first;
  `share_changed` is the share of sentences that it reads.
- `torch_vs_ar_*`, `ort_vs_ar_*`, `openvino_vs_ar_*`: the time of an autoregressive Transformer,
  divided by that of editing in two rounds, both in the named engine; one sentence at a time. The
  Transformer has the encoder's width and twice its layers, for the encoder and the decoder, and a
  cache of keys and values (autoregression.py). It writes as many tokens as the source has, in torch
  by `generate` of transformers. fp32, and bf16 in OpenVINO if the processor has it.
- `ort_vs_torch_ar_*`: editing in ONNX Runtime against the Transformer in torch.
- `*_batch_vs_*`: the same for 32 sentences at a time; not with `--short`.
- `attention_speedup`, `single_attention_speedup`: with DeBERTa, the time of the encoder with
  transformers' own attention, divided by that with emendo's, in torch; in batches and one sentence
  at a time.
- `p50_ms`, `p99_ms`: the time of single sentences in two rounds with ONNX Runtime in fp32, over 250
  sentences; `openvino_p50_ms`: the same with OpenVINO.
- `startup_s`, `rss_mb`: `emendo edit` with int8 in a new environment that has only `emendo[edit]`:
  the time from the start of the process to the end of the first sentence, and the peak memory for
  all sentences; `install_mb`: the size of that environment on disk.

`--torch` is what CI runs: torch alone, without a bundle, on 64 sentences, the median of three runs
by processor time. It prints `torch_ratio`, one round divided by the bare encoder in torch, and
`torch_vs_ar_greedy`.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np
import torch

import measure
from archives import ROOT
from autoregression import GraphGeneration, autoregressive, generate, write_graphs
from edit_models import bea_dev, exported, only_int8, stand_in
from emendo import TextTokenizer
from emendo.bundle import open_bundle
from emendo.export.onnx import write_graph
from emendo.inference import Batch, SentenceEditor
from emendo.inference.loading import BF16, FP32, ONNX, OPENVINO, open_backend
from emendo.inference.onnx_backend import OnnxGraph
from emendo.inference.openvino_backend import OpenVinoGraph, has_bf16
from emendo.modeling import CopyCTCForEditing, TorchBackend
from stock_attention import with_stock_attention

BATCH = 32
BEAMS = 12
# In an intermediate process: a child's peak starts at that of its parent, and this one is large.
MOST_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


class BareEncoder(torch.nn.Module):
    """The encoder by itself, exported in the same way as the network."""

    def __init__(self, model):
        super().__init__()
        self.encoder = model.model.encoder

    def forward(self, input_ids, attention_mask):
        """Return the states of the tokens."""
        return self.encoder(input_ids=input_ids, attention_mask=attention_mask)[0]


def write_encoder(model, path):
    ids = torch.full((3, 7), model.config.mask_id)
    shape = {0: torch.export.Dim("sentences", min=1), 1: torch.export.Dim("tokens", min=2)}
    write_graph(
        BareEncoder(model),
        path,
        {"input_ids": (ids, shape), "attention_mask": (torch.ones_like(ids), shape)},
        ["states"],
    )


def graph_engines(threads):
    """Return the precision of each engine, and what opens a graph in it."""
    is_bf16 = has_bf16()
    return {
        ONNX: (FP32, lambda path: OnnxGraph(path, threads=threads)),
        OPENVINO: (
            BF16 if is_bf16 else FP32,
            lambda path: OpenVinoGraph(path, threads=threads, is_bf16=is_bf16),
        ),
    }


def ratios(bundle, model, tokenizer, texts, groups, options, work):
    """Compare one round and two with the bare encoder, in both engines."""
    write_encoder(model, work / "encoder.onnx")
    engines = {
        name: (precision, open_graph(work / "encoder.onnx"))
        for name, (precision, open_graph) in graph_engines(options.threads).items()
    }
    batches = [Batch.of(tokenizer.encode_many(group), tokenizer.pad_id) for group in groups]
    works, editors = {}, {}
    for name, (kind, encoder) in engines.items():
        backend = open_backend(bundle, backend=name, precision=kind, threads=options.threads)
        # A group is a batch: the token budget must not split it.
        one, two = (
            SentenceEditor(backend, tokenizer, rounds=rounds, batch_tokens=10**6)
            for rounds in (1, 2)
        )
        editors[name] = two
        works[name, "encoder"] = lambda encoder=encoder: [
            encoder(batch.input_ids, batch.attention_mask) for batch in batches
        ]
        works[name, 1] = lambda one=one: [one.edit_sentences(group) for group in groups]
        works[name, 2] = lambda two=two: [two.edit_sentences(group) for group in groups]
    times = measure.interleaved_seconds(works, 2 if options.short else 4)
    one = SentenceEditor(
        open_backend(bundle, backend=ONNX, precision=FP32), tokenizer, rounds=1, batch_tokens=10**6
    )
    changed = sum(bool(e.edits) for group in groups for e in one.edit_sentences(group))
    return editors, {
        "ort_ratio": times[ONNX, 1] / times[ONNX, "encoder"],
        "openvino_ratio": times[OPENVINO, 1] / times[OPENVINO, "encoder"],
        "second_round_ratio": times[ONNX, 2] / times[ONNX, 1] - 1,
        "openvino_second_round_ratio": times[OPENVINO, 2] / times[OPENVINO, 1] - 1,
        "share_changed": changed / len(texts),
        "openvino_speedup": times[ONNX, 1] / times[OPENVINO, 1],
        "ort_sentences_per_s": len(texts) / times[ONNX, 1],
        "openvino_sentences_per_s": len(texts) / times[OPENVINO, 1],
        "encoder_sentences_per_s": len(texts) / times[ONNX, "encoder"],
    }


def attention_speedups(model, tokenizer, texts, groups, options):
    """Return how much faster emendo's attention for DeBERTa is than transformers'."""
    stock = with_stock_attention(model)
    if stock is None:
        return {}
    works = {}
    parts = {
        "attention_speedup": groups,
        "single_attention_speedup": [[text] for text in texts[:60]],
    }
    for name, parted in parts.items():
        batches = [Batch.of(tokenizer.encode_many(part), tokenizer.pad_id) for part in parted]
        for kind, each in (("own", model), ("stock", stock)):
            works[name, kind] = lambda each=each, batches=batches: encode(each, batches)
    times = measure.interleaved_seconds(works, 2 if options.short else 4)
    return {name: times[name, "stock"] / times[name, "own"] for name in parts}


def encode(model, batches):
    with torch.inference_mode():
        for batch in batches:
            model.model.encoder(
                input_ids=torch.from_numpy(batch.input_ids),
                attention_mask=torch.from_numpy(batch.attention_mask),
            )


def against_autoregression(editors, model, tokenizer, texts, groups, options, work):
    """Compare editing with autoregression in three engines, one sentence at a time and 32."""
    transformer = autoregressive(model.config)
    paths = write_graphs(transformer, work, BEAMS)
    ours = {
        "torch": SentenceEditor(TorchBackend(model), tokenizer, batch_tokens=10**6),
        "ort": editors[ONNX],
        "openvino": editors[OPENVINO],
    }
    opened = graph_engines(options.threads)
    theirs = {"torch": lambda batch, beams: generate(transformer, batch, beams)} | {
        name: GraphGeneration(*map(opened[engine][1], paths)).generate
        for name, engine in (("ort", ONNX), ("openvino", OPENVINO))
    }
    kinds = {"": [[text] for text in texts]} | ({} if options.short else {"_batch": groups})
    works = {}
    for kind, parts in kinds.items():
        batches = [Batch.of(tokenizer.encode_many(part), tokenizer.pad_id) for part in parts]
        for name, editor in ours.items():
            works["edit", name, kind] = lambda editor=editor, parts=parts: [
                editor.edit_sentences(part) for part in parts
            ]
            for beams in (1, BEAMS):
                works[beams, name, kind] = lambda batches=batches, beams=beams, name=name: [
                    theirs[name](batch, beams) for batch in batches
                ]
    times = measure.interleaved_seconds(works, 1 if options.short else 2)
    pairs = [(name, "", name) for name in ours] + [("ort", "torch_", "torch")]
    return {
        f"{engine}{kind}_vs_{prefix}ar_{decoding}": (
            times[beams, other, kind] / times["edit", engine, kind]
        )
        for beams, decoding in ((1, "greedy"), (BEAMS, f"beam{BEAMS}"))
        for engine, prefix, other in pairs
        for kind in kinds
    }


def torch_alone(model, tokenizer, texts):
    """Compare editing, the bare encoder and autoregression, all in torch, for CI."""
    groups = [texts[k : k + BATCH] for k in range(0, len(texts), BATCH)]
    batches = [Batch.of(tokenizer.encode_many(group), tokenizer.pad_id) for group in groups]
    few = texts[len(texts) // 4 :: len(texts) // 4]
    singles = [Batch.of(tokenizer.encode_many([text]), tokenizer.pad_id) for text in few]
    one, two = (
        SentenceEditor(TorchBackend(model), tokenizer, rounds=rounds, batch_tokens=10**6)
        for rounds in (1, 2)
    )
    transformer = autoregressive(model.config)
    times = measure.median_cpu_seconds(
        {
            "encoder": lambda: encode(model, batches),
            "editor": lambda: [one.edit_sentences(group) for group in groups],
            "single": lambda: [two.edit_sentences([text]) for text in few],
            "greedy": lambda: [generate(transformer, batch, 1) for batch in singles],
        },
        3,
    )
    return {
        "torch_ratio": times["editor"] / times["encoder"],
        "torch_vs_ar_greedy": times["greedy"] / times["single"],
    }


def latencies(editor, texts):
    """Return p50 and p99 of single sentences in milliseconds, each the better of two runs."""
    # Garbage collection over everything that torch has loaded takes longer than a sentence.
    gc.freeze()
    best = []
    for text in texts:
        best.append(1000 * measure.seconds(lambda text=text: editor.edit_sentences([text]), 2))
    return np.percentile(best, [50, 99])


def installed(bundle, texts, work):
    """Measure `emendo edit` as a user has it: in a new environment, with int8 graphs only."""
    environment = work / "venv"
    venv.create(environment, with_pip=True)
    python = str(environment / "bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "install", f"{ROOT}[edit]"], check=True)
    # The installers are not counted.
    subprocess.run([*pip, "uninstall", "-y", "setuptools", "pip"], check=True)
    size = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file())
    small = only_int8(bundle, work / "int8")
    page = work / "page.txt"
    page.write_text("\n\n".join(texts), encoding="utf-8")
    command = [str(environment / "bin/emendo"), "edit", "--model", str(small)]
    starts = []
    for _ in range(4):
        start = time.perf_counter()
        subprocess.run(
            command, input=b"She like it.", check=True, stdout=subprocess.DEVNULL, env=_one_thread()
        )
        starts.append(time.perf_counter() - start)
    used = subprocess.run(
        [python, "-c", MOST_MEMORY, *command, str(page)],
        check=True,
        capture_output=True,
        text=True,
        env=_one_thread(),
    )
    return {
        "startup_s": statistics.median(starts[1:]),
        "rss_mb": int(used.stdout) / 1024,
        "install_mb": size / 1e6,
        "bundle_mb": sum(path.stat().st_size for path in small.iterdir()) / 1e6,
    }


def _one_thread():
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a trained model's folder")
    parser.add_argument("--bundle", type=Path, help="its bundle, with int8; default: export one")
    parser.add_argument("--short", action="store_true", help="fewer sentences")
    parser.add_argument("--torch", action="store_true", help="torch alone, for CI")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.bundle and not options.model:
        parser.error("--bundle needs the --model it was exported from")
    torch.set_num_threads(options.threads)
    _, raw = bea_dev(64 if options.torch else 128 if options.short else 1000)
    texts = sorted((sentence.text for sentence in raw), key=len)
    few = texts[:: len(texts) // (5 if options.short else 40)]
    groups = [texts[k : k + BATCH] for k in range(0, len(texts), BATCH)]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        folder = options.model or stand_in(work / "model", texts)
        if options.torch:
            folder = folder / "model" if (folder / "model").is_dir() else folder
            tokenizer = TextTokenizer.from_file(folder / "tokenizer.json")
            model = CopyCTCForEditing.from_pretrained(folder).eval()
            figures = torch_alone(model, tokenizer, texts)
            print(json.dumps({key: round(value, 3) for key, value in figures.items()}))
            return
        bundle = open_bundle(options.bundle or exported(folder, work / "bundle"))
        folder = folder / "model" if (folder / "model").is_dir() else folder
        tokenizer = TextTokenizer.from_file(bundle.folder / "tokenizer.json")
        model = CopyCTCForEditing.from_pretrained(folder).eval()
        editors, figures = ratios(bundle, model, tokenizer, texts, groups, options, work)
        print(figures, file=sys.stderr, flush=True)
        figures |= attention_speedups(model, tokenizer, texts, groups, options)
        some = texts[:: 1 if options.short else 4]
        figures["p50_ms"], figures["p99_ms"] = latencies(editors[ONNX], some)
        figures["openvino_p50_ms"], figures["openvino_p99_ms"] = latencies(editors[OPENVINO], some)
        middle = groups[len(groups) // 2 : len(groups) // 2 + 1]
        figures |= against_autoregression(editors, model, tokenizer, few, middle, options, work)
        print(figures, file=sys.stderr, flush=True)
        figures |= installed(bundle, texts, work)
    print(json.dumps({key: round(float(value), 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
