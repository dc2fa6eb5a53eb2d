"""Loss, gradients and best path against brute-force enumeration, in float64."""

import itertools
from operator import eq

import numpy as np
import pytest
import torch
from transformers import BertConfig

from emendo.ctc import BLANK, KEEP, Alphabet, collapse, reference
from emendo.labels import IGNORE, NO_LABEL
from emendo.modeling import CopyCTCConfig, CopyCTCForEditing, CopyCTCOutput, editing, lexicon
from emendo.modeling.ctc_loss import Targets, ctc_loss
from emendo.modeling.glancing import path_labels
from emendo.modeling.viterbi import best_columns
from tests.conftest import IS_LONG

WIDTH = 4
# The long form only has more of the same: the short one has every size with every kind of target.
CASES = 2000 if IS_LONG else 500
SIZES = [(T, V) for T in (1, 2, 3) for V in (1, 2, 3, 4)]


def plain(*arguments, tail):
    return lexicon.plain_lexical_scores(*arguments)


# name: (head, use_keep, words looked up by the fused or the plain function)
VARIANTS = {
    "factored": ("factored", True, plain),
    "fused": ("factored", True, lexicon.lexical_scores),
    "flat": ("flat", True, lexicon.lexical_scores),
    "vanilla": ("factored", False, lexicon.lexical_scores),
    "flat vanilla": ("flat", False, plain),
}


def network(variant, V, T, rng, monkeypatch):
    head, use_keep, scores = VARIANTS[variant]
    monkeypatch.setattr(editing, "lexical_scores", scores)
    # Chunks of a few slots, so that there are several.
    monkeypatch.setattr(lexicon, "_CPU_TILE", (5, 2))
    encoder = BertConfig(
        vocab_size=V,
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=8,
        pad_token_id=0,
    )
    forbidden = [0] if V > 2 and rng.random() < 0.3 else []
    config = CopyCTCConfig(
        encoder,
        upsampling=T,
        decoder_layers=1,
        head=head,
        use_keep=use_keep,
        forbidden_ids=forbidden,
        lexical_tail=0.0,
        mask_id=0,
    )
    model = CopyCTCForEditing(config).double()
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    with torch.no_grad():
        for parameter in head_weights(model).values():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def head_weights(model):
    return {
        **{f"lexicon.{n}": p for n, p in model.lexicon.named_parameters()},
        **{f"three_way.{n}": p for n, p in model.model.three_way.named_parameters()},
        "embeddings": model.get_input_embeddings().weight,
    }


def table(model, states, slot_keep_ids):
    """The whole [S, V+2] distribution of one sentence, in the plainest way."""
    queries = model.lexicon(states)
    bias = model.lexicon.bias.clone()
    bias[model.config.forbidden_ids] = -torch.inf
    words = queries @ model.get_input_embeddings().weight.t() + bias
    three = model.model.three_way(states)
    no_keep = slot_keep_ids == NO_LABEL
    if not model.config.use_keep:
        no_keep = torch.ones_like(no_keep)
    keep = three[:, :1].masked_fill(no_keep.unsqueeze(1), -torch.inf)
    if model.config.head == "flat":
        return torch.cat([words, keep, three[:, 1:2]], dim=1).log_softmax(dim=1)
    keep, blank, add = torch.cat([keep, three[:, 1:]], dim=1).log_softmax(dim=1).split(1, dim=1)
    return torch.cat([words.log_softmax(dim=1) + add, keep, blank], dim=1)


def enumerated_loss(scores, keep_ids, labels, alphabet):
    """−log P as a differentiable sum over every path, None if there is none."""
    paths = reference.paths_by_output(alphabet, keep_ids).get(labels)
    if paths is None:
        return None
    columns = torch.from_numpy(alphabet.columns(paths))
    # Impossible paths would only add NaN to the gradient.
    possible = (scores.detach()[torch.arange(len(scores)), columns] > -torch.inf).all(dim=1)
    if not possible.any():
        return None
    return -scores[torch.arange(len(scores)), columns[possible]].sum(dim=1).logsumexp(dim=0)


def random_batch(rng, V, T, sizes):
    """Sources of different lengths, with targets of every kind."""
    alphabet = Alphabet(V, T)
    batch = []
    for N in sizes:
        keep_ids = rng.integers(-1, V + (rng.random() < 0.2), size=N)
        keep_ids = tuple(np.where(keep_ids < 0, NO_LABEL, keep_ids).tolist())
        kind = rng.choice(["path", "path", "path", "random", "empty", "equal", "unfit"])
        if kind == "path":
            path = rng.integers(-2, V, size=N * T).tolist()
            path = [
                BLANK if s == KEEP and keep_ids[i // T] == NO_LABEL else s
                for i, s in enumerate(path)
            ]
            labels = collapse(path, keep_ids, T).labels
        elif kind == "random":
            labels = tuple(rng.integers(0, V, size=rng.integers(1, N * T + 1)).tolist())
        elif kind == "equal":
            labels = (int(rng.integers(0, V)),) * int(rng.integers(2, 4))
        elif kind == "unfit":
            labels = tuple(rng.integers(0, V, size=N * T + 1).tolist())
        else:
            labels = ()
        batch.append((keep_ids, labels))
    return alphabet, batch


def pad(rows, value):
    width = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows], dtype=torch.int64)


