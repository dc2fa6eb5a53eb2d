"""`--model` and how it is run, the same for every verb that edits."""

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
BackendOption = Annotated[
    str, typer.Option(envvar="EMENDO_BACKEND", help="auto, onnx or openvino.")
]
PrecisionOption = Annotated[
    str, typer.Option(envvar="EMENDO_PRECISION", help="auto, fp32, bf16 or int8.")
]
ThreadsOption = Annotated[int, typer.Option(envvar="EMENDO_THREADS", min=1)]
