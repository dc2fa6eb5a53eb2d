"""Words' scores in tiles against the plain product, values and gradients."""

import math

import pytest
import torch

from emendo.modeling import lexicon
from emendo.modeling.lexicon import (
    LexicalHead,
    Words,
    lexical_scores,
    normalizers,
    plain_lexical_scores,
    top_words,
)

B, R, M, V, H = 3, 11, 4, 23, 6


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(lexicon, "_CPU_TILE", (4, 5))


def problem(scale, dtype=torch.float64):
    torch.manual_seed(0)
    queries = (scale * torch.randn(R, H, dtype=dtype)).requires_grad_()
    weight = torch.randn(V, H, dtype=dtype, requires_grad=True)
    bias = torch.randn(V, dtype=dtype)
    bias[[3, 7]] = -torch.inf
    labels = torch.randint(8, V, (B, M))
    owner = torch.tensor([0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2])
    return queries, weight, bias.requires_grad_(), labels, owner


def values_and_gradients(scores_of, queries, weight, bias, labels, owner):
    scores = scores_of(queries, Words.of(weight, bias), labels, owner)
    torch.manual_seed(1)
    total = sum((part * torch.randn_like(part)).sum() for part in scores)
    return [*scores, *torch.autograd.grad(total, [queries, weight, bias])]


# Exponentials of the last two would be infinite or zero.
@pytest.mark.parametrize("scale", [1.0, 20.0, 300.0, 1000.0])
def test_tiles_equal_the_whole_product(scale):
    ours = values_and_gradients(lexical_scores, *problem(scale))
    theirs = values_and_gradients(plain_lexical_scores, *problem(scale))
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-9)


# With the second, exponentials would be infinite in float16, but not in single precision.
@pytest.mark.parametrize("scale", [1.0, 8.0, 40.0])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_close(scale, dtype):
    reference = values_and_gradients(plain_lexical_scores, *problem(scale, torch.float32))
    with torch.autocast("cpu", dtype):
        half = values_and_gradients(lexical_scores, *problem(scale, torch.float32))
    for a, b in zip(half, reference, strict=True):
        finite = b.isfinite()
        assert (a[finite] - b[finite]).norm() < 0.02 * b[finite].norm()


def test_single_precision_is_not_rounded_to_half():
    ours = values_and_gradients(lexical_scores, *problem(1.0, torch.float32))
    theirs = values_and_gradients(plain_lexical_scores, *problem(1.0, torch.float32))
    for a, b in zip(ours, theirs, strict=True):
        assert (a - b).norm() < 1e-5 * b.norm()


@pytest.mark.parametrize("part", [0, 1, 2], ids=["queries", "embeddings", "biases"])
def test_one_part_learns_though_the_others_are_fixed(part):
    gradients = []
    for scores_of in (lexical_scores, plain_lexical_scores):
        *parts, labels, owner = problem(1.0)
        parts = [tensor.detach() for tensor in parts]
        parts[part].requires_grad_()
        queries, weight, bias = parts
        scores = scores_of(queries, Words.of(weight, bias), labels, owner)
        gradients += torch.autograd.grad(scores.normalizer.sum(), parts[part])
    assert torch.allclose(*gradients)


def test_equal_words_share_the_gradient_of_a_normaliser():
    """Of two words each gets half of what three slots give."""
    bias = torch.zeros(2, requires_grad=True)
    sums = normalizers(torch.zeros(3, H), Words.of(torch.ones(2, H), bias))
    assert sums.tolist() == pytest.approx([math.log(2)] * 3)
    (gradient,) = torch.autograd.grad(sums.sum(), bias)
    assert gradient.tolist() == pytest.approx([1.5, 1.5])


def test_a_slot_that_weighs_just_the_tail_is_left_out():
    """One of four parts, where a quarter may be left out."""
    queries, weight, bias, _, _ = problem(1.0)
    sums = normalizers(queries[:2], Words.of(weight, bias), tail=0.25)
    (gradient,) = torch.autograd.grad(sums[0] + 3 * sums[1], queries)
    assert not gradient[0].any()
    assert gradient[1].all()


def test_the_head_adds_what_its_layer_says():
    head = LexicalHead(4, vocab_size=1, eps=0.0)
    with torch.no_grad():
        head.dense.bias[1] = 8.0
    # 0, 8, 0 and 0, whose mean is 2 and whose variance is 12.
    expected = torch.tensor([-2.0, 6.0, -2.0, -2.0]) / math.sqrt(12)
    assert torch.allclose(head(torch.zeros(4)), expected)


