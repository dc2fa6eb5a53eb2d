"""Words' scores in tiles against the plain product, values and gradients."""

import pytest
import torch

from emendo.modeling import lexicon
from emendo.modeling.lexicon import Words, lexical_scores, normalizers, plain_lexical_scores

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


@pytest.mark.parametrize("scale", [1.0, 40.0])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_close(scale, dtype):
    reference = values_and_gradients(plain_lexical_scores, *problem(scale, torch.float32))
    with torch.autocast("cpu", dtype):
        half = values_and_gradients(lexical_scores, *problem(scale, torch.float32))
    for a, b in zip(half, reference, strict=True):
        finite = b.isfinite()
        assert (a[finite] - b[finite]).norm() < 0.02 * b[finite].norm()


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


@pytest.mark.parametrize("count", [1, 5])
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
