"""The run: stages, each a Trainer run that starts from the best model of the previous one."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from accelerate import PartialState
from safetensors import SafetensorError
from transformers import EarlyStoppingCallback, PrinterCallback, TrainingArguments, set_seed

from emendo.data.batching import TokenBudgetSampler, share_of_update
from emendo.data.collator import PairCollator
from emendo.data.encoding import PairEncoder
from emendo.data.readers import PairFiles
from emendo.data.store import PairStore
from emendo.errors import TrainingError
from emendo.files import replaced_folder, write_whole
from emendo.modeling.config import FACTORED
from emendo.modeling.precision import has_quick_bf16
from emendo.text import TextTokenizer
from emendo.training.callbacks import (
    CheckpointMarker,
    GlancingSchedule,
    ReturnMemory,
    RunLog,
    StopAtNoNumber,
)
from emendo.training.checkpoints import (
    check_own,
    last_complete,
    remove_after,
)
from emendo.training.curves import draw_curves
from emendo.training.dev_scores import DevScores
from emendo.training.installed_weights import find_weights
from emendo.training.network import load_network, with_shape
from emendo.training.processes import join_processes
from emendo.training.run_folder import RunFolder
from emendo.training.trainer import EditingTrainer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.modeling import CopyCTCForEditing
    from emendo.training.config import StageOptions, TrainConfig

_log = logging.getLogger(__name__)

_DONE = "done.json"
# oneDNN compiles a product for each new shape, and batches have more shapes than the 1,024 products
# that it keeps by itself (docs/decisions/0007-training-on-cpu.md).
_KEPT_PRODUCTS = "16384"
# Messages for a full disk of libraries that do not raise OSError.
_DISK_SIGNS = ("No space left", "File too large", "PytorchStreamWriter failed")


def train(config: TrainConfig, folder: Path, *, cache: Path | None = None) -> Path:
    """Train a model, or continue a run that was stopped.

    Args:
        config: The configuration.
        folder: The run's folder; a run with the same configuration in it is resumed.
        cache: The folder for encoded pairs; by default inside the run's folder.

    Returns:
        The folder of the best model of the last stage, network and tokenizer.

    Raises:
        TrainingError: The run cannot continue; its checkpoints are intact.
        ConfigError: The folder contains something else.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", _KEPT_PRODUCTS)
    processes = join_processes()
    start = find_weights(config.model.encoder)
    config = replace(config, model=with_shape(config.model, Path(start)))
    run = RunFolder(folder)
    with processes.main_process_first():
        run.open(config)
    set_seed(config.seed)
    tokenizer = TextTokenizer.from_pretrained(start)
    dev = DevScores(config.dev)
    best = None
    for stage in config.stages:
        done = run.stage(stage.name) / _DONE
        if not done.exists():
            model = load_network(config.model, tokenizer, best or Path(start))
            _set_up(model, stage)
            with _failures_told(run.stage(stage.name)):
                _run_stage(config, stage, model, tokenizer, dev, run, cache or folder / "cache")
        processes.wait_for_everyone()
        best = run.stage(stage.name) / "best"
    assert best is not None
    if processes.is_main_process:
        _copy_folder(best, run.model)
        draw_curves(run, folder / "curves.png")
    processes.wait_for_everyone()
    return run.model


def _set_up(model: CopyCTCForEditing, stage: StageOptions) -> None:
    """Apply the settings of a stage."""
    for name in ("source_dropout", "keep_dropout", "glancing"):
        if (value := getattr(stage, name)) is not None:
            setattr(model.config, name, value)
    if stage.freeze_encoder:
        model.model.encoder.requires_grad_(False)


