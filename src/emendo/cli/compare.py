"""`emendo compare`: several outputs, one metric."""

import json
from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.test_sets import JsonFlag, MetricName, Reference, Source, name_of


def compare(
    outputs: Annotated[
        list[Path], typer.Argument(help="The outputs, one sentence a line, or .jsonl.")
    ],
    metric: MetricName = "errant",
    reference: Reference = None,
    source: Source = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the table and a plot to this HTML file.")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Compare systems' outputs on one test set, each with the first."""
    from rich.console import Console
    from rich.table import Table

    from emendo.evaluation.comparison import compare_systems
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.outputs import read_output

    gold = read_gold(source, reference or [])
    comparison = compare_systems(
        metric,
        gold,
        [read_output(path) for path in outputs],
        test_set=name_of(source, reference),
    )
    if page is not None:
        from emendo.evaluation.report import comparison_page

        page.write_text(comparison_page(comparison), encoding="utf-8")
    if json_:
        print(json.dumps(comparison.to_json()))
        return
    table = Table(title=comparison.title, caption=comparison.note)
    for number, name in enumerate(comparison.header):
        table.add_column(name, justify="right" if number else "left")
    for row in comparison.rows():
        table.add_row(*row)
    Console().print(table)
