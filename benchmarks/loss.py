"""The loss: fused against unfused, CTC kernels against a loop, restricted against exact.

    python benchmarks/loss.py [--short] [--threads 1]

Prints one JSON object on its last line. Every comparison is between two ways of doing the same
work in this run; memory is measured in a separate process. `--short` is what CI runs: fewer
sentences, single precision on every processor, and the median of three runs by processor time.
"""

from __future__ import annotations

import argparse
import json
from functools import partial

import numpy as np
import torch

import measure
from emendo.data.windows import edit_window
from emendo.labels import NO_LABEL
from emendo.modeling.ctc_loss import Targets, ctc_loss, folded_emissions, three_way_log_probs
from emendo.modeling.lexicon import Words, lexical_scores, plain_lexical_scores
from emendo.modeling.precision import has_quick_bf16

N, T = 32, 4
# Sentences: 2,048 source tokens, as in a step of training; fewer in the short form.
BATCH, SHORT_BATCH = 64, 8
EDITED = 0.1
# The scores of a new network: KEEP, BLANK, ADD.
HEAD_START = (6.0, 2.0, 0.0)


class Problem:
    """Source tokens, a tenth of them edited, and random slot states over them."""

    def __init__(self, width: int, vocab_size: int, batch: int, *, is_bf16: bool) -> None:
        self.is_bf16 = is_bf16
        rng = np.random.default_rng(0)
        torch.manual_seed(0)
        keep_ids = rng.integers(0, vocab_size, size=(batch, N))
        labels = np.where(
            rng.random((batch, N)) < EDITED, rng.integers(0, vocab_size, (batch, N)), keep_ids
        )
        keep_ids[:, [0, -1]] = NO_LABEL
        labels = labels[:, 1:-1]
        self.pairs = list(zip(keep_ids, labels, strict=True))
        self.slot_keep_ids = torch.from_numpy(keep_ids).repeat_interleave(T, dim=1)
        self.targets = Targets.of(torch.from_numpy(labels.copy()))
        self.lengths = torch.full((batch,), N * T)
        self.rows = torch.arange(batch * N * T)
        self.weight = (torch.randn(vocab_size, width) * 1.5 / width**0.5).requires_grad_()
        self.bias = torch.zeros(vocab_size, requires_grad=True)
        self.queries = torch.randn(batch * N * T, width).requires_grad_()
        noise = 0.3 * torch.randn(batch, N * T, 3)
        self.three_way = (noise + torch.tensor(HEAD_START)).requires_grad_()

    def step(self, scores_of, rows=None):
        """Return loss and gradients, as a training step computes them."""
        rows = self.rows if rows is None else rows
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_bf16):
            scores = scores_of(
                self.queries[rows],
                Words.of(self.weight, self.bias),
                self.targets.labels,
                rows // (N * T),
            )
        three_way = three_way_log_probs(self.three_way, self.slot_keep_ids)
        emissions = folded_emissions(three_way, scores, rows, self.slot_keep_ids, self.targets)
        losses, _ = ctc_loss(emissions, self.targets, self.lengths)
        loss = losses.sum() / self.targets.lengths.sum()
        leaves = [self.queries, self.weight, self.bias, self.three_way]
        return loss, torch.autograd.grad(loss, leaves)

    def restricted_rows(self, reach: int):
        """Slots within a few tokens of a change."""
        windows = [edit_window(k, y, reach=reach, upsampling=T) for k, y in self.pairs]
        return torch.from_numpy(np.stack(windows).repeat(T, axis=1)).flatten().nonzero().squeeze(1)


def fused(*arguments, tail=1e-3):
    return lexical_scores(*arguments, tail=tail)


def exact(*arguments):
    return lexical_scores(*arguments, tail=0.0)


WAYS = {"fused": fused, "exact": exact, "plain": plain_lexical_scores}


def loop_ctc(emissions, targets, lengths):
    """The same dynamic programme as a Python loop over slots, vectorised over the batch."""
    count, width = targets.columns.shape
    states = targets.columns.new_zeros((count, 2 * width + 1))
    states[:, 1::2] = targets.columns
    may_skip = torch.zeros_like(states, dtype=torch.bool)
    may_skip[:, 3::2] = targets.columns[:, 1:] != targets.columns[:, :-1]
    scores = emissions.gather(2, states.unsqueeze(1).expand(-1, emissions.shape[1], -1))
    alpha = torch.full_like(scores[:, 0], -1e30)
    alpha[:, 0] = 0.0
    for slot in range(emissions.shape[1]):
        one = torch.nn.functional.pad(alpha, (1, 0), value=-1e30)[:, :-1]
        two = torch.nn.functional.pad(alpha, (2, 0), value=-1e30)[:, :-2]
        two = two.masked_fill(~may_skip, -1e30)
        alpha = torch.stack([alpha, one, two]).logsumexp(dim=0) + scores[:, slot]
    last = (2 * targets.lengths).unsqueeze(1)
    return -torch.cat([alpha.gather(1, last), alpha.gather(1, last - 1)], 1).logsumexp(dim=1)


