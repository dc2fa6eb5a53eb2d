"""The configuration of a run: one TOML file, read into frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from emendo.errors import ConfigError


@dataclass(frozen=True)
class ModelOptions:
    """The network to train."""

    encoder: str
    """A model name or a folder; or an emendo model for further training: its folder, or the name
    of an installed one such as `emendo-en`."""
    upsampling: int | None = None
    """T, slots for each source token. Like the four keys below, it is the model's own if it is not
    set and the encoder is an emendo model; for a new network it is 4. It may be a multiple of the
    model's."""
    decoder_layers: int | None = None
    """2 for a new network."""
    slot_positions: bool | None = None
    """Let the decoder read where slots stand, and let glancing show words with their place and
    operation; true for a new network. False is how networks were before; true adds positions to a
    model without them."""
    head: Literal["factored", "flat"] | None = None
    """`factored` for a new network."""
    use_keep: bool | None = None
    """False for vanilla CTC, the paper's baseline; true for a new network."""
    source_dropout: float = 0.1
    keep_dropout: float = 0.0
    """Share of the source tokens that cannot be kept, so that the network learns to write."""
    glancing: float = 1.0
    """τ: the chance of showing a slot its answer is this times the share of slots that are wrong.
    0 trains without glancing."""
    lexical_sample: int | None = None
    """This many words, drawn for each batch, represent all that do not occur in it: cheaper steps
    with a large vocabulary. Decoding uses all words."""
    lexical_tail: float = 1e-3
    """Share of the words' gradient, spread over the slots where ADD is unlikely, that a step may
    leave out; 0 is exact."""
    task: Literal["correction", "fusion"] | None = None
    """What the network is trained to do, which its bundle says, too. None is the task of the model
    that is trained on, or correction."""
    freeze_embeddings: bool = False
    """Do not train the encoder's token embeddings: cheaper steps if the vocabulary is most of the
    network."""


@dataclass(frozen=True)
class OptimizerOptions:
    """AdamW; the defaults are the paper's."""

    betas: tuple[float, float] = (0.9, 0.9)
    epsilon: float = 1e-12
    weight_decay: float = 0.01
    clip: float = 5.0
    """Longest gradient."""
    head_factor: float = 10.0
    """The factor of the learning rate for everything except the encoder."""


@dataclass(frozen=True)
class DevOptions:
    """The dev score, which decides which checkpoint is best and when to stop."""

    file: str
    """Sentences with corrections; M2 or any file of pairs."""
    metric: Literal["errant", "m2", "em"] = "errant"
    """`errant` and `m2` are compared by F0.5."""
    sentences: int | None = None
    """Score only this many, evenly spread over the file."""
    keep_biases: tuple[float, ...] = (0.0,)
    """Score with each of these added to KEEP's score; the best counts. Early in training a network
    makes few edits, and its scores differ only with less weight on KEEP."""


@dataclass(frozen=True)
class StageOptions:
    """One run over one set of pairs; it starts from the best model of the previous stage."""

    name: str
    train: tuple[str, ...]
    """Files of pairs: .jsonl, .tsv, .m2, .txt (S/T blocks), .parquet, or `source:target`."""
    learning_rate: float
    """Of the encoder, at its maximum."""
    tokens_per_step: int
    """Source tokens of one update, including padding, over all processes."""
    tokens_per_batch: int
    """Of these, those in memory at once in each process."""
    epochs: float = 64.0
    steps: int | None = None
    """Updates in all; ends the stage even if `epochs` are not complete."""
    warmup_steps: int = 0
    evaluate_every: int | None = None
    """Updates between dev scores and checkpoints; None is once an epoch."""
    patience: int = 10
    """The number of dev scores without an improvement after which the stage ends."""
    freeze_encoder: bool = False
    """Train only the layers above the encoder: steps take about half the time."""
    source_dropout: float | None = None
    keep_dropout: float | None = None
    glancing: float | None = None
    """In this stage instead of the model's."""
    glancing_end: float | None = None
    """Let τ go from `glancing` at the first update to this, by the same amount at each."""
    glancing_steps: int | None = None
    """Updates by which τ is at `glancing_end`, where it stays; None is all of the stage."""
    reach: int | None = None
    """Add words only within this many tokens of a change: the restricted loss. None and 0 are the
    exact loss, which vanilla CTC and the flat head always use."""


@dataclass(frozen=True)
class TrainConfig:
    """A whole run."""

    model: ModelOptions
    dev: DevOptions
    stages: tuple[StageOptions, ...]
    optimizer: OptimizerOptions = field(default_factory=OptimizerOptions)
    seed: int = 0
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    """`auto` is bf16 where the processor has units for it."""
    trackers: tuple[str, ...] = ("tensorboard",)
    """Any tracker of the Trainer: tensorboard, wandb, mlflow, trackio and others; or none."""
    log_every: int = 10
    """Updates between two lines of metrics.jsonl."""

    def __post_init__(self) -> None:
        names = [stage.name for stage in self.stages]
        if not names:
            raise ConfigError("a run needs at least one [[stages]]")
        if len(set(names)) < len(names):
            raise ConfigError(f"stages need different names, but these are {names}")
        for stage in self.stages:
            if not stage.train:
                raise ConfigError(f"stage {stage.name!r} has no training files")
            if stage.tokens_per_batch > stage.tokens_per_step:
                raise ConfigError(
                    f"stage {stage.name!r}: tokens_per_batch ({stage.tokens_per_batch:,}) is more "
                    f"than tokens_per_step ({stage.tokens_per_step:,})"
                )
            if stage.reach is not None and stage.reach < 0:
                raise ConfigError(
                    f"stage {stage.name!r}: reach is {stage.reach}; it must be at least 1, or 0 "
                    "for the exact loss"
                )
            if stage.glancing_steps is not None and stage.glancing_end is None:
                raise ConfigError(
                    f"stage {stage.name!r} has glancing_steps but no glancing_end to reach by then"
                )
            if stage.glancing_steps is not None and stage.glancing_steps < 1:
                raise ConfigError(
                    f"stage {stage.name!r}: glancing_steps is {stage.glancing_steps}, it must be "
                    "at least 1"
                )
            if stage.evaluate_every is not None and stage.evaluate_every % self.log_every:
                # A loss that is not a number is then noticed before a checkpoint stores weights.
                raise ConfigError(
                    f"stage {stage.name!r}: evaluate_every ({stage.evaluate_every}) must be a "
                    f"multiple of log_every ({self.log_every})"
                )
