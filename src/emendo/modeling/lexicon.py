"""Words for slots: the lexical head, and its scores without ever holding [slots × V].

`lexical_scores` gives, for some slots, the scores of a sentence's labels and the normaliser
over the vocabulary. It works through slots and words in tiles and computes each tile's product
again in the backward pass, as fused linear cross entropy does; `plain_lexical_scores` is the
same in two lines, for tests and for the benchmark. Shapes: R slots, M labels, V words, H width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from emendo.modeling.decoder import SilentLinear
from emendo.modeling.layer_norm import LayerNorm
from emendo.modeling.precision import compute_dtype, wide_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator


# Slots and words of a tile of scores: little enough for a CPU's cache, enough to fill a GPU.
_CPU_TILE, _GPU_TILE = (2048, 1024), (8192, 8192)
# Normalisers between minus and plus this need no shift before exponentials; those overflow at 88.
_PLAIN_RANGE = 60.0
# Scores in a [slots, V] chunk: few enough for a CPU's allocator to reuse the memory (32 MB), enough
# to fill a GPU; and the fewest slots that matrix units work well on.
_CPU_CHUNK, _GPU_CHUNK = 6_500_000, 2**26
_LEAST_ROWS = 64
# What the number of sampled words is a multiple of.
_ROUND = 256


class LexicalHead(nn.Module):
    """What a slot would add: a vector to compare with the encoder's own token embeddings."""

    def __init__(self, width: int, vocab_size: int, eps: float) -> None:
        super().__init__()
        self.dense = SilentLinear(width, width)
        self.norm = LayerNorm(width, eps=eps)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def reset_parameters(self) -> None:
        """Start without a preference for any word."""
        nn.init.zeros_(self.bias)

    def forward(self, slot_states: Tensor) -> Tensor:
        """Turn [..., H] slot states into queries over the vocabulary."""
        return self.norm(slot_states + F.gelu(self.dense(slot_states)))


class Sample(NamedTuple):
    """Some words, weighted by their biases to stand for all."""

    weight: Tensor
    """[V', H]"""
    bias: Tensor
    """[V']"""
    narrow: Tensor
    """[V', H], as in `Words`."""


class Words(NamedTuple):
    """The output embeddings, as every function here takes them."""

    weight: Tensor
    """[V, H] token embeddings."""
    bias: Tensor
    """[V]; -inf for words that may not be written."""
    rows: Tensor
    """`weight` again, to look up a few of its rows."""
    narrow: Tensor
    """`weight` without a gradient, in the type that products run in."""
    sample: Sample | None = None
    """What stands for the whole vocabulary in normalisers; None is the vocabulary itself."""

    @classmethod
    def of(cls, weight: Tensor, bias: Tensor) -> Words:
        """Prepare embeddings and bias; best once for all products of a step."""
        dense, rows = _Tied.apply(weight)
        return cls(dense, bias, rows, weight.detach().to(compute_dtype(weight)))

    def look_up(self, ids: Tensor, padding_id: int | None = None) -> Tensor:
        """Return the embeddings of tokens."""
        return F.embedding(ids, self.rows, padding_id, sparse=True)

    def sampled(self, known: Tensor, count: int) -> Words:
        """Let some words stand for the vocabulary: `known` ones, and others drawn at random.

        Drawn are `count`, and a few more for a round number in all: on CPUs a product is compiled
        for each new shape. A drawn word counts for as many as there are others to each: on average
        the sum of all exponentials is what it is over the whole vocabulary.
        """
        is_known = torch.zeros(len(self.bias), dtype=torch.bool, device=self.bias.device)
        is_known[known] = True
        known = is_known.nonzero().squeeze(1)
        others = (~is_known & self.bias.isfinite()).nonzero().squeeze(1)
        count += -(len(known) + count) % _ROUND
        if count >= len(others):
            return self
        drawn = others[torch.randperm(len(others), device=others.device)[:count]]
        ids = torch.cat([known, drawn])
        bias = self.bias[ids]
        more = torch.zeros_like(bias)
        more[-count:] = math.log(len(others) / count)
        sample = Sample(self.look_up(ids), bias + more, self.narrow[ids])
        return self._replace(sample=sample)


