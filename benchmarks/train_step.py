"""A real training step compared with the forward and backward pass of the bare encoder.

    python benchmarks/train_step.py [--short] [--threads 1] [--profile] [--encoder PATH]

Real pairs (doc-typo-fixes), in batches of similar length and at most 2,048 padded source tokens;
T = 4, bf16 by autocast. A step is everything the Trainer does: the forward pass with glancing and
source dropout, the loss, the backward pass with the gradient of all embeddings, clipping, and
AdamW. "exact" may add words everywhere, "restricted" within 2 tokens of a change. The network is
first trained for some steps, so that it does not behave like a new one.

The baseline is forward and backward of the same batches through the encoder as `AutoModel` loads
it, with dropout and the gradient of its embeddings, without an optimiser. `restricted_ratio` and
`exact_ratio` are the time of a step divided by this baseline; `own_encoder_ratio` is that of the
encoder as emendo sets it up for training (docs/decisions/0007). With DeBERTa, `attention_speedup`
is the time of a restricted step with transformers' own attention divided by that with emendo's;
`stock_attention_tokens_per_s` is the speed of the former. Prints one JSON object on its last line;
`--profile` prints where the time of a step goes before it. `--short` is what CI runs: one batch of
512 tokens, single precision on every processor, and the median of three runs by processor time.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from functools import partial, wraps
from pathlib import Path

import torch
from transformers import AutoModel

import measure
from archives import WEIGHTS, unpacked
from emendo import EditPair, TextTokenizer
from emendo.data.collator import PairCollator
from emendo.data.encoding import PairEncoder
from emendo.modeling import CopyCTCForEditing, editing
from emendo.modeling.encoder import _without_pooler
from emendo.modeling.precision import has_quick_bf16
from stock_attention import with_stock_attention

T, REACH = 4, 2
BUDGET, SHORT_BUDGET = 2048, 512
PAIRS = 6000


def encoded_pairs(tokenizer):
    path = unpacked("permissive-pairs") / "doc-typo-fixes/en.ccby.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    random.Random(0).shuffle(lines)
    pairs = [EditPair(*line.split("\t")[:2]) for line in lines[:PAIRS]]
    refused = Counter()
    encoded = list(PairEncoder(tokenizer, T, max_tokens=256).encode(pairs, refused))
    print(f"{len(encoded)} pairs, refused {dict(refused)}", flush=True)
    return encoded


def batches(pairs, budget):
    """Put pairs of similar length into batches within the budget, from short to long."""
    groups, group = [], []
    for pair in sorted(pairs, key=lambda pair: len(pair.ids)):
        if (len(group) + 1) * len(pair.ids) > budget:
            groups.append(group)
            group = []
        group.append(pair)
    return groups


def optimizer_of(model):
    body = set(model.model.encoder.parameters())
    groups = [
        {"params": list(body), "lr": 5e-5},
        {"params": [p for p in model.parameters() if p not in body], "lr": 5e-4},
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.9), fused=True)


def training_step(model, optimizer, batch, watch=None, *, is_bf16):
    """Do what the Trainer does with a batch."""
    model.train()
    with torch.autocast("cpu", torch.bfloat16, enabled=is_bf16):
        loss = model(**batch).loss
    if watch:
        watch.mark("other forward")
    loss.backward()
    if watch:
        watch.mark("encoder")
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if watch:
        watch.mark("clipping and optimiser")


def encoder_step(encoder, batch, *, is_bf16):
    encoder.train()
    ids, mask = batch["input_ids"], batch["attention_mask"]
    with torch.autocast("cpu", torch.bfloat16, enabled=is_bf16):
        states = encoder(input_ids=ids, attention_mask=mask)[0]
    states.float().square().mean().backward()
    encoder.zero_grad(set_to_none=True)


def frozen_step(model, optimizer, batch, *, is_bf16):
    """Make a step that does not change the embeddings."""
    weight = model.get_input_embeddings().weight.requires_grad_(False)
    training_step(model, optimizer, batch, is_bf16=is_bf16)
    weight.requires_grad_(True)


class Stopwatch:
    """Measures where the time of a step goes, at the transitions between its parts.

    Each part of the network runs once without a gradient, for glancing, and once with. In the
    backward pass the time since the last mark belongs to the part whose input the gradient reaches.
    """

    def __init__(self, model):
        self.seconds = Counter()
        self._last = 0.0
        for owner, name, part in (
            (model.model, "encode", "encoder"),
            (model.model.upsampler, "forward", "upsampling"),
            (model.model.decoder, "forward", "decoder"),
            (model.model.three_way, "forward", "three-way"),
            (editing, "lexical_scores", "lexical scores"),
            (editing, "ctc_loss", "CTC"),
            (editing, "best_columns", "Viterbi"),
            (model, "guess", "greedy path"),
        ):
            setattr(owner, name, self._timed(getattr(owner, name), part))

    def start(self):
        """Start a step."""
        self._last = time.perf_counter()

    def mark(self, part):
        """Count the time since the last mark for a part."""
        now = time.perf_counter()
        self.seconds[part] += now - self._last
        self._last = now

    def _timed(self, work, part):
        @wraps(work)
        def run(*arguments, **options):
            self.mark("other forward")
            result = work(*arguments, **options)
            is_glancing = not torch.is_grad_enabled()
            self.mark(f"glancing: {part}" if is_glancing else part)
            if not is_glancing:
                self._mark_gradient(part, arguments, result)
            return result

        return run

    def _mark_gradient(self, part, arguments, result):
        """Mark the time when the gradient reaches the start of a part."""
        before = {
            "upsampling": "decoder",
            "encoder": "upsampling",
            "decoder": "lexical scores",
            "lexical scores": "CTC",
        }.get(part)
        if before:
            tensor = result.normalizer if part == "lexical scores" else result
            tensor.register_hook(lambda _: self.mark(f"{before}, backward"))


def profile(model, optimizer, step_batches):
    watch = Stopwatch(model)
    for batch in step_batches:
        watch.start()
        training_step(model, optimizer, batch, watch, is_bf16=has_quick_bf16())
    total = sum(watch.seconds.values())
    for part, seconds in watch.seconds.most_common():
        print(f"{part:32s} {seconds / len(step_batches) * 1e3:7.0f} ms {seconds / total:6.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer batches and repeats, for CI")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--profile", action="store_true", help="print where a step's time goes")
    parser.add_argument("--encoder", type=Path, default=WEIGHTS / "granite-embedding-30m-english")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    tokenizer = TextTokenizer.from_file(options.encoder / "tokenizer.json")
    groups = batches(encoded_pairs(tokenizer), SHORT_BUDGET if options.short else BUDGET)
    precision = {"is_bf16": has_quick_bf16() and not options.short}
    # Batches of all lengths: the middle one of each of `count` equal parts of the data.
    count = 1 if options.short else 5
    measured = [groups[len(groups) * (2 * k + 1) // (2 * count)] for k in range(count)]
    collate = {
        "exact": PairCollator(tokenizer.pad_id, T),
        "restricted": PairCollator(tokenizer.pad_id, T, REACH),
    }
    model = CopyCTCForEditing.from_encoder(options.encoder, tokenizer)
    optimizer = optimizer_of(model)
    for group in random.Random(0).sample(groups, 2 if options.short else 40):
        training_step(model, optimizer, collate["restricted"](group), **precision)

    stock = _without_pooler(AutoModel.from_pretrained, options.encoder, dtype=torch.float32)
    slow = with_stock_attention(model)
    slow_optimizer = slow and optimizer_of(slow)
    works = {}
    for place, group in enumerate(measured):
        batch = {name: collated(group) for name, collated in collate.items()}
        works["encoder", place] = partial(encoder_step, stock, batch["exact"], **precision)
        for name in collate:
            works[name, place] = partial(training_step, model, optimizer, batch[name], **precision)
        if slow:
            works["stock_attention", place] = partial(
                training_step, slow, slow_optimizer, batch["restricted"], **precision
            )
        if not options.short:
            works["own_encoder", place] = partial(
                encoder_step, model.model.encoder, batch["exact"], **precision
            )
            works["frozen", place] = partial(
                frozen_step, model, optimizer, batch["restricted"], **precision
            )
    if options.short:
        taken = measure.median_cpu_seconds(works, 3)
    else:
        taken = measure.interleaved_seconds(works, 6)
    times = Counter()
    for (name, _), seconds in taken.items():
        times[name] += seconds
    if options.profile:
        for name, collated in collate.items():
            print(name)
            profile(model, optimizer, [collated(group) for group in measured])
    tokens = sum(len(pair.ids) for group in measured for pair in group)
    result = {
        "exact_ratio": times["exact"] / times["encoder"],
        "restricted_ratio": times["restricted"] / times["encoder"],
        "tokens_per_s": tokens / times["restricted"],
        "exact_tokens_per_s": tokens / times["exact"],
        "encoder_tokens_per_s": tokens / times["encoder"],
        "threads": options.threads,
    }
    if slow:
        result["attention_speedup"] = times["stock_attention"] / times["restricted"]
        result["stock_attention_tokens_per_s"] = tokens / times["stock_attention"]
    if not options.short:
        result["frozen_embeddings_ratio"] = times["frozen"] / times["encoder"]
        result["own_encoder_ratio"] = times["own_encoder"] / times["encoder"]
    print(json.dumps({k: round(v, 3) for k, v in result.items()}))


if __name__ == "__main__":
    main()
