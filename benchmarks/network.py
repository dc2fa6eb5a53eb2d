"""The network compared with its bare encoder: one inference pass and one training step.

    python benchmarks/network.py [--short] [--threads 1] [--encoder PATH]

Measures our factored head and the paper's flat softmax, in bf16, on 16 sentences of 32 tokens.
Inference is everything from token ids to greedy paths; 8 % of the slots look words up, as on real
text. A training step is forward and backward with glancing, without the optimiser. The decoder is
also timed by itself, with and without positions; its shares are of the factored head's inference.
Prints one JSON object on its last line. `--short` is what CI runs: inference alone, in single
precision on every processor, the median of several runs by processor time.
"""

from __future__ import annotations

import argparse
import copy
import json
from pathlib import Path

import numpy as np
import torch

import measure
from archives import WEIGHTS
from emendo.ctc import greedy_paths
from emendo.data.windows import edit_window
from emendo.inference import Batch
from emendo.inference.slot_scoring import score_slots
from emendo.labels import NO_LABEL
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.modeling.precision import has_quick_bf16
from emendo.text import TextTokenizer

B, N, T = 16, 32, 4
EDITED, ASKED, REACH = 0.1, 0.08, 2


def batches(vocab_size: int) -> tuple[Batch, dict[str, torch.Tensor]]:
    """Return the same sentences as an inference batch and as a training batch."""
    rng = np.random.default_rng(0)
    ids = rng.integers(1000, vocab_size - 1000, size=(B, N))
    changed = (rng.random((B, N)) < EDITED) & (rng.random((B, 1)) < 0.7)
    labels = np.where(changed, rng.integers(1000, vocab_size - 1000, size=(B, N)), ids)[:, 1:-1]
    ids[:, 0], ids[:, -1] = 0, 2
    keep_ids = ids.copy()
    keep_ids[:, [0, -1]] = NO_LABEL
    windows = [
        edit_window(k, y, reach=REACH, upsampling=T) for k, y in zip(keep_ids, labels, strict=True)
    ]
    batch = Batch(ids, np.ones_like(ids), keep_ids)
    training = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "keep_ids": keep_ids,
        "labels": labels.copy(),
        "lexical_mask": np.stack(windows).astype(np.int64),
    }
    return batch, {name: torch.from_numpy(values) for name, values in training.items()}


def ask_for_words(model: CopyCTCForEditing) -> None:
    """Make a fixed share of the slots prefer ADD, as edits in real text would."""
    generator = torch.Generator().manual_seed(1)
    asked = torch.rand((B, N * T), generator=generator) < ASKED
    push = torch.zeros(B, N * T, 3)
    push[..., 2] = 20.0 * asked
    if model.config.head == "flat":
        # There ADD's score is that of the words, so lower KEEP's and BLANK's instead.
        push = -20.0 * asked.unsqueeze(-1).expand(-1, -1, 2).float()
    model.model.three_way.register_forward_hook(lambda _module, _in, out: out + push.to(out.dtype))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer repeats, for CI")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--encoder", type=Path, default=WEIGHTS / "granite-embedding-30m-english")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    tokenizer = TextTokenizer.from_file(options.encoder / "tokenizer.json")
    batch, training = batches(tokenizer.vocab_size)

    inference, steps = {}, {}
    for head in ("factored", "flat"):
        model = CopyCTCForEditing.from_encoder(options.encoder, tokenizer, head=head)
        step = {name: values for name, values in training.items() if name != "lexical_mask"}
        steps[head] = _training_step(model, step)
        if head == "factored":
            steps["restricted"] = _training_step(model, training)
            steps["encoder"] = _encoder_step(model, training)
        quick = model
        if not options.short:
            quick = CopyCTCForEditing.from_encoder(options.encoder, tokenizer, head=head)
            quick = quick.to(torch.bfloat16 if has_quick_bf16() else torch.float32)
        quick.eval()
        ask_for_words(quick)
        backend = TorchBackend(quick)
        inference[head] = lambda backend=backend: greedy_paths(
            score_slots(backend, batch, backend.run(batch))
        )
        if head == "factored":
            inference["encoder"] = _encoder_pass(quick, training)
            decoders = _decoder_passes(quick, training)

    if options.short:
        infer = measure.median_cpu_seconds(inference, 3)
        # The differences are a few per cent, so there are more runs, which are short.
        decode = measure.median_cpu_seconds(decoders, 15)
    else:
        infer = measure.interleaved_seconds(inference, 30)
        decode = measure.interleaved_seconds(decoders, 60)
    rest = infer["factored"] - decode["with"]
    result = {
        "infer_flat_ratio": infer["flat"] / infer["encoder"],
        "infer_factored_ratio": infer["factored"] / infer["encoder"],
        "decoder_share": decode["with"] / infer["factored"],
        "decoder_share_without_positions": decode["without"] / (rest + decode["without"]),
        "decoder_ratio_with_positions": decode["with"] / decode["without"],
        # Measured alone, because the noise of a whole decoder is larger than their time.
        "positions_ratio": decode["positions"] / decode["without"],
        "encoder_infer_ms": 1000 * infer["encoder"],
        "threads": options.threads,
    }
    if not options.short:
        train = measure.interleaved_seconds(steps, 8)
        result |= {
            f"train_{name}_ratio": train[name] / train["encoder"]
            for name in ("flat", "factored", "restricted")
        }
        result["encoder_train_ms"] = 1000 * train["encoder"]
    print(json.dumps({k: round(v, 3) for k, v in result.items()}))


def _training_step(model, batch):
    def step():
        model.train()
        model.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=has_quick_bf16()):
            loss = model(**batch).loss
        loss.backward()

    return step


def _encoder_step(model, batch):
    encoder = model.model.encoder

    def step():
        encoder.train()
        encoder.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=has_quick_bf16()):
            states = encoder(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])[
                0
            ]
        states.float().square().mean().backward()

    return step


def _encoder_pass(model, batch):
    encoder = model.model.encoder.eval()

    def run():
        with torch.inference_mode():
            encoder(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])

    return run


def _decoder_passes(model, batch):
    """Return runs of the decoder, of its layers without positions, and of positions alone."""
    mask = batch["attention_mask"] != 0
    with torch.inference_mode():
        states = model.model.encode(batch["input_ids"], batch["attention_mask"])
        slots = model.model.upsampler(states)
    placed = model.model.decoder
    plain = copy.copy(placed)
    plain._modules = {**placed._modules, "positions": None}

    def run(part, *inputs):
        with torch.inference_mode():
            part(slots, states, *inputs)

    return {
        "with": lambda: run(placed, mask),
        "without": lambda: run(plain, mask),
        "positions": lambda: run(placed.positions),
    }


if __name__ == "__main__":
    main()
