"""What a run file says of the optimizer is what the optimizer does."""

import pytest
import torch

from emendo.training.config import (
    DevOptions,
    ModelOptions,
    OptimizerOptions,
    StageOptions,
    TrainConfig,
)
from emendo.training.loop import _arguments
from emendo.training.optimizer import build_optimizer


def test_betas_and_epsilon_are_those_of_the_run(tiny_model):
    options = OptimizerOptions(betas=(0.7, 0.8), epsilon=1e-5)
    optimizer = build_optimizer(tiny_model(), options, 1e-3)
    assert {group["betas"] for group in optimizer.param_groups} == {(0.7, 0.8)}
    assert {group["eps"] for group in optimizer.param_groups} == {1e-5}


@pytest.mark.parametrize("steps", [0, 4])
def test_the_rate_rises_over_the_warm_up(tmp_path, steps):
    from transformers import Trainer

    stage = StageOptions(
        name="only",
        train=("a.tsv",),
        learning_rate=1.0,
        tokens_per_step=64,
        tokens_per_batch=64,
        steps=10,
        warmup_steps=steps,
        evaluate_every=10,
    )
    config = TrainConfig(
        ModelOptions("x"), DevOptions("d.tsv"), (stage,), precision="fp32", trackers=()
    )
    arguments = _arguments(config, stage, tmp_path, 1)
    trainer = Trainer(torch.nn.Linear(1, 1), arguments, eval_dataset=[0])
    trainer.create_optimizer_and_scheduler(10)
    rates = []
    for _ in range(steps + 1):
        rates.append(trainer.lr_scheduler.get_last_lr()[0])
        trainer.optimizer.step()
        trainer.lr_scheduler.step()
    assert rates == pytest.approx([k / steps for k in range(steps)] + [1.0])