class _Tied(torch.autograd.Function):
    """One parameter as two: the first gets a dense gradient, the second a sparse one.

    Autograd by itself would copy the whole gradient each time it adds some rows to it. Here they
    are added in place: what products hand back is a tensor of its own, which nobody else holds.
    """

    @staticmethod
    def forward(ctx: Any, weight: Tensor) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        return weight.view_as(weight), weight.view_as(weight)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Tensor | None:
        dense, sparse = gradients
        if dense is None:
            return sparse if sparse is None else sparse.to_dense()
        return dense if sparse is None else dense.contiguous().add_(sparse)


class LexicalScores(NamedTuple):
    """Unnormalised scores of labels, and what to subtract to make them log-probabilities."""

    labels: Tensor
    """[R, M]"""
    normalizer: Tensor
    """[R]"""


def plain_lexical_scores(
    queries: Tensor, words: Words, labels: Tensor, owner: Tensor
) -> LexicalScores:
    """Score labels with the whole [R, V] product in memory: the reference."""
    logits = F.linear(queries, words.weight, words.bias.to(queries.dtype))
    logits = logits.to(wide_dtype(logits.dtype))
    return LexicalScores(logits.gather(1, labels[owner]), logits.logsumexp(dim=-1))


def lexical_scores(
    queries: Tensor, words: Words, labels: Tensor, owner: Tensor, *, tail: float = 0.0
) -> LexicalScores:
    """Score the labels of its sentence at every slot.

    Args:
        queries: [R, H] from `LexicalHead`.
        words: Embeddings and bias.
        labels: [B, M] labels of each sentence, all within the vocabulary.
        owner: [R] which sentence a slot belongs to.
        tail: Share of the gradient's total weight that may be left out, taken from the slots
            with the smallest; 0 is exact.
    """
    return LexicalScores(
        _label_scores(queries, words, labels, owner),
        normalizers(queries, words, tail=tail),
    )


def normalizers(queries: Tensor, words: Words, *, tail: float = 0.0) -> Tensor:
    """Return the [R] log of the summed exponentials of all words' scores; see `lexical_scores`."""
    weight, bias, narrow = words.sample or (words.weight, words.bias, words.narrow)
    return _Normalizer.apply(queries, weight, bias, narrow, tail)


def _label_scores(queries: Tensor, words: Words, labels: Tensor, owner: Tensor) -> Tensor:
    """Score the labels alone: one small product for each sentence, its slots side by side."""
    counts = owner.bincount(minlength=len(labels))
    place = torch.arange(len(owner), device=owner.device) - (counts.cumsum(0) - counts)[owner]
    slots = queries.new_zeros((*labels.shape[:1], int(counts.max()), queries.shape[1]))
    slots = slots.index_put((owner, place), queries)
    embeddings = words.look_up(labels).transpose(1, 2)
    scores = torch.baddbmm(words.bias[labels].unsqueeze(1), slots, embeddings)
    return scores[owner, place].to(wide_dtype(scores.dtype))


class TopWords(NamedTuple):
    """The likeliest words of some slots."""

    ids: Tensor
    """[R, K]"""
    scores: Tensor
    """[R, K] log P(word | ADD), best first."""
    labels: Tensor
    """[R, L] log P(label | ADD) of the labels asked for; -inf for what is no word."""


