"""`--model`, the same for every verb that edits."""

from __future__ import annotations

from typing import Annotated

import typer

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        envvar="EMENDO_MODEL",
        help="A model's name (`emendo models`) or a bundle's folder; else the only one installed.",
    ),
]
