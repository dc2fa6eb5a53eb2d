"""`emendo export`: turns a trained model into a bundle."""

from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.progress import show_steps

# This many texts are taken, spread over a longer file: more would not change the scales.
_CALIBRATION_TEXTS = 400


def export(
    model: Annotated[Path, typer.Argument(help="The folder of a finished run, or its model.")],
    out: Annotated[Path, typer.Argument(help="The bundle's folder.")],
    language: Annotated[
        list[str] | None,
        typer.Option(help="A language the model was trained on; repeat for more. Default: en."),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            help="Texts like those to be edited, one on each line; a few hundred are used."
        ),
    ] = None,
    int8: Annotated[
        bool, typer.Option("--int8/--no-int8", help="Also write int8 graphs; needs --calibration.")
    ] = False,
    fp32: Annotated[
        bool, typer.Option("--fp32/--no-fp32", help="Keep the graphs in single precision.")
    ] = True,
) -> None:
    """Turn a trained model into a bundle, which edits without torch.

    Nothing is written unless the bundle makes the same edits as the model.
    """
    from emendo.errors import ExportError

    texts = None
    if calibration:
        lines = calibration.read_text(encoding="utf-8").splitlines()
        texts = [line for line in lines if line.strip()]
        texts = texts[:: max(1, len(texts) // _CALIBRATION_TEXTS)]
    elif int8:
        raise ExportError("int8 needs --calibration: a file of texts like those to be edited")
    from emendo.export import export_bundle
    from emendo.languages import DEFAULT_LANGUAGE

    with show_steps() as on_step:
        report = export_bundle(
            model,
            out,
            languages=language or [DEFAULT_LANGUAGE],
            calibration=texts,
            int8=int8,
            fp32=fp32,
            on_step=on_step,
        )
    size = sum(entry.bytes for entry in report.bundle.config.files.values())
    print(f"bundle: {out} ({size / 1e6:.0f} MB)")
    agreements = {"fp32": report.fp32, "int8": report.int8}
    for name, agreement in agreements.items():
        if agreement:
            print(
                f"{name}: the model's edits on {agreement.same} of {agreement.texts} texts, "
                f"of which it edits {agreement.edited}"
            )