@torch.no_grad()
def top_words(queries: Tensor, words: Words, labels: Tensor, *, k: int = 1) -> TopWords:
    """Look up the k likeliest words of [R, H] slots, and the probability of [R, L] labels."""
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    weight = words.narrow
    is_word = (labels >= 0) & (labels < len(weight))
    for chunk in _row_chunks(len(queries), len(weight), queries.device):
        logits = _logits(queries[chunk].to(weight.dtype), weight, words.bias)
        values, ids = logits.topk(k, dim=-1) if k > 1 else _highest(logits)
        asked = logits.gather(1, labels[chunk].clamp(0, len(weight) - 1))
        normalizer = _logsumexp_(logits, values[:, :1])
        # A log-probability is at most 0; rounding must not make it more.
        scores = (values - normalizer.unsqueeze(1)).clamp(max=0)
        asked = (asked - normalizer.unsqueeze(1)).clamp(max=0)
        found.append((ids, scores, asked.masked_fill(~is_word[chunk], float("-inf"))))
    if not found:
        empty = queries.new_empty((0, k), dtype=wide_dtype(queries.dtype))
        nothing = empty.new_empty((0, labels.shape[1]))
        return TopWords(labels.new_empty((0, k)), empty, nothing)
    return TopWords(*(torch.cat(parts) for parts in zip(*found, strict=True)))


class _Normalizer(torch.autograd.Function):
    """Log of the summed exponentials of all words' scores, [R] of [R, H] queries.

    Worked through in tiles of some slots and some words, so that what is computed from a product
    is still in the cache. Exponentials are taken of plain scores as long as these are far from
    where a number overflows, and otherwise of scores less the highest.
    """

    @staticmethod
    def forward(
        ctx: Any, queries: Tensor, weight: Tensor, bias: Tensor, narrow: Tensor, tail: float
    ) -> Tensor:
        with torch.autocast(queries.device.type, enabled=False):
            part = queries.to(narrow.dtype)
            normalizer = _log_sums(part, narrow, bias)
            is_plain = bool((normalizer.abs() < _PLAIN_RANGE).all())
            if not is_plain:
                normalizer = _log_sums(part, narrow, bias, _highest_scores(part, narrow, bias))
        ctx.save_for_backward(queries, weight, bias, narrow, normalizer)
        ctx.tail, ctx.is_plain = tail, is_plain and narrow.dtype != torch.float16
        return normalizer

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        queries, weight, bias, narrow, normalizer = ctx.saved_tensors
        rows = _heavy_rows(gradients[0].abs(), ctx.tail)
        part, factor, shift = queries[rows].to(narrow.dtype), gradients[0][rows], normalizer[rows]
        # d logits = factor · exp(logits − normalizer); what does not depend on the word is left for
        # the end, or put to the queries.
        if ctx.is_plain:
            factor, shift = factor * shift.neg().exp(), None
        factor = factor.unsqueeze(1)
        ones, weighted = factor.to(narrow.dtype), (part * factor).to(narrow.dtype)
        wide = normalizer.dtype
        d_part = torch.zeros_like(part, dtype=wide)
        d_weight = torch.empty_like(weight) if ctx.needs_input_grad[1] else None
        d_bias = torch.empty_like(bias)
        with torch.autocast(queries.device.type, enabled=False):
            for block in _blocks(narrow):
                words, offsets = narrow[block], bias[block].to(narrow.dtype)
                # Sums over chunks in single precision, whatever the parameters are kept in.
                d_words = torch.zeros_like(words, dtype=wide)
                d_offsets = torch.zeros_like(offsets, dtype=wide)
                for chunk in _chunks(part):
                    exps = _scores(part, words, offsets, chunk, shift).exp_()
                    d_part[chunk] += exps @ words
                    d_offsets += (exps.t() @ ones[chunk]).squeeze(1)
                    if d_weight is not None:
                        d_words += exps.t() @ weighted[chunk]
                d_bias[block] = d_offsets
                if d_weight is not None:
                    d_weight[block] = d_words
        d_queries = torch.zeros_like(queries)
        d_queries[rows] = (d_part * factor).to(queries.dtype)
        return d_queries, d_weight, d_bias, None, None


def _log_sums(queries: Tensor, weight: Tensor, bias: Tensor, shift: Tensor | None = None) -> Tensor:
    wide = wide_dtype(queries.dtype)
    sums = queries.new_zeros(len(queries), dtype=wide)
    for block in _blocks(weight):
        words, offsets = weight[block], bias[block].to(weight.dtype)
        for chunk in _chunks(queries):
            scores = _scores(queries, words, offsets, chunk, shift)
            sums[chunk] += scores.to(wide).exp_().sum(dim=-1)
    return sums.log_() if shift is None else sums.log_().add_(shift)


