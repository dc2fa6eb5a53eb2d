"""`emendo tune`: levels chosen on dev data, stored with the model."""

from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.test_sets import Reference, Source


def tune(
    model: Annotated[Path, typer.Argument(help="A bundle, whose levels are replaced.")],
    reference: Reference = None,
    source: Source = None,
) -> None:
    """Choose how sure the model must be, for each level.

    The levels are precise, balanced and thorough. Each is the one with the highest F on the dev
    data, edits counted by ERRANT; recall weighs 0.2, 0.5 and 1 times as much as precision. Of the
    sentences that are right as they are, it touches at most 1, 3 and 10 %, with a margin for
    chance, so let there be many; if no level does, the one that touches fewest is taken. Take
    sentences that the model was not trained on, and not those that its quality is to be reported
    on.
    """
    from rich.console import Console
    from rich.table import Table

    from emendo.bundle import set_levels
    from emendo.bundle.format import BALANCED
    from emendo.evaluation.errant_edits import score_errant
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.tuning import AIMS, tune_levels
    from emendo.inference.loading import load_editor

    gold = read_gold(source, reference or [])
    editor = load_editor(model)
    tuned = tune_levels(
        lambda levels: editor.edit_at_levels(gold.sources, levels),
        lambda outputs: score_errant(gold.sentences, outputs),
    )
    set_levels(model, {name: found.level for name, found in tuned.items()}, BALANCED)
    # Nine columns within eighty characters.
    table = Table(
        *("level", "KEEP bias", "sentence", "edit", "P", "R", "F", "alarms", "up to"), box=None
    )
    for name, found in tuned.items():
        level, counts, beta = found.level, found.counts, AIMS[name].beta
        table.add_row(
            name,
            *map(str, (level.keep_bias, level.sentence_threshold, level.edit_threshold)),
            *(f"{100 * share:.1f}" for share in (counts.precision, counts.recall)),
            f"{100 * counts.f(beta):.1f} (F{beta:g})",
            f"{100 * found.false_alarms:.1f} %",
            f"{100 * found.false_alarms_elsewhere:.1f} %",
        )
    Console().print(table)
