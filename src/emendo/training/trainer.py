"""The Hugging Face Trainer with batches, an optimizer and dev scores of emendo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer

from emendo.inference import SentenceEditor
from emendo.modeling import TorchBackend
from emendo.training.optimizer import build_optimizer

if TYPE_CHECKING:
    from emendo.data.batching import TokenBudgetSampler
    from emendo.data.encoding import EncodedPair
    from emendo.text import TextTokenizer
    from emendo.training.config import OptimizerOptions
    from emendo.training.dev_scores import DevScores


class _EpochLoader(DataLoader[Any]):
    """A loader that passes the epoch to its batch sampler, as the Trainer expects."""

    batch_sampler: TokenBudgetSampler

    def set_epoch(self, epoch: int) -> None:
        """Pass the epoch on."""
        self.batch_sampler.set_epoch(epoch)


class EditingTrainer(Trainer):
    """Trains a `CopyCTCForEditing` on encoded pairs."""

    def __init__(
        self,
        *,
        sampler: TokenBudgetSampler,
        tokenizer: TextTokenizer,
        optimizer_options: OptimizerOptions,
        dev: DevScores,
        **options: Any,
    ) -> None:
        # The Trainer only checks whether there is a dataset to evaluate on.
        super().__init__(eval_dataset=dev, **options)
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._optimizer_options = optimizer_options
        self._dev = dev

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return batches under a token budget.

        The sampler distributes them to the processes, so Accelerate must not do so again.
        """
        return _EpochLoader(
            cast("Dataset[EncodedPair]", self.train_dataset),
            batch_sampler=self._sampler,
            collate_fn=self.data_collator,
            num_workers=self.args.dataloader_num_workers,
            pin_memory=self.args.dataloader_pin_memory,
        )

    def create_optimizer(self, model: torch.nn.Module | None = None) -> torch.optim.Optimizer:
        """Return AdamW over our parameter groups."""
        if self.optimizer is None:
            self.optimizer = build_optimizer(
                self.accelerator.unwrap_model(model or self.model),
                self._optimizer_options,
                self.args.learning_rate,
            )
        return self.optimizer

    def evaluate(
        self,
        eval_dataset: Any = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> dict[str, float]:
        """Score the dev sentences with the same editor that users get."""
        dtype = torch.bfloat16 if self.args.bf16 else None
        model = self.accelerator.unwrap_model(self.model)
        editor = SentenceEditor(
            TorchBackend(model, dtype=dtype), self._tokenizer, confidences=False
        )
        values = self._dev.score(editor, rank=self.args.process_index, world=self.args.world_size)
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in values.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics
