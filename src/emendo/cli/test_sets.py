"""The options for a test set, shared by the commands that measure."""

from pathlib import Path
from typing import Annotated

import typer

from emendo.evaluation.metric_names import Metric

Source = Annotated[
    Path | None,
    typer.Option("--source", "-s", help="Sources, one sentence on each line; not needed with M2."),
]
Reference = Annotated[
    list[Path] | None,
    typer.Option("--reference", "-r", help="An .m2 file, or text; repeat for more references."),
]
MetricName = Annotated[
    Metric,
    typer.Option("--metric", "-m", help="The metric; sari is Xu 2016, sari-geva Geva 2019."),
]
Outputs = Annotated[
    list[Path], typer.Argument(help="The outputs, one sentence on each line, or .jsonl.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def name_of(source: Path | None, references: list[Path] | None) -> str:
    """Return the name of the test set: its first reference, or the file of clean text."""
    path = references[0] if references else source
    return path.name if path else ""
