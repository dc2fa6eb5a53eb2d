"""`--model` and the engine's options, shared by all commands that edit."""

from __future__ import annotations

from typing import Annotated

import typer

from emendo.engine_names import BackendName, Precision

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        envvar="EMENDO_MODEL",
        help="A model's name (`emendo models`) or a bundle's folder; default: the installed model.",
    ),
]
_MANY = (
    "A model's name (`emendo models`) or a bundle's folder. Repeat it for more languages; "
    "the first is the default. Without it: "
)
ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", envvar="EMENDO_MODEL", metavar="MODEL", help=f"{_MANY}all installed."
    ),
]
BatchModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", envvar="EMENDO_MODEL", metavar="MODEL", help=f"{_MANY}the installed one."
    ),
]
LevelOption = Annotated[
    str | None, typer.Option(help="precise, balanced or thorough, if the model has them.")
]
# Not checked here: `check_engine` refuses them with the same line as in Python.
BackendOption = Annotated[
    BackendName,
    typer.Option(
        parser=str, metavar="NAME", envvar="EMENDO_BACKEND", help="auto, onnx or openvino."
    ),
]
PrecisionOption = Annotated[
    Precision,
    typer.Option(
        parser=str, metavar="NAME", envvar="EMENDO_PRECISION", help="auto, fp32, bf16 or int8."
    ),
]
ThreadsOption = Annotated[int, typer.Option(envvar="EMENDO_THREADS", min=1)]
