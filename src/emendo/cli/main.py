"""`emendo`: the commands, and how errors are shown."""

from __future__ import annotations

import sys

import typer

from emendo import __version__
from emendo.cli import (
    align,
    analyze,
    batch,
    compare,
    data,
    edit,
    export,
    lsp,
    models,
    score,
    serve,
    synthesize,
    train,
    tune,
)
from emendo.cli.examples import examples
from emendo.errors import EmendoError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Boxes and colours would take another tenth of a second.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"emendo {__version__}")
        raise typer.Exit


@app.callback()
def emendo(
    version: bool = typer.Option(
        False,
        "--version",
        help="Print the version and exit.",
        is_eager=True,
        callback=_show_version,
    ),
) -> None:
    """Correct text, and train and measure models."""


app.command(epilog=examples("edit"))(edit.edit)
app.command(epilog=examples("serve"))(serve.serve)
app.command(epilog=examples("lsp"))(lsp.lsp)
app.command(epilog=examples("align"))(align.align)
app.command(epilog=examples("models"))(models.models)
app.command(epilog=examples("score"))(score.score)
app.command(epilog=examples("analyze"))(analyze.analyze)
app.command(epilog=examples("compare"))(compare.compare)
app.command(epilog=examples("synthesize"))(synthesize.synthesize)
app.command(epilog=examples("train"))(train.train)
app.command(epilog=examples("export"))(export.export)
app.command(epilog=examples("tune"))(tune.tune)
app.add_typer(batch.app, name="batch", epilog=examples("batch"))
app.add_typer(data.app, name="data", epilog=examples("data"))


def run() -> None:
    """Run the command line; errors that the user can fix are shown without a traceback."""
    try:
        app()
    except (EmendoError, OSError) as error:
        # KeyError and others, from which our errors also derive, put some messages in quotes.
        message = error.args[0] if isinstance(error, EmendoError) and error.args else error
        print(f"emendo: {message}", file=sys.stderr)
        raise SystemExit(2) from None
