"""`emendo score`: one output, one metric."""

# Annotations stay objects here: typer reads them when the command is added.

import json
from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.test_sets import JsonFlag, MetricName, Reference, Source


def score(
    hypothesis: Annotated[
        Path,
        typer.Option(
            "--hypothesis", "-y", help="The output, one sentence on each line, or .jsonl."
        ),
    ],
    metric: MetricName,
    reference: Reference = None,
    source: Source = None,
    json_: JsonFlag = False,
) -> None:
    """Score a system's output against references.

    Sentences are tokens separated by white space, as in the test set. Intervals contain 95 % of
    1,000 bootstrap resamples of the sentences.
    """
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.metrics import score as score_output
    from emendo.evaluation.outputs import read_output
    from emendo.evaluation.resampling import bootstrap

    gold = read_gold(source, reference or [])
    output = read_output(hypothesis, gold)
    scored = score_output(metric, gold, output.hypotheses)
    values, interval = scored.values(), bootstrap(scored)
    if json_:
        figures = {"metric": metric, "sentences": len(gold.sources), **values}
        print(json.dumps({**figures, "interval": list(interval)}))
        return
    line = "  ".join(f"{name} {value:.2f}" for name, value in values.items())
    print(f"{line}  ({interval.low:.2f}–{interval.high:.2f})  {len(gold.sources):,} sentences")