def dynamic_programme(batch: int, time_all) -> dict[str, float]:
    problem = Problem(8, 1000, batch, is_bf16=False)
    three_way = three_way_log_probs(problem.three_way, problem.slot_keep_ids).detach()
    scores = plain_lexical_scores(
        problem.queries,
        Words.of(problem.weight, problem.bias),
        problem.targets.labels,
        problem.rows // (N * T),
    )
    emissions = (
        folded_emissions(three_way, scores, problem.rows, problem.slot_keep_ids, problem.targets)
        .detach()
        .requires_grad_()
    )

    def run(loss_of):
        loss = loss_of(emissions, problem.targets, problem.lengths)
        loss = loss[0] if isinstance(loss, tuple) else loss
        return loss.detach(), torch.autograd.grad(loss.sum(), emissions)[0]

    (kernel, kernel_gradient), (loop, loop_gradient) = run(ctc_loss), run(loop_ctc)
    assert torch.allclose(kernel, loop, rtol=1e-4)
    assert torch.allclose(kernel_gradient, loop_gradient, atol=1e-3)
    times = time_all({"kernel": lambda: run(ctc_loss), "loop": lambda: run(loop_ctc)})
    return {"loop_speedup": times["loop"] / times["kernel"]}


def tail_gap(problem: Problem) -> float:
    """How much of the gradient the negligible slots would have added, as a share of its length."""
    _, with_tail = problem.step(fused)
    _, without = problem.step(exact)
    difference = sum(((a - b) ** 2).sum() for a, b in zip(with_tail[:2], without[:2], strict=True))
    return float((difference / sum((b**2).sum() for b in without[:2])) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer tokens and repeats, for CI")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peak", choices=WAYS, help="measure one way in this process and stop")
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--vocab", type=int, default=50265)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    batch = SHORT_BATCH if options.short else BATCH
    is_bf16 = has_quick_bf16() and not options.short
    if options.peak:
        problem = Problem(options.width, options.vocab, batch, is_bf16=is_bf16)
        rise = measure.peak_bytes(lambda: problem.step(WAYS[options.peak]))
        print(json.dumps({"rise": rise, "peak": measure.process_peak_bytes()}))
        return

    if options.short:
        time_all = partial(measure.median_cpu_seconds, repeats=3)
    else:
        time_all = partial(measure.interleaved_seconds, repeats=5)
    common = ("--threads", str(options.threads), *(["--short"] if options.short else []))
    peak = {way: measure.in_subprocess(__file__, "--peak", way, *common) for way in WAYS}
    problem = Problem(options.width, options.vocab, batch, is_bf16=is_bf16)
    rows = problem.restricted_rows(reach=2)
    works = {name: (lambda way=way: problem.step(way)) for name, way in WAYS.items()}
    works["restricted"] = lambda: problem.step(fused, rows)
    times = time_all(works)
    result = {
        "memory_ratio": peak["fused"]["rise"] / peak["plain"]["rise"],
        "time_ratio": times["fused"] / times["plain"],
        "exact_gradient_memory_ratio": peak["exact"]["rise"] / peak["plain"]["rise"],
        "exact_gradient_time_ratio": times["exact"] / times["plain"],
        "tail_gradient_gap": tail_gap(problem),
        **dynamic_programme(batch, time_all),
        "restricted_time_ratio": times["restricted"] / times["fused"],
        "restricted_slot_share": len(rows) / len(problem.rows),
        "plain_seconds": times["plain"],
        "plain_peak_gib": peak["plain"]["rise"] / 2**30,
        "threads": options.threads,
    }
    if not options.short:
        large = ("--width", "1024", "--vocab", "250002")
        xlmr = measure.in_subprocess(__file__, "--peak", "fused", *large, *common)
        result["xlmr_peak_gib"] = xlmr["peak"] / 2**30
    print(json.dumps({k: round(v, 4) for k, v in result.items()}))


if __name__ == "__main__":
    main()
