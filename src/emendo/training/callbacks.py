"""Callbacks: metrics, progress, τ, markers of checkpoints, a stop if the loss is not a number."""

from __future__ import annotations

import ctypes
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from transformers import TrainerCallback
from transformers.trainer_utils import SaveStrategy

from emendo.errors import TrainingError
from emendo.training.checkpoints import last_complete, mark_complete

if TYPE_CHECKING:
    from torch.utils.hooks import RemovableHandle
    from transformers import TrainerControl, TrainerState, TrainingArguments

    from emendo.modeling import CopyCTCForEditing
    from emendo.modeling.editing import EditingOutput
    from emendo.training.run_folder import RunFolder


class CheckpointMarker(TrainerCallback):
    """Marks each checkpoint as complete after the Trainer has written it."""

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Write the marker, from one process, after all have written their part."""
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
        if state.is_world_process_zero:
            mark_complete(Path(str(args.output_dir)) / f"checkpoint-{state.global_step}")


class StopAtNoNumber(TrainerCallback):
    """Stops a run whose loss is not a number, before a checkpoint stores its weights."""

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Log the loss of the last update, after which there is a checkpoint."""
        if state.global_step >= state.max_steps:
            control.should_log = True

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Log the loss before the checkpoint of an epoch."""
        if args.save_strategy == SaveStrategy.EPOCH:
            control.should_log = True

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Check the loss since the last line."""
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            good = last_complete(Path(str(args.output_dir)))
            raise TrainingError(
                f"the loss is {loss} at update {state.global_step}. The last good checkpoint is "
                f"{good.name if good else 'none: the run had not saved one'}. Lower the learning "
                "rate, or check the data since then"
            )


class GlancingSchedule(TrainerCallback):
    """Sets τ before each update: from one value to another, by the same amount at each."""

    def __init__(self, model: CopyCTCForEditing, end: float, steps: int | None) -> None:
        """Start from the τ that the network has.

        Args:
            model: The network.
            end: The τ of the last of these updates, and of all after it.
            steps: Updates; None is all there are.
        """
        self._config = model.config
        self._start = float(model.config.glancing)
        self._end = end
        self._steps = steps

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Go by the number of the update, so that a resumed run goes on as it would have."""
        last = (self._steps or state.max_steps) - 1
        share = min(1.0, state.global_step / last) if last > 0 else 1.0
        self._config.glancing = self._start + share * (self._end - self._start)


class ReturnMemory(TrainerCallback):
    """Returns memory that steps no longer need to the system.

    Batches differ in shape, and the C library keeps memory that a large one has freed: on a CPU a
    run that needs 2.5 GB takes 9 GB after 300 steps.
    """

    _EVERY = 20

    def __init__(self) -> None:
        # Only glibc has it; elsewhere there is nothing to do.
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Trim the heap, but not at every step, because it costs page faults."""
        if self._trim and state.global_step % self._EVERY == 0:
            self._trim(0)


class OperationShares:
    """A forward hook that counts operations, tokens, and pairs without a path."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._shares = torch.zeros(3, dtype=torch.float64)
        self._slots = 0
        self._tokens = 0
        self._unfit = 0
        self._since = time.perf_counter()

    def __call__(
        self, module: Any, arguments: Any, options: dict[str, Any], output: EditingOutput
    ) -> None:
        """Count a training batch."""
        if not module.training or output.three_way is None:
            return
        mask = options["attention_mask"] != 0
        shares = output.three_way.detach().exp()[module.per_slot(mask)]
        self._shares += shares.sum(dim=0).double().cpu()
        self._slots += len(shares)
        self._tokens += int(mask.sum())
        # Their loss is 0, so they would be left out silently.
        self._unfit += int(output.unfit) if output.unfit is not None else 0

    def skip(self) -> None:
        """Leave out the time since the last call of `take`, which was for something else."""
        if not self._tokens:
            self._since = time.perf_counter()

    def take(self, world: int) -> dict[str, float]:
        """Return the figures since the last call, and reset them; each process has to call it.

        Pairs without a path are those of all processes. The speed of all is estimated from this
        one, and the shares of operations are this one's.
        """
        now = time.perf_counter()
        keep, blank, add = (self._shares / max(self._slots, 1)).tolist()
        speed = world * self._tokens / max(now - self._since, 1e-9)
        unfit = sum(gather_object([self._unfit])) if world > 1 else self._unfit
        self._begin()
        return {"tokens_per_s": speed, "keep": keep, "blank": blank, "add": add, "unfit": unfit}


class RunLog(TrainerCallback):
    """Writes metrics.jsonl and shows a live bar."""

    def __init__(self, run: RunFolder, stage: str) -> None:
        self._run = run
        self._stage = stage
        self._shares = OperationShares()
        self._progress: Progress | None = None
        self._best: float | None = None
        self._hook: RemovableHandle | None = None

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: Any = None,
        **_: Any,
    ) -> None:
        """Watch the network, and open the bar."""
        self._hook = model.register_forward_hook(self._shares, with_kwargs=True)
        if not state.is_world_process_zero:
            return
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._task = self._progress.add_task(
            self._stage, total=state.max_steps, completed=state.global_step, figures=""
        )
        self._progress.start()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Move the bar."""
        if self._progress:
            self._progress.update(self._task, completed=state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Write a line: of training, or of a dev score."""
        figures = self._shares.take(args.world_size) if "loss" in (logs or {}) else {}
        if not state.is_world_process_zero or not logs:
            return
        entry: dict[str, Any] = {"stage": self._stage, "step": state.global_step}
        if "eval_score" in logs:
            entry |= {
                name.removeprefix("eval_"): value
                for name, value in logs.items()
                if name.startswith("eval_")
            }
            self._best = max(entry["score"], self._best or 0)
        elif "loss" in logs:
            entry |= {"epoch": state.epoch, "loss": logs["loss"]}
            entry |= {key: logs[key] for key in ("grad_norm", "learning_rate") if key in logs}
            entry |= figures
            self._show(entry)
        else:
            return
        self._run.log(entry)

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Leave the time of a dev score out of the speed."""
        self._shares.skip()

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Leave the time of a checkpoint out of the speed."""
        self._shares.skip()

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Close the bar."""
        self.close()

    def close(self) -> None:
        """Restore the terminal, however the run ended."""
        if self._progress:
            self._progress.stop()
            self._progress = None
        if self._hook:
            self._hook.remove()
            self._hook = None

    def _show(self, entry: dict[str, Any]) -> None:
        if self._progress is None:
            return
        best = "" if self._best is None else f"  dev {self._best:.2f}"
        self._progress.update(
            self._task,
            figures=f"loss {entry['loss']:.3f}  {entry['tokens_per_s']:,.0f} tokens/s  "
            f"K {100 * entry['keep']:.1f} A {100 * entry['add']:.1f} "
            f"B {100 * entry['blank']:.1f} %{best}",
        )
