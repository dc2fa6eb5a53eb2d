"""`emendo align`: where each word of the output comes from."""

from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.model_options import ModelOption


def align(
    text: Annotated[str, typer.Argument(help="One sentence.")],
    model: ModelOption = None,
    svg: Annotated[Path | None, typer.Option(help="Write the drawing to this file.")] = None,
) -> None:
    """Draw one pass of the network over a sentence.

    Kept tokens are green, added ones yellow. A longer bar means a higher confidence.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from emendo.inference.alignment_drawing import draw_alignment
    from emendo.inference.loading import load_editor

    alignment = load_editor(model).align(text)
    if svg is not None:
        svg.write_text(draw_alignment(alignment), encoding="utf-8")
    table = Table("source", "output", "", title=Text(text, style="table.title"))
    by_source: dict[int, list[int]] = {}
    for number, link in enumerate(alignment.links):
        by_source.setdefault(link.source, []).append(number)
    for place, token in enumerate(alignment.source):
        links = [alignment.links[number] for number in by_source.get(place, [])]
        if not links and token.strip():
            table.add_row(Text(token.strip(), style="red strike"), "", "")
        for link in links:
            colour = "green" if link.is_kept else "yellow"
            table.add_row(
                Text(token.strip()),
                Text(alignment.output[link.output].strip(), style=colour),
                Text("━" * max(1, round(10 * link.probability)), style=colour),
            )
    Console().print(table)
