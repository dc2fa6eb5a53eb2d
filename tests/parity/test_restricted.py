"""The restricted loss is exactly the likelihood of a network that cannot add words elsewhere."""

import numpy as np
import pytest
import torch

from emendo.labels import IGNORE
from emendo.modeling import CopyCTCOutput
from emendo.modeling.ctc_loss import Targets, ctc_loss
from tests.parity.test_loss import WIDTH, enumerated_loss, network, pad, random_batch, table


def test_restricted_loss_equals_enumeration(monkeypatch):
    rng = np.random.default_rng(3)
    fitting = 0
    for _ in range(100):
        T, V = 2, int(rng.integers(2, 4))
        alphabet, ((keep_ids, labels),) = random_batch(rng, V, T, [int(rng.integers(1, 4))])
        model = network("fused", V, T, rng, monkeypatch)
        slots = torch.tensor([keep_ids]).repeat_interleave(T, dim=1)
        states = torch.from_numpy(rng.normal(size=(1, slots.shape[1], WIDTH))).requires_grad_()
        may_add = (
            torch.from_numpy(rng.random(len(keep_ids)) < 0.5).repeat_interleave(T).unsqueeze(0)
        )
        output = CopyCTCOutput(model.model.three_way(states), states)
        targets = Targets.of(pad([labels], IGNORE))
        _, emissions = model.emissions(output, slots, targets, may_add)
        losses, unfit = ctc_loss(emissions, targets, torch.tensor([slots.shape[1]]))

        scores = table(model, states[0], slots[0])
        no_words = torch.zeros_like(scores, dtype=torch.bool)
        no_words[~may_add[0], :V] = True
        expected = enumerated_loss(
            scores.masked_fill(no_words, -torch.inf), keep_ids, labels, alphabet
        )
        assert bool(unfit[0]) == (expected is None)
        if expected is None:
            continue
        fitting += 1
        assert losses[0].item() == pytest.approx(expected.item(), abs=1e-9)
        (ours,) = torch.autograd.grad(losses.sum(), states)
        (theirs,) = torch.autograd.grad(expected, states)
        assert (ours - theirs).abs().max() < 1e-7
    assert fitting > 30
