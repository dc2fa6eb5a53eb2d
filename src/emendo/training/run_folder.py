"""The folder of a run: its configuration, environment, metrics, curves and models.

- `config.toml`: the whole configuration, including defaults and overrides
- `environment.json`: versions and hardware
- `metrics.jsonl`: one line for each log and each dev score
- `curves.png`: drawn from it
- a folder for each stage: checkpoints, and its best model once it is done
- `model`: the last stage's best, network and tokenizer
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from emendo.errors import ConfigError
from emendo.files import write_whole
from emendo.modeling.precision import has_quick_bf16
from emendo.training.config import TrainConfig
from emendo.training.toml_config import dump_config, load_config

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PACKAGES = ("emendo", "torch", "transformers", "accelerate", "datasets", "tokenizers", "numpy")


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metrics = path / "metrics.jsonl"
        self.model = path / "model"

    def open(self, config: TrainConfig) -> None:
        """Start the run, or continue it.

        Raises:
            ConfigError: The folder has a run with another configuration, or something else.
        """
        file = self.path / "config.toml"
        if file.exists():
            before, after = _read(file), config
            if before != after:
                raise ConfigError(
                    f"{self.path} contains a run with another configuration: "
                    f"{_differences(before, after)}. Use another folder, or the same settings"
                )
            return
        if self.path.exists() and any(self.path.iterdir()):
            raise ConfigError(f"{self.path} is not empty and contains no run; use another folder")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "environment.json", json.dumps(_environment(), indent=1))
        # Last: a folder with a configuration is a run.
        write_whole(file, dump_config(config))

    def stage(self, name: str) -> Path:
        """Return a stage's folder."""
        return self.path / name

    def log(self, entry: dict[str, Any]) -> None:
        """Add a line to the metrics."""
        with self.metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def read_metrics(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of the metrics; a line truncated by a kill is left out."""
        if not self.metrics.exists():
            return
        for line in self.metrics.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue

    def forget_after(self, stage: str, step: int) -> None:
        """Drop a stage's metrics after a step, because these steps are repeated."""
        kept = [
            json.dumps(entry) + "\n"
            for entry in self.read_metrics()
            if entry["stage"] != stage or entry["step"] <= step
        ]
        write_whole(self.metrics, "".join(kept))


def _read(file: Path) -> TrainConfig:
    """Read a run's configuration, which names all there was to choose when it began."""
    config = load_config(TrainConfig, file)
    if "slot_positions" not in tomllib.loads(file.read_text(encoding="utf-8"))["model"]:
        # Networks had none then: what the run has saved does not fit a network of today's default.
        config = replace(config, model=replace(config.model, slot_positions=False))
    return config


def _differences(before: TrainConfig, after: TrainConfig) -> str:
    ours, theirs = (dump_config(config).splitlines() for config in (before, after))
    changed = [line for line in theirs if line not in ours]
    gone = [line for line in ours if line not in theirs]
    return "; ".join([f"now {line}" for line in changed] + [f"was {line}" for line in gone])


def _environment() -> dict[str, Any]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "has_quick_bf16": has_quick_bf16(),
        "versions": versions,
    }