def _run_stage(
    config: TrainConfig,
    stage: StageOptions,
    model: CopyCTCForEditing,
    tokenizer: TextTokenizer,
    dev: DevScores,
    run: RunFolder,
    cache: Path,
) -> None:
    folder = run.stage(stage.name)
    processes = PartialState()
    upsampling = model.config.upsampling
    encoder = PairEncoder(tokenizer, upsampling, model.config.max_tokens)
    store = PairStore.build(PairFiles(*stage.train), encoder, cache)
    budget, accumulation = share_of_update(
        stage.tokens_per_step, stage.tokens_per_batch, processes.num_processes
    )
    sampler = TokenBudgetSampler(
        store.lengths,
        budget,
        seed=config.seed,
        rank=processes.process_index,
        world=processes.num_processes,
    )
    arguments = _arguments(config, stage, folder, accumulation)
    log = RunLog(run, stage.name)
    trainer = EditingTrainer(
        model=model,
        args=arguments,
        train_dataset=store,
        data_collator=PairCollator(tokenizer.pad_id, upsampling, reach_of(stage, model)),
        sampler=sampler,
        tokenizer=tokenizer,
        optimizer_options=config.optimizer,
        dev=dev,
        callbacks=[
            StopAtNoNumber(),
            log,
            CheckpointMarker(),
            ReturnMemory(),
            EarlyStoppingCallback(stage.patience),
        ],
    )
    trainer.remove_callback(PrinterCallback)
    if stage.glancing_end is not None:
        trainer.add_callback(GlancingSchedule(model, stage.glancing_end, stage.glancing_steps))
    checkpoint = last_complete(folder)
    if processes.is_main_process:
        remove_after(folder, checkpoint)
        run.forget_after(stage.name, _step_of(checkpoint))
        if not checkpoint:
            run.log({"stage": stage.name, "step": 0, "pairs": len(store), **_counted(store)})
    processes.wait_for_everyone()
    if checkpoint:
        check_own(checkpoint)
        _log.warning(
            "resuming %s. Its optimizer files are pickles: never resume a run you were given",
            checkpoint,
        )
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    finally:
        log.close()
    if processes.is_main_process:
        _finish_stage(trainer, model, tokenizer, folder)


def reach_of(stage: StageOptions, model: CopyCTCForEditing) -> int | None:
    """Return the reach of a stage's loss; None is the exact loss.

    Vanilla CTC has to write every word, also far from a change, and a flat head is normalised over
    all words.
    """
    restricts = model.config.use_keep and model.config.head == FACTORED
    return (stage.reach or None) if restricts else None


def _counted(store: PairStore) -> dict[str, object]:
    return {"refused": dict(store.refused)} if store.refused else {}


def _step_of(checkpoint: Path | None) -> int:
    return int(checkpoint.name.rpartition("-")[2]) if checkpoint else -1


def _arguments(
    config: TrainConfig, stage: StageOptions, folder: Path, accumulation: int
) -> TrainingArguments:
    when = "epoch" if stage.evaluate_every is None else "steps"
    return TrainingArguments(
        output_dir=str(folder),
        use_cpu=not torch.accelerator.is_available(),
        seed=config.seed,
        data_seed=config.seed,
        bf16=config.precision == "bf16" or (config.precision == "auto" and has_quick_bf16()),
        learning_rate=stage.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=stage.warmup_steps,
        num_train_epochs=stage.epochs,
        max_steps=stage.steps or -1,
        gradient_accumulation_steps=accumulation,
        max_grad_norm=config.optimizer.clip,
        eval_strategy=when,
        save_strategy=when,
        eval_steps=stage.evaluate_every,
        save_steps=stage.evaluate_every or 500,
        # The best, the last, and the one before it, in case of a kill while the last is written.
        save_total_limit=3,
        load_best_model_at_end=True,
        metric_for_best_model="eval_score",
        greater_is_better=True,
        logging_steps=config.log_every,
        # The count of `EarlyStoppingCallback`.
        restore_callback_states_from_checkpoint=True,
        # A loss that is not a number must be reported, not averaged away.
        logging_nan_inf_filter=False,
        report_to=list(config.trackers) or "none",
        remove_unused_columns=False,
        disable_tqdm=True,
        ddp_find_unused_parameters=False,
        dataloader_pin_memory=torch.cuda.is_available(),
    )


def _finish_stage(
    trainer: EditingTrainer, model: CopyCTCForEditing, tokenizer: TextTokenizer, folder: Path
) -> None:
    """Keep the best weights, which the Trainer has loaded, and mark the stage as done."""
    with replaced_folder(folder / "best") as partial:
        model.save_pretrained(partial)
        tokenizer.save(partial / "tokenizer.json")
    done = {"steps": trainer.state.global_step, "score": trainer.state.best_metric}
    done["best_step"] = trainer.state.best_global_step
    write_whole(folder / _DONE, json.dumps(done))


def _copy_folder(source: Path, target: Path) -> None:
    with replaced_folder(target) as partial:
        shutil.copytree(source, partial)


@contextmanager
def _failures_told(folder: Path) -> Iterator[None]:
    """Turn a library's error for a full disk into a message."""
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or any(
            sign in str(error) for sign in _DISK_SIGNS
        )
        if not full:
            raise
        good = last_complete(folder)
        raise TrainingError(
            f"a checkpoint could not be written ({error}). The last good one is "
            f"{good.name if good else 'none'}; make room and run the same command again"
        ) from error
