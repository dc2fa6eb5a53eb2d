"""`emendo analyze`: outputs taken apart, as a page and as JSON."""

import json
from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.test_sets import Reference, Source, name_of


def analyze(
    outputs: Annotated[
        list[Path], typer.Argument(help="The outputs, one sentence a line, or .jsonl.")
    ],
    page: Annotated[Path, typer.Option("--page", help="Where to write the report, an HTML file.")],
    reference: Reference = None,
    source: Source = None,
    tags_from: Annotated[
        Path | None,
        typer.Option(help="An .m2 file of training edits: adds edits beyond a tagger's reach."),
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file too.")
    ] = None,
) -> None:
    """Take outputs apart: by error rate, by type, needless and missing edits, clean sentences.

    Without a reference the source is clean text, and every edit a false alarm. A .jsonl output has
    one object a sentence: `text`, the output, and, for the threshold curve and calibration,
    `source` and `edits`: `start`, `end` (code points of the source), `replacement`, `confidence`.
    """
    from emendo.evaluation.analysis import analyze as analyze_output
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.outputs import read_output
    from emendo.evaluation.report import analysis_page
    from emendo.evaluation.tag_vocabulary import TagVocabulary
    from emendo.text.m2 import read_m2

    vocabulary = None
    if tags_from is not None:
        with tags_from.open(encoding="utf-8") as lines:
            vocabulary = TagVocabulary.learn(read_m2(lines))
    gold = read_gold(source, reference or [])
    analyses = [analyze_output(gold, read_output(path), vocabulary=vocabulary) for path in outputs]
    page.write_text(analysis_page(analyses, test_set=name_of(source, reference)), encoding="utf-8")
    if json_ is not None:
        figures = [analysis.to_json() for analysis in analyses]
        json_.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    for analysis in analyses:
        counts = analysis.counts
        print(
            f"{analysis.name}: precision {100 * counts.precision:.2f}  "
            f"recall {100 * counts.recall:.2f}  F0.5 {100 * counts.f():.2f}"
        )
    print(f"report: {page}")