def test_rows_and_products_share_one_gradient():
    """Looking up rows gives a sparse gradient, which must not get lost beside the dense one."""
    _, weight, bias, labels, _ = problem(1.0)
    words = Words.of(weight, bias)
    product = (words.weight @ words.weight.detach().t()).sum()
    both = words.look_up(labels).sum() + product + words.look_up(labels[:1]).sum()
    (ours,) = torch.autograd.grad(both, weight)
    table = weight.detach().requires_grad_()
    product = (table @ table.detach().t()).sum()
    both = table[labels].sum() + product + table[labels[:1]].sum()
    (theirs,) = torch.autograd.grad(both, table)
    assert not ours.is_sparse
    assert torch.allclose(ours, theirs)
    (alone,) = torch.autograd.grad(Words.of(weight, bias).look_up(labels).sum(), weight)
    assert not alone.is_sparse


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_sample_stands_for_all_words(monkeypatch, count):
    """Over all equally likely draws, sums of exponentials and their gradients are the whole's."""
    monkeypatch.setattr(lexicon, "_ROUND", 4)
    queries, weight, bias, labels, _ = problem(1.0)
    others = V - len(labels.unique()) - 2
    found = []
    for first in range(others):
        monkeypatch.setattr(
            torch, "randperm", lambda n, first=first, **_: torch.arange(n).roll(-first)
        )
        words = Words.of(weight, bias).sampled(labels.flatten(), count)
        more = len(words.sample.bias) - len(labels.unique()) - count
        assert 0 <= more < 4
        assert len(words.sample.bias) % 4 == 0
        sums = normalizers(queries, words).exp()
        found.append([sums, *torch.autograd.grad(sums.sum(), [queries, weight, bias])])
    sums = normalizers(queries, Words.of(weight, bias)).exp()
    whole = [sums, *torch.autograd.grad(sums.sum(), [queries, weight, bias])]
    for parts, expected in zip(zip(*found, strict=True), whole, strict=True):
        assert torch.allclose(torch.stack(parts).mean(dim=0), expected)


def test_a_sample_as_large_as_the_rest_is_no_sample():
    _, weight, bias, labels, _ = problem(1.0)
    assert Words.of(weight, bias).sampled(labels.flatten(), V).sample is None


def test_all_the_others_are_no_sample(monkeypatch):
    monkeypatch.setattr(lexicon, "_ROUND", 1)
    _, weight, bias, labels, _ = problem(1.0)
    words, others = Words.of(weight, bias), V - len(labels.unique()) - 2
    assert words.sampled(labels.flatten(), others).sample is None
    # One other word and the two that may not be written are missing.
    assert len(words.sampled(labels.flatten(), others - 1).sample.bias) == V - 3


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_likeliest_words_and_what_was_asked_for(k):
    queries, weight, bias, _, _ = problem(1.0)
    # The first word and the last, then four that are none: the last of them may not be written.
    labels = torch.tensor([[0, V - 1, -1, -3, V, 3]]).expand(R, -1)
    top = top_words(queries, Words.of(weight, bias), labels, k=k)
    expected = (queries @ weight.t() + bias).log_softmax(dim=1)
    scores, ids = expected.sort(dim=1, descending=True)
    assert torch.equal(top.ids, ids[:, :k])
    assert torch.allclose(top.scores, scores[:, :k])
    assert torch.allclose(top.labels[:, :2], expected[:, [0, V - 1]])
    assert (top.labels[:, 2:] == -torch.inf).all()


def test_no_slots_have_no_words():
    _, weight, bias, _, _ = problem(1.0)
    asked = torch.zeros(0, 2, dtype=torch.int64)
    top = top_words(torch.zeros(0, H), Words.of(weight, bias), asked)
    assert [tuple(part.shape) for part in top] == [(0, 1), (0, 1), (0, 2)]


def test_of_equally_likely_words_the_first_counts():
    words = Words.of(torch.zeros(20, H), torch.zeros(20))
    assert not top_words(torch.zeros(3, H), words, torch.zeros(3, 1, dtype=torch.int64)).ids.any()


def test_the_last_word_can_be_the_likeliest():
    """Also if it stands in the last block of words, which is not full, and slots are many."""
    bias = torch.zeros(300)
    bias[299] = 1.0
    asked = torch.zeros(512, 1, dtype=torch.int64)
    top = top_words(torch.zeros(512, H), Words.of(torch.zeros(300, H), bias), asked)
    assert (top.ids == 299).all()
