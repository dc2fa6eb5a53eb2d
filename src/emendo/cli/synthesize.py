"""`emendo synthesize`: makes training pairs from clean text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emendo.cli.pages import check_page
from emendo.cli.test_sets import JsonFlag
from emendo.languages import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from emendo.synthesis.synthesis import SynthesisCounts


def synthesize(
    clean: Annotated[
        list[Path], typer.Argument(help="Clean text, a sentence or a paragraph on each line.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file for the pairs: .tsv or .jsonl.")
    ],
    language: Annotated[
        str,
        typer.Option(help="The language of the text: en, de or ru."),
    ] = DEFAULT_LANGUAGE,
    seed: Annotated[
        int, typer.Option(help="Another seed writes other errors into the same text.")
    ] = 1,
    clean_share: Annotated[
        float, typer.Option(help="Share of the sentences that get no error, 0 to 1.")
    ] = 0.3,
    errors_per_100_words: Annotated[
        float, typer.Option(help="In sentences that get errors; each of these gets at least one.")
    ] = 10.0,
    copies: Annotated[
        int, typer.Option(help="Use the text this many times, with other errors each time.")
    ] = 1,
    limit: Annotated[int | None, typer.Option(help="Stop after this many pairs.", min=1)] = None,
    workers: Annotated[
        int, typer.Option(help="Number of processes; it does not change the pairs.", min=1)
    ] = 1,
    page: Annotated[
        Path | None, typer.Option(help="Write some pairs of each kind to this HTML file.")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Write errors into clean text to make training pairs.

    A pair is a sentence with errors and the original. The kinds and rates of the errors come from
    counts of real corrections and from published figures on learners of English; those of other
    languages are written by hand. Sentences that are not clean prose are left out and counted.
    """
    from emendo.errors import RequestError, require
    from emendo.synthesis.page import PairSample
    from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts
    from emendo.synthesis.synthesis import synthesize as make_pairs
    from emendo.synthesis.writing import check_suffix, write_pairs

    require("making errors in the forms of words", "synthesize", "lemminflect")
    check_suffix(output)
    if output.resolve() in {path.resolve() for path in clean}:
        raise RequestError(f"--output {output} is one of the inputs: choose another name")
    if page is not None:
        check_page(page, [*clean, output])
    config = SynthesisConfig(
        language=language,
        seed=seed,
        clean_share=clean_share,
        errors_per_100_words=errors_per_100_words,
        copies=copies,
    )
    counts = SynthesisCounts()
    sample = PairSample(seed=seed)
    sentences = make_pairs(clean, config, counts, workers=workers, limit=limit)
    write_pairs(sample.watch(sentences), output)
    if page is not None:
        page.write_text(sample.page(), encoding="utf-8")
    if json_:
        print(counts.to_json())
    else:
        _print_counts(counts, output)


def _print_counts(counts: "SynthesisCounts", output: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, title=Text(output.name, style="table.title"))
    table.add_column()
    table.add_column(justify="right")
    for label, value in counts.rows():
        table.add_row(label, value)
    Console().print(table)
