"""`emendo analyze`: an analysis of outputs, as a page and as JSON."""

import json
from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.pages import check_page
from emendo.cli.test_sets import JsonFlag, Outputs, Reference, Source, name_of
from emendo.errors import FormatError
from emendo.evaluation.counts import Counts


def analyze(
    outputs: Outputs,
    page: Annotated[Path, typer.Option("--page", help="Where to write the report, an HTML file.")],
    reference: Reference = None,
    source: Source = None,
    tags_from: Annotated[
        Path | None,
        typer.Option(
            help="An .m2 file of training edits; adds the edits that a tagger cannot make."
        ),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Analyse outputs by error rate, by type, and more.

    The report also lists needless and missing edits and clean sentences. Without a reference the
    source is clean text, and every edit is a false alarm. A .jsonl output has one object for each
    sentence: `text`, the output, and, for the threshold curve and calibration, `source` and
    `edits` with `start`, `end` (code points of the source), `replacement`, `confidence` (0 to 1).
    """
    from emendo.evaluation.analysis import analyze as analyze_output
    from emendo.evaluation.gold import read_annotated, read_clean, read_gold
    from emendo.evaluation.outputs import read_outputs
    from emendo.evaluation.report import analysis_page
    from emendo.evaluation.tag_vocabulary import TagVocabulary

    check_page(page, [*outputs, *(reference or []), source, tags_from])
    if reference:
        gold = read_gold(source, reference)
    elif source:
        gold = read_clean(source)
    else:
        raise FormatError("give --reference, or --source alone if it is clean text")
    vocabulary = TagVocabulary.learn(read_annotated(tags_from)) if tags_from else None
    analyses = [
        analyze_output(gold, output, vocabulary=vocabulary)
        for output in read_outputs(outputs, gold)
    ]
    if json_:
        print(json.dumps([analysis.to_json() for analysis in analyses], indent=1))
    else:
        for analysis in analyses:
            print(f"{analysis.name}: {_say(analysis.counts)}")
    page.write_text(analysis_page(analyses, test_set=name_of(source, reference)), encoding="utf-8")
    if not json_:
        print(f"report: {page}")


def _say(counts: Counts) -> str:
    if counts.is_empty:
        return "no edits proposed, none needed"
    return (
        f"precision {100 * counts.precision:.2f}  recall {100 * counts.recall:.2f}  "
        f"F0.5 {100 * counts.f():.2f}"
    )
