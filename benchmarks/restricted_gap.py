"""The gap between the restricted loss and the exact likelihood on real pairs.

    python benchmarks/restricted_gap.py [--steps 200] [--threads 2]

Trains the real encoder for a few minutes with the restricted loss on learner sentences
(wi+locness; the weights are thrown away), and measures both losses on held-out sentences before and
after. Prints one JSON object on its last line: nats per label, by the number of tokens around a
change that may add words.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter

import torch

from archives import WEIGHTS, unpacked
from emendo import TextTokenizer
from emendo.data.collator import PairCollator
from emendo.data.encoding import PairEncoder
from emendo.modeling import CopyCTCForEditing
from emendo.modeling.precision import has_quick_bf16
from emendo.text import read_m2

T, TRAIN_REACH = 4, 2
REACHES = (1, 2, 4, 8)
HELD_OUT, BATCH = 256, 16


def encoded_pairs(tokenizer, name, count):
    """Read pairs of a file that are neither long nor empty, in random order."""
    path = unpacked("evaluation-only") / "wi+locness" / name
    with path.open(encoding="utf-8") as lines:
        pairs = [sentence.pair() for sentence in read_m2(lines)]
    random.Random(0).shuffle(pairs)
    refused = Counter()
    encoded = list(PairEncoder(tokenizer, T, max_tokens=48).encode(pairs, refused))[:count]
    print(f"{name}: {len(encoded)} pairs, refused {dict(refused)}", flush=True)
    return encoded


@torch.no_grad()
def losses(model, pairs, pad_id):
    """Return nats per label, exact and restricted, and the share of slots that may add words."""
    model.eval()
    pairs = sorted(pairs, key=lambda pair: len(pair.ids))
    total = {"exact": 0.0, **{f"reach {k}": 0.0 for k in REACHES}}
    share = dict.fromkeys(REACHES, 0.0)
    labels = tokens = 0
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        labels += sum(len(pair.labels) for pair in batch)
        tokens += sum(len(pair.ids) for pair in batch)
        exact = PairCollator(pad_id, T)(batch)
        total["exact"] += model(**exact, num_items_in_batch=1).loss.item()
        for reach in REACHES:
            restricted = PairCollator(pad_id, T, reach)(batch)
            share[reach] += restricted["lexical_mask"].sum().item()
            output = model(**restricted, num_items_in_batch=1)
            assert output.unfit == 0, "the window always leaves a path"
            total[f"reach {reach}"] += output.loss.item()
    exact = total["exact"] / labels
    return {
        "exact_nats": exact,
        "gap_nats": {k: total[f"reach {k}"] / labels - exact for k in REACHES},
        "slot_share": {k: share[k] / tokens for k in REACHES},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    encoder = WEIGHTS / "granite-embedding-30m-english"
    tokenizer = TextTokenizer.from_file(encoder / "tokenizer.json")
    train = encoded_pairs(tokenizer, "B.train.gold.bea19.m2", options.steps * BATCH)
    held_out = encoded_pairs(tokenizer, "B.dev.gold.bea19.m2", HELD_OUT)
    model = CopyCTCForEditing.from_encoder(encoder, tokenizer)
    result = {"new": losses(model, held_out, tokenizer.pad_id)}
    print(json.dumps(result), flush=True)

    model.get_input_embeddings().weight.requires_grad_(False)
    body = set(model.model.encoder.parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in body if p.requires_grad], "lr": 5e-5},
            {"params": [p for p in model.parameters() if p not in body], "lr": 5e-4},
        ],
        betas=(0.9, 0.9),
    )
    collate = PairCollator(tokenizer.pad_id, T, TRAIN_REACH)
    start = time.perf_counter()
    for step in range(options.steps):
        model.train()
        batch = [train[(step * BATCH + k) % len(train)] for k in range(BATCH)]
        with torch.autocast("cpu", torch.bfloat16, enabled=has_quick_bf16()):
            loss = model(**collate(batch)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 20 == 0:
            print(
                f"step {step}: {loss.item():.3f}, {time.perf_counter() - start:.0f} s", flush=True
            )
    result[f"after {options.steps} steps"] = losses(model, held_out, tokenizer.pad_id)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
