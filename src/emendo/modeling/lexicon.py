"""Words for slots: the lexical head, and its scores without ever holding [slots × V].

`lexical_scores` gives, for some slots, the scores of a sentence's labels and the normaliser
over the vocabulary. It works through the slots in chunks and computes each chunk's product
again in the backward pass, as fused linear cross entropy does; `plain_lexical_scores` is the
same in two lines, for tests and for the benchmark. Shapes: R slots, M labels, V words, H width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from emendo.modeling.decoder import SilentLinear

if TYPE_CHECKING:
    from collections.abc import Iterator


# Scores in a [slots, V] chunk: few enough for a CPU's allocator to reuse the memory (32 MB), enough
# to fill a GPU; and the fewest slots that matrix units work well on.
_CPU_CHUNK, _GPU_CHUNK = 6_500_000, 2**26
_LEAST_ROWS = 64


class LexicalHead(nn.Module):
    """What a slot would add: a vector to compare with the encoder's own token embeddings."""

    def __init__(self, width: int, vocab_size: int, eps: float) -> None:
        super().__init__()
        self.dense = SilentLinear(width, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def reset_parameters(self) -> None:
        """Start without a preference for any word."""
        nn.init.zeros_(self.bias)

    def forward(self, slot_states: Tensor) -> Tensor:
        """Turn [..., H] slot states into queries over the vocabulary."""
        return self.norm(slot_states + F.gelu(self.dense(slot_states)))


class Words(NamedTuple):
    """The output embeddings, as every function here takes them."""

    weight: Tensor
    """[V, H] token embeddings."""
    bias: Tensor
    """[V]; -inf for words that may not be written."""


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
    logits = logits.to(_wide(logits.dtype))
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
    return LexicalScores(*_LexicalScores.apply(queries, *words, labels, owner, tail))


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
    is_word = (labels >= 0) & (labels < len(words.weight))
    compute = _compute_dtype(queries)
    weight = words.weight.to(compute)
    for chunk in _chunks(len(queries), len(weight), queries.device):
        logits = _logits(queries[chunk].to(compute), weight, words.bias)
        values, ids = logits.topk(k, dim=-1) if k > 1 else _highest(logits)
        asked = logits.gather(1, labels[chunk].clamp(0, len(weight) - 1))
        normalizer = _logsumexp_(logits, values[:, :1])
        # A log-probability is at most 0; rounding must not make it more.
        scores = (values - normalizer.unsqueeze(1)).clamp(max=0)
        asked = (asked - normalizer.unsqueeze(1)).clamp(max=0)
        found.append((ids, scores, asked.masked_fill(~is_word[chunk], float("-inf"))))
    if not found:
        empty = queries.new_empty((0, k), dtype=_wide(queries.dtype))
        return TopWords(labels.new_empty((0, k)), empty, queries.new_empty((0, labels.shape[1])))
    return TopWords(*(torch.cat(parts) for parts in zip(*found, strict=True)))


class _LexicalScores(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        queries: Tensor,
        weight: Tensor,
        bias: Tensor,
        labels: Tensor,
        owner: Tensor,
        tail: float,
    ) -> tuple[Tensor, Tensor]:
        compute = _compute_dtype(queries)
        wide = _wide(queries.dtype)
        scores = queries.new_empty((len(queries), labels.shape[1]), dtype=wide)
        normalizer = queries.new_empty(len(queries), dtype=wide)
        with torch.autocast(queries.device.type, enabled=False):
            narrow = weight.to(compute)
            for chunk in _chunks(len(queries), len(weight), queries.device):
                logits = _logits(queries[chunk].to(compute), narrow, bias)
                scores[chunk] = logits.gather(1, labels[owner[chunk]])
                normalizer[chunk] = _logsumexp_(logits, logits.amax(dim=-1, keepdim=True))
        ctx.save_for_backward(queries, weight, bias, labels, owner, normalizer)
        ctx.compute, ctx.tail = compute, tail
        return scores, normalizer

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        d_scores, d_normalizer = gradients
        queries, weight, bias, labels, owner, normalizer = ctx.saved_tensors
        d_queries = torch.zeros_like(queries)
        # Sums over chunks in single precision, whatever the parameters are kept in.
        wide = normalizer.dtype
        d_weight = torch.zeros_like(weight, dtype=wide) if ctx.needs_input_grad[1] else None
        d_bias = torch.zeros_like(bias, dtype=wide)
        rows = _heavy_rows(d_normalizer.abs() + d_scores.abs().sum(dim=-1), ctx.tail)
        with torch.autocast(queries.device.type, enabled=False):
            narrow = weight.to(ctx.compute)
            for chunk in _chunks(len(rows), len(weight), queries.device):
                row = rows[chunk]
                part = queries[row].to(ctx.compute)
                # d logits = d normalizer · softmax + d scores at the labels.
                d_logits = _logits(part, narrow, bias).sub_(normalizer[row].unsqueeze(1))
                d_logits = d_logits.exp_().mul_(d_normalizer[row].unsqueeze(1))
                d_logits.scatter_add_(1, labels[owner[row]], d_scores[row])
                d_bias += d_logits.sum(dim=0)
                d_logits = d_logits.to(ctx.compute)
                d_queries[row] = (d_logits @ narrow).to(queries.dtype)
                if d_weight is not None:
                    # In blocks: the whole product would be another copy of the embeddings.
                    for block in _chunks(len(weight), weight.shape[1], queries.device):
                        d_weight[block] += d_logits[:, block].t() @ part
        if d_weight is not None:
            d_weight = d_weight.to(weight.dtype)
        return d_queries, d_weight, d_bias.to(bias.dtype), None, None, None


def _heavy_rows(weights: Tensor, tail: float) -> Tensor:
    """Return the rows that carry all but `tail` of the total weight, in order."""
    if not tail:
        return weights.nonzero().squeeze(1)
    ascending, order = weights.sort()
    light = ascending.cumsum(dim=0) <= tail * weights.sum()
    return order[~light].sort().values


def _logits(queries: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    product = queries @ weight.t()
    return product.to(_wide(product.dtype)).add_(bias)


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


def _compute_dtype(queries: Tensor) -> torch.dtype:
    """Return the type matrix products run in: autocast's where it is on."""
    device = queries.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return queries.dtype


def _wide(dtype: torch.dtype) -> torch.dtype:
    """Return the type sums run in: at least single precision."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def _chunks(rows: int, columns: int, device: torch.device) -> Iterator[slice]:
    """Cut rows so that a [rows, V] chunk fits a CPU's cache, or fills a GPU."""
    budget = _CPU_CHUNK if device.type == "cpu" else _GPU_CHUNK
    size = max(_LEAST_ROWS, budget // columns)
    # Chunks of one size: a small rest would cost as much as a whole one.
    size = -(-rows // max(1, -(-rows // size)))
    return (slice(start, min(start + size, rows)) for start in range(0, rows, max(1, size)))