def check_batch(model, alphabet, batch, rng):
    """Compare one batch; return how many of its targets had a path."""
    T = alphabet.upsampling
    keep_ids = pad([k for k, _ in batch], NO_LABEL)
    labels = pad([y for _, y in batch], IGNORE)
    lengths = torch.tensor([len(k) * T for k, _ in batch])
    slot_keep_ids = keep_ids.repeat_interleave(T, dim=1)
    if not model.config.use_keep:
        slot_keep_ids = torch.full_like(slot_keep_ids, NO_LABEL)
    is_slot = torch.arange(keep_ids.shape[1] * T) < lengths.unsqueeze(1)
    states = torch.from_numpy(rng.normal(size=(*is_slot.shape, WIDTH))).requires_grad_()
    weights = head_weights(model)

    targets = Targets.of(labels)
    output = CopyCTCOutput(three_way=model.model.three_way(states), slot_states=states)
    _, emissions = model.emissions(output, slot_keep_ids, targets, is_slot)
    losses, unfit = ctc_loss(emissions, targets, lengths)
    gradients = torch.autograd.grad(losses.sum(), [states, *weights.values()])
    columns, fits = best_columns(emissions, targets, lengths)
    assert torch.equal(fits, ~unfit)
    best = path_labels(columns, targets)

    expected = []
    for b, (keep, y) in enumerate(batch):
        S = len(keep) * T
        scores = table(model, states[b, :S], torch.tensor(keep).repeat_interleave(T))
        loss = enumerated_loss(scores, keep, y, alphabet)
        assert bool(unfit[b]) == (loss is None)
        if loss is None:
            assert losses[b] == 0
            continue
        assert losses[b].item() == pytest.approx(loss.item(), abs=1e-9)
        expected.append(loss)
        numbers = scores.detach().numpy()
        usable = keep if model.config.use_keep else (NO_LABEL,) * len(keep)
        score = emissions[b, :S].gather(1, columns[b, :S, None]).sum().item()
        assert score == pytest.approx(reference.viterbi(numbers, usable, y, alphabet)[0], abs=1e-9)
        assert collapse(best[b, :S].tolist(), usable, T).labels == y
        if S <= 6:
            brute = reference.enumerated_best_score(numbers, usable, y, alphabet)
            assert score == pytest.approx(brute, abs=1e-9)
    if expected:
        reference_gradients = torch.autograd.grad(
            torch.stack(expected).sum(), [states, *weights.values()]
        )
        for name, ours, theirs in zip(
            ["states", *weights], gradients, reference_gradients, strict=True
        ):
            difference = (ours - theirs).abs().max().item()
            assert difference < 1e-7, f"gradient of {name} is off by {difference}"
    else:
        assert all(not gradient.any() for gradient in gradients)
    return len(expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_loss_gradients_and_best_path_equal_enumeration(variant, monkeypatch):
    rng = np.random.default_rng(list(VARIANTS).index(variant))
    cases = fitting = 0
    seen = set()
    for T, V in itertools.cycle(SIZES):
        if cases >= CASES:
            break
        longest = 6 // T if V < 4 else 5 // T
        sizes = rng.integers(1, longest + 1, size=rng.integers(1, 9))
        alphabet, batch = random_batch(rng, V, T, sizes.tolist())
        seen |= {(T, V, kind_of(labels, len(keep_ids) * T)) for keep_ids, labels in batch}
        model = network(variant, V, T, rng, monkeypatch)
        fitting += check_batch(model, alphabet, batch, rng)
        cases += len(batch)
    assert fitting > CASES / 2
    for kind in ("empty", "equal neighbours", "fits", "too long"):
        assert {(T, V) for T, V, found in seen if found == kind} == set(SIZES), kind


def kind_of(labels, slots):
    """Return what a target shows that others do not."""
    if not labels:
        return "empty"
    if len(labels) > slots:
        return "too long"
    return "equal neighbours" if any(map(eq, labels, labels[1:])) else "fits"


@pytest.mark.parametrize("variant", VARIANTS)
def test_nine_slots(variant, monkeypatch):
    rng = np.random.default_rng(9)
    for _ in range(6):
        alphabet, batch = random_batch(rng, 2, 3, [3, 3, 2])
        check_batch(network(variant, 2, 3, rng, monkeypatch), alphabet, batch, rng)


def test_greedy_of_the_network_equals_greedy_of_the_whole_table(monkeypatch):
    """The torch path with the skip, over what the numpy reference reads from the full table."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        for variant in ("fused", "flat", "vanilla"):
            V, T, N = int(rng.integers(2, 5)), 2, 3
            model = network(variant, V, T, rng, monkeypatch)
            keep_ids = rng.integers(-1, V, size=N)
            keep_ids[keep_ids < 0] = NO_LABEL
            slot_keep_ids = torch.from_numpy(keep_ids).repeat_interleave(T).unsqueeze(0)
            if not model.config.use_keep:
                slot_keep_ids = torch.full_like(slot_keep_ids, NO_LABEL)
            states = torch.from_numpy(rng.normal(size=(1, N * T, WIDTH)))
            output = CopyCTCOutput(three_way=model.model.three_way(states), slot_states=states)
            is_slot = torch.ones_like(slot_keep_ids, dtype=torch.bool)
            with torch.no_grad():
                three_way = model.three_way_log_probs(output, slot_keep_ids, is_slot)
                guess = model.guess(output, three_way, slot_keep_ids, is_slot)
                whole = table(model, states[0], slot_keep_ids[0]).numpy()
            expected = reference.greedy(whole, slot_keep_ids[0, ::T].tolist(), Alphabet(V, T))
            assert guess[0].tolist() == expected
