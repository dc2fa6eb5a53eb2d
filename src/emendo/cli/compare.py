"""`emendo compare`: several outputs, one metric."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emendo.cli.pages import check_page
from emendo.cli.test_sets import JsonFlag, MetricName, Outputs, Reference, Source, name_of

if TYPE_CHECKING:
    from emendo.evaluation.comparison import Comparison


def compare(
    outputs: Outputs,
    metric: MetricName = "errant",
    reference: Reference = None,
    source: Source = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the table and a plot to this HTML file.")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Compare systems on one test set, each with the first."""
    from emendo.evaluation.comparison import compare_systems
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.outputs import read_outputs

    if page is not None:
        check_page(page, [*outputs, *(reference or []), source])
    gold = read_gold(source, reference or [])
    comparison = compare_systems(
        metric, gold, read_outputs(outputs, gold), test_set=name_of(source, reference)
    )
    if json_:
        print(json.dumps(comparison.to_json()))
    else:
        _print_table(comparison)
    if page is not None:
        from emendo.evaluation.report import comparison_page

        page.write_text(comparison_page(comparison), encoding="utf-8")


def _print_table(comparison: "Comparison") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=comparison.title, caption=comparison.note)
    for number, name in enumerate(comparison.header):
        table.add_column(
            name,
            justify="right" if number else "left",
            overflow="fold",
            min_width=len(name),
            no_wrap=name not in {"system", "difference"},
        )
    for row in comparison.rows():
        table.add_row(*row)
    # Names are printed literally: "[b]" is not markup, ":x:" is not an emoji.
    console = Console(markup=False, emoji=False, highlight=False)
    wide = console.options.update(width=1000)
    # Figures are never cut: the table may be wider than the terminal, and is complete in a file.
    least = console.measure(table, options=wide).minimum
    console.width = max(console.width, least) if console.is_terminal else 1000
    console.print(table)
