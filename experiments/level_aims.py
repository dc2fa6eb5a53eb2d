"""Compares aims of levels on FCE dev: the limit for one type of edit, recall's weight, support.

    python experiments/level_aims.py BUNDLE DATA [--every 2] [--sentences 800]

DATA is the folder that models/emendo-en/prepare.py writes. Each aim differs from that of
balanced in one value. For each, the level is
chosen as `emendo tune` does: confidences are fitted on dev.src and dev.trg, then the level is
chosen that has the highest F and changes at most 2 % of correct sentences. --every N takes one in N
of the dev and clean sentences. FCE's dev split, as raw text, shows the effect on learners' text.
Prints a row for each aim, and one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from emendo.bundle import open_bundle
from emendo.bundle.levels import EVERYTHING
from emendo.evaluation.aims import AIMS
from emendo.evaluation.calibration import fit_calibration, judge, reliability
from emendo.evaluation.errant_edits import score_errant
from emendo.evaluation.gold import joined, read_clean, read_gold
from emendo.evaluation.metrics import score
from emendo.evaluation.tuning import tune_levels
from emendo.inference.loading import load_editor

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from archives import unpacked  # noqa: E402
from text_scores import through_text  # noqa: E402

VALUES = {
    "beta": (1.0,),
    "one_type": (1.0, 0.25, 0.15),
    "support": (0.0, 0.15, 0.45, 0.6),
}
CLEAN = ("clean-dev-edited.txt", "clean-dev-everyday.txt")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bundle", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=2, help="take one of so many sentences")
    parser.add_argument("--sentences", type=int, default=800, help="of FCE dev")
    options = parser.parse_args()
    bundle = open_bundle(options.bundle)
    usual = AIMS["balanced"]
    aims = {
        "balanced": usual,
        **{
            f"{name} {value:g}": usual._replace(**{name: value})
            for name, values in VALUES.items()
            for value in values
        },
    }

    def some(gold):
        return gold.spread(len(gold.sources) // options.every)

    def editor_with(lines):
        return load_editor(replace(bundle, config=replace(bundle.config, calibration=lines)))

    clean = [some(read_clean(options.data / name)) for name in CLEAN]
    fce = unpacked("evaluation-only") / "fce/fce.dev.regen.m2"
    learners = read_gold(None, [fce]).spread(options.sentences)
    dev = some(read_gold(options.data / "dev.src", [options.data / "dev.trg"]))
    targets = [first for first, *_ in dev.references]
    (raw,) = editor_with({}).edit_at_levels(dev.sources, [EVERYTHING])
    editor = editor_with(fit_calibration(judge(raw, targets)))
    whole, rows = joined([dev, *clean])
    known: dict = {}
    tuned = tune_levels(
        lambda levels: editor.edit_at_levels(whole.sources, levels, known),
        lambda outputs: score_errant(whole.sentences, outputs),
        rows[1:],
        aims,
    )
    result = {}
    for name, found in tuned.items():

        def correct(texts, level=found.level):
            return [edited.text for edited in editor.edit_many(texts, level=level)]

        values = score("errant", learners, through_text(learners, "bea", correct)).values()
        (at,) = editor.edit_at_levels(dev.sources, [found.level], known)
        trust = reliability(judge(at, targets))
        counts = found.counts
        own = " / ".join(
            f"{100 * value:.1f}" for value in (counts.precision, counts.recall, counts.f())
        )
        print(
            f"{name}: dev {own}, calibration error {trust.error:.3f}, "
            f"alarms {100 * found.false_alarms:.2f} % "
            f"(up to {100 * found.false_alarms_elsewhere:.2f}), FCE {values}, {found.level}",
            flush=True,
        )
        result[name] = round(values["f0.5"], 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