def _highest_scores(queries: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    highest = queries.new_full((len(queries),), float("-inf"), dtype=wide_dtype(queries.dtype))
    for block in _blocks(weight):
        words, offsets = weight[block], bias[block].to(weight.dtype)
        for chunk in _chunks(queries):
            scores = _scores(queries, words, offsets, chunk).amax(dim=-1)
            highest[chunk] = torch.maximum(highest[chunk], scores.to(highest.dtype))
    return highest


def _scores(
    queries: Tensor, words: Tensor, offsets: Tensor, chunk: slice, shift: Tensor | None = None
) -> Tensor:
    scores = F.linear(queries[chunk], words, offsets)
    return scores if shift is None else scores.sub_(shift[chunk].unsqueeze(1))


def _heavy_rows(weights: Tensor, tail: float) -> Tensor:
    """Return the rows that carry all but `tail` of the total weight, in order."""
    if not tail:
        return weights.nonzero().squeeze(1)
    ascending, order = weights.sort()
    light = ascending.cumsum(dim=0) <= tail * weights.sum()
    return order[~light].sort().values


def _logits(queries: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    product = queries @ weight.t()
    return product.to(wide_dtype(product.dtype)).add_(bias)


def _highest(logits: Tensor, block: int = 256) -> tuple[Tensor, Tensor]:
    """Return the [R, 1] highest score of each row and where it first stands.

    On CPU, torch looks for a place in a long row one score after the other, but for a value
    with vector units: so find the block by its value first.
    """
    columns = logits.shape[1]
    whole = columns // block * block
    if logits.device.type != "cpu" or not whole:
        return logits.max(dim=-1, keepdim=True)
    highest = logits[:, :whole].unflatten(1, (-1, block)).amax(dim=-1)
    if whole < columns:
        highest = torch.cat([highest, logits[:, whole:].amax(dim=-1, keepdim=True)], dim=1)
    start = block * highest.argmax(dim=1, keepdim=True)
    places = (start + torch.arange(block)).clamp(max=columns - 1)
    place = places.gather(1, logits.gather(1, places).argmax(dim=1, keepdim=True))
    return logits.gather(1, place), place


def _logsumexp_(logits: Tensor, highest: Tensor) -> Tensor:
    """Return the log of the summed exponentials of each row; the input is used up.

    In place this takes half as long as `torch.logsumexp`, which allocates on the way.
    """
    return logits.sub_(highest).exp_().sum(dim=-1).log_().add_(highest.squeeze(-1))


def _blocks(weight: Tensor) -> Iterator[slice]:
    """Cut the vocabulary."""
    size = (_CPU_TILE if weight.device.type == "cpu" else _GPU_TILE)[1]
    return (slice(start, start + size) for start in range(0, len(weight), size))


def _chunks(rows: Tensor) -> Iterator[slice]:
    """Cut slots into chunks of one size: a small rest would cost as much as a whole one."""
    size = (_CPU_TILE if rows.device.type == "cpu" else _GPU_TILE)[0]
    size = -(-len(rows) // max(1, -(-len(rows) // size)))
    return (slice(start, start + size) for start in range(0, len(rows), max(1, size)))


def _row_chunks(rows: int, columns: int, device: torch.device) -> Iterator[slice]:
    """Cut rows so that a [rows, V] chunk fits a CPU's cache, or fills a GPU."""
    budget = _CPU_CHUNK if device.type == "cpu" else _GPU_CHUNK
    size = max(_LEAST_ROWS, budget // columns)
    # Chunks of one size: a small rest would cost as much as a whole one.
    size = -(-rows // max(1, -(-rows // size)))
    return (slice(start, min(start + size, rows)) for start in range(0, rows, max(1, size)))
