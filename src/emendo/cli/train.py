"""`emendo train`: one TOML in, a run folder out."""

from pathlib import Path
from typing import Annotated

import typer


def train(
    config: Annotated[Path, typer.Argument(help="The run, as a TOML file; see recipes/.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The run's folder; a stopped run goes on.")
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value over the file, such as stages.0.steps=100."),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Where encoded pairs are kept, for runs to share.")
    ] = None,
) -> None:
    """Train a model from pairs.

    Files in the configuration are found from where you are. On several devices start it with
    torchrun or accelerate launch: `torchrun --nproc_per_node 4 -m emendo train …`.
    """
    from emendo.training.config import TrainConfig
    from emendo.training.toml_config import load_config

    # Before torch, which takes a while: a typing mistake is told at once.
    read = load_config(TrainConfig, config, set_ or [])
    from emendo.training.loop import train as run

    model = run(read, output, cache=cache)
    print(f"model: {model}")
