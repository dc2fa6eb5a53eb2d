"""`emendo tune`: chooses levels and a calibration on dev data, and stores them in the model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emendo.cli.progress import show_steps
from emendo.cli.test_sets import Reference, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.evaluation.counts import Counts
    from emendo.text import EditedText


def tune(
    model: Annotated[Path, typer.Argument(help="The bundle whose levels are replaced.")],
    reference: Reference = None,
    source: Source = None,
    clean: Annotated[
        list[Path] | None,
        typer.Option(
            help="Correct sentences of one kind, one per line; repeat for others. The limits on "
            "false alarms hold for each. Default: the correct sentences of the dev data."
        ),
    ] = None,
) -> None:
    """Choose the confidence that each level of a model requires.

    First, the confidences of each type of edit are fitted to how often such edits are right on
    the dev data. Then the levels precise, balanced and thorough are chosen. Each has the highest
    F, with edits counted by ERRANT; recall weighs 0.2, 0.5 and 1 times as much as precision. A
    level changes at most 0.5, 2 and 10 % of correct sentences, with a margin for chance, so give
    many. Edits of one type may use only a part of this limit, unless no level achieves that. If no
    level keeps to the limit itself, the one that changes fewest is taken. Use sentences that the
    model was not trained on and that you will not use to measure it.
    """
    from collections import Counter
    from dataclasses import replace

    from rich.console import Console
    from rich.table import Table

    from emendo.bundle import open_bundle, set_levels
    from emendo.bundle.format import CORRECTION, DEFAULT_LEVEL
    from emendo.bundle.levels import EVERYTHING
    from emendo.errors import RequestError
    from emendo.evaluation.aims import AIMS
    from emendo.evaluation.calibration import fit_calibration, judge, reliability
    from emendo.evaluation.errant_edits import score_errant
    from emendo.evaluation.gold import joined, read_clean, read_gold
    from emendo.evaluation.tuning import tune_levels
    from emendo.inference import Editor
    from emendo.inference.loading import load_editor

    bundle = open_bundle(model)
    if bundle.config.task != CORRECTION:
        raise RequestError(
            f"the task of {model} is {bundle.config.task}; levels are chosen for correction, and "
            "other models have only one"
        )
    dev = read_gold(source, reference or [])
    # A blank line is never changed, so it would hide false alarms.
    registers = [read_clean(path, with_blank=False) for path in clean or []]

    targets = [first for first, *_ in dev.references]
    whole, rows = joined([dev, *registers])
    known: dict[tuple[float, str], EditedText] = {}
    with show_steps() as on_step:
        steps = Counter[str]()

        def add(name: str, count: int = 1) -> None:
            steps[name] += count
            if on_step:
                on_step(name, steps[name], None)

        def calibrated(lines: dict[str, tuple[float, float]]) -> Editor:
            return load_editor(
                replace(bundle, config=replace(bundle.config, calibration=lines)),
                on_batch=lambda batch: add("sentences read", len(batch.input_ids)),
            )

        def count(outputs: "Sequence[str]") -> "Sequence[Counts]":
            add("levels scored")
            return score_errant(whole.sentences, outputs)

        (raw,) = calibrated({}).edit_at_levels(dev.sources, [EVERYTHING])
        lines = fit_calibration(judge(raw, targets))
        editor = calibrated(lines)
        tuned = tune_levels(
            lambda levels: editor.edit_at_levels(whole.sources, levels, known), count, rows[1:]
        )
    levels = {name: found.level for name, found in tuned.items()}
    set_levels(model, levels, DEFAULT_LEVEL, lines)
    # Nine columns have to fit into eighty characters.
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
    console = Console()
    console.print(table)
    for name, level in levels.items():
        own = ", ".join(f"{kind} {threshold:g}" for kind, threshold in level.type_thresholds)
        if own:
            console.print(f"{name}, by type: {own}")
    at_default = editor.edit_at_levels(dev.sources, [levels[DEFAULT_LEVEL]], known)[0]
    before, after = reliability(judge(raw, targets)), reliability(judge(at_default, targets))
    console.print(
        f"calibration error: {before.error:.3f} for all edits before, {after.error:.3f} for those "
        f"of {DEFAULT_LEVEL} after; {100 * after.sure_share:.0f} % of these are at least 90 % "
        f"sure, and {100 * after.sure_right:.0f} % of those right"
    )
