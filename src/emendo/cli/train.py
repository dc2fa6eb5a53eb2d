"""`emendo train`: reads a TOML file and writes a run folder."""

from pathlib import Path
from typing import Annotated

import typer


def train(
    config: Annotated[Path, typer.Argument(help="The configuration, a TOML file; see recipes/.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The run's folder; a stopped run continues.")
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key of the file, such as stages.0.steps=100."),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="A folder for encoded pairs, which runs share.")
    ] = None,
) -> None:
    """Train a model from pairs.

    Paths in the configuration start at the current folder. On several devices start it with
    torchrun or accelerate launch: `torchrun --nproc_per_node 4 -m emendo train …`.
    """
    from emendo.training.config import TrainConfig
    from emendo.training.toml_config import load_config

    # Before torch is imported, which takes a while, so that typing mistakes are reported at once.
    read = load_config(TrainConfig, config, set_ or [])
    from emendo.training.loop import train as run

    model = run(read, output, cache=cache)
    print(f"model: {model}")
