"""Every pair once an epoch, within the budget, the same for the same seed, dealt out evenly."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.data.batching import TokenBudgetSampler, share_of_update

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=200)
BUDGETS = st.integers(1, 300)


def ranks(lengths, budget, world, epoch=0, seed=0):
    """Return the batches of each rank."""
    samplers = [
        TokenBudgetSampler(lengths, budget, seed=seed, rank=rank, world=world)
        for rank in range(world)
    ]
    for sampler in samplers:
        sampler.set_epoch(epoch)
    return [list(sampler) for sampler in samplers]


@pytest.mark.parametrize(
    ("update", "batch", "world"),
    [(10_000, 5_000, 8), (1024, 1024, 2), (4096, 2048, 2), (4096, 1024, 1)],
)
def test_an_update_has_as_many_tokens_on_any_number_of_ranks(update, batch, world):
    budget, batches = share_of_update(update, batch, world)
    assert budget <= batch
    assert budget * batches * world == update


@given(LENGTHS, BUDGETS, st.integers(0, 3), st.integers(0, 5))
def test_one_rank(lengths, budget, seed, epoch):
    sampler = TokenBudgetSampler(lengths, budget, seed=seed)
    sampler.set_epoch(epoch)
    batches = list(sampler)
    assert sorted(itertools.chain(*batches)) == list(range(len(lengths)))
    assert len(batches) == len(sampler)
    padded = 0
    for batch in batches:
        cost = max(lengths[i] for i in batch) * len(batch)
        assert cost <= budget or len(batch) == 1
        padded += cost
    assert sampler.padding == pytest.approx(1 - sum(lengths) / padded)


@given(LENGTHS, BUDGETS, st.integers(2, 9), st.integers(0, 3))
def test_many_ranks(lengths, budget, world, epoch):
    dealt = ranks(lengths, budget, world, epoch)
    (count,) = {len(batches) for batches in dealt}
    assert count == len(TokenBudgetSampler(lengths, budget, rank=1, world=world))
    batches = [batch for batches in dealt for batch in batches]
    for batch in batches:
        assert max(lengths[i] for i in batch) * len(batch) <= budget or len(batch) == 1
    indices = list(itertools.chain(*batches))
    assert set(indices) == set(range(len(lengths)))
    if len(indices) > len(lengths):
        # Repeated only where nothing could be halved, and fewer times than there are ranks.
        assert max(map(len, batches)) == 1
        assert len(indices) - len(lengths) < world


@given(LENGTHS, BUDGETS, st.integers(1, 4))
def test_the_plan_follows_from_seed_and_epoch(lengths, budget, world):
    assert ranks(lengths, budget, world, 3, 7) == ranks(lengths, budget, world, 3, 7)
    sampler = TokenBudgetSampler(lengths, budget, seed=7, world=world)
    list(sampler)
    sampler.set_epoch(3)
    assert list(sampler) == list(sampler) == ranks(lengths, budget, world, 3, 7)[0]


def test_epochs_and_seeds_differ():
    lengths = np.random.default_rng(0).integers(3, 60, 5000)
    plans = [
        ranks(lengths, 512, 1, epoch, seed)[0] for epoch, seed in ((0, 0), (1, 0), (0, 1), (1, 1))
    ]
    assert len({len(plan) for plan in plans}) == 1
    groups = [{frozenset(batch) for batch in plan} for plan in plans]
    # Other batches, not only another order of them.
    assert len(groups[0] & groups[1]) < 0.01 * len(groups[0])
    assert len(groups[0] & groups[2]) < 0.01 * len(groups[0])
    assert len(groups[1] & groups[2]) < 0.01 * len(groups[0])
    # Lengths are mixed over the epoch.
    firsts = [lengths[batch[0]] for batch in plans[0]]
    assert abs(np.corrcoef(firsts, np.arange(len(firsts)))[0, 1]) < 0.15


def test_small_data_on_many_ranks():
    assert [[len(b) for b in batches] for batches in ranks([5] * 8, 100, 4)] == [[2]] * 4
    # One pair for eight ranks: all train on it.
    assert ranks([5], 100, 8) == [[[0]]] * 8


def test_very_long_pairs():
    assert sorted(TokenBudgetSampler([70_000, 5, 3], 16)) == [[0], [1, 2]]


@pytest.mark.parametrize(
    ("lengths", "options"),
    [([], {}), ([1], {"budget": 0}), ([1], {"rank": 2, "world": 2}), ([1], {"rank": -1})],
)
def test_what_cannot_be_planned(lengths, options):
    with pytest.raises(ValueError, match=r"no pairs|budget is"):
        TokenBudgetSampler(lengths, **{"budget": 10, **options})


def test_a_real_training_is_planned_in_seconds():
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.gamma(2.5, 9, 2_400_000), 3, 512).astype(np.int32)
    start = time.perf_counter()
    sampler = TokenBudgetSampler(lengths, 100_000 // 8, rank=3, world=8)
    count = sum(map(len, sampler))
    assert time.perf_counter() - start < 5
    assert 0.1 < count / len(lengths) < 0.15
    assert sampler.padding < 0.01


def test_accelerate_skips_what_was_done():
    from accelerate import PartialState, skip_first_batches
    from torch.utils.data import DataLoader

    PartialState()
    lengths = list(range(3, 40))
    sampler = TokenBudgetSampler(lengths, 64, rank=1, world=2)
    sampler.set_epoch(2)
    loader = DataLoader(lengths, batch_sampler=sampler, collate_fn=list)
    batches = list(loader)
    assert len(loader) == len(batches)
    assert list(skip_first_batches(loader, 3)) == batches[3:]


class Recorder:
    """A data collator that notes the batches a Trainer trains on."""

    def __init__(self):
        self.batches = []

    def __call__(self, items):
        import torch

        self.batches.append(items)
        return {"x": torch.tensor(items, dtype=torch.float32)}


def train(folder, *, stop=None, resume=False):
    """Train as the sampler's docstring says; return the batches that were seen."""
    import torch
    from torch.utils.data import DataLoader
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(()))

        def forward(self, x):
            return {"loss": (self.weight * x).mean()}

    lengths = list(range(3, 33))
    sampler = TokenBudgetSampler(lengths, 100, seed=5)

    class Epochs(TrainerCallback):
        def on_epoch_begin(self, args, state, control, **kwargs):
            sampler.set_epoch(int(state.epoch))

        def on_step_end(self, args, state, control, **kwargs):
            control.should_training_stop |= state.global_step == stop
            control.should_save |= state.global_step == stop

    class PlainLoaderTrainer(Trainer):
        def get_train_dataloader(self):
            return DataLoader(lengths, batch_sampler=sampler, collate_fn=self.data_collator)

    recorder = Recorder()
    arguments = TrainingArguments(
        str(folder),
        num_train_epochs=3,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = PlainLoaderTrainer(
        Model(),
        arguments,
        train_dataset=lengths,
        data_collator=recorder,
        callbacks=[Epochs()],
    )
    trainer.train(resume_from_checkpoint=resume or None)
    return recorder.batches, len(sampler)


@pytest.mark.parametrize("place", ["mid-epoch", "epoch's end"])
def test_a_resumed_trainer_sees_the_same_batches(tmp_path, place):
    whole, steps = train(tmp_path / "whole")
    assert len(whole) == 3 * steps
    assert whole[:steps] != whole[steps : 2 * steps]
    done = steps + 2 if place == "mid-epoch" else 2 * steps
    train(tmp_path / "halves", stop=done)
    rest, _ = train(tmp_path / "halves", resume=True)
    assert rest == whole[done:]
