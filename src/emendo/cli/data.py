"""`emendo data`: shows and counts files of pairs."""

from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.examples import examples
from emendo.cli.test_sets import JsonFlag

app = typer.Typer(help="Look at training pairs.", no_args_is_help=True)


@app.callback()
def data() -> None:
    """Look at training pairs."""


_PAIR_FILES = (
    ".jsonl, .tsv, .m2, .txt (S/T), .parquet, .inline, source:target, "
    "a corpus folder or folder:split."
)
PairFileArguments = Annotated[list[str], typer.Argument(help=_PAIR_FILES)]


@app.command(epilog=examples("data show"))
def show(
    files: PairFileArguments,
    limit: Annotated[int | None, typer.Option(help="Stop after this many pairs.")] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only pairs that change.")] = False,
) -> None:
    """Print pairs with the changes marked.

    Each pair is one line: I have {went=>gone} there.
    """
    from itertools import islice

    from emendo.data.readers import PairFiles
    from emendo.text.inline import format_inline

    pairs = (pair for pair in PairFiles(*files).read() if not changed or pair.source != pair.target)
    for pair in islice(pairs, limit):
        print(format_inline(pair))


@app.command(epilog=examples("data stats"))
def stats(
    files: PairFileArguments,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="A model name or folder; adds how many targets fit into T slots per token."
        ),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Count pairs, changes, and edits by kind and type.

    With an encoder, also count how many targets fit into T slots per token.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from emendo.data.readers import PairFiles
    from emendo.data.statistics import measure_pairs, summarise
    from emendo.text import TextTokenizer

    tokenizer = TextTokenizer.from_pretrained(encoder) if encoder else None
    found = measure_pairs(PairFiles(*files).read(), tokenizer=tokenizer)
    if json_:
        print(found.to_json())
        return
    names = ", ".join(Path(file).name for file in files)
    table = Table(show_header=False, title=Text(names, style="table.title"))
    table.add_column()
    table.add_column(justify="right")
    for label, value in summarise(found):
        table.add_row(label, value)
    Console().print(table)
