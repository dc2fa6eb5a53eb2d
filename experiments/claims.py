"""Trains and tests the arms of an experiment, and says which of its claims hold.

    python experiments/claims.py data DATA               # learners' text as raw pairs, into DATA
    python experiments/claims.py run DATA                # trains and tests what is missing
    python experiments/claims.py summary [--seeds 1] [--curves docs/images/claims.png]

The experiment is a folder beside this file: `claims` tests the paper's claims at our scale, and
`--plan recipe` compares recipes for emendo-en on the data of recipe_data.py. Its train.toml
describes the run, and its claims.toml the arms and claims. Paths in train.toml are relative to
DATA, which must also contain the encoder `deberta-en` (tools/trim_encoder.py). `run` takes hours;
it can be stopped at any time, and continues where it stopped.

Each arm's KEEP bias is chosen on FCE dev. The verdicts use the set that claims.toml names, as raw
text: BEA-dev or, to choose a recipe, one half of FCE dev; the other half is for the bias.

The folder `runs` of the experiment has a folder for each run (`--runs` names another place). Its
configuration, metrics and results are in git, its models are not. `summary` reads only results
whose configuration, metrics and, where it is there, model have not changed since the test, and
prints one JSON object on its last line. With `--seeds`, claims can be judged before all their seeds
have been run; such verdicts are called indications.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from emendo.files import sha256_of, write_whole
from emendo.training.config import TrainConfig
from emendo.training.network import with_shape
from emendo.training.run_folder import RunFolder
from emendo.training.toml_config import load_config
from verdicts import f05, judge

if TYPE_CHECKING:
    from emendo.evaluation.gold import GoldSet

HERE = Path(__file__).parent
ROOT = HERE.parent
PLANS = ("claims", "recipe")
JUDGED_ON = ("bea-dev", "fce-dev")
RESULT, WEIGHTS = "result-{arm}.json", "model/model.safetensors"
CONFIG, METRICS = "config.toml", "metrics.jsonl"
BIASES = (0.0, -1.0, -2.0, -3.0)
DEV, TEST = 500, 1500


@dataclass(frozen=True)
class Arm:
    """A run of train.toml with some keys changed, and the use of its model."""

    name: str
    set: tuple[str, ...] = ()
    of: str | None = None
    """The arm whose model this one uses; it has none of its own."""
    rounds: int = 1
    beam: int | None = None


@dataclass(frozen=True)
class Claim:
    """That one arm is better than another."""

    name: str
    better: str
    worse: str
    seeds: int = 1


@dataclass(frozen=True)
class Plan:
    """An experiment: the run that all arms share, the arms, and the claims about them."""

    run_file: Path
    judged_on: str
    """The set of the verdicts, one of `JUDGED_ON`."""
    arms: dict[str, Arm]
    claims: tuple[Claim, ...]

    @classmethod
    def read(cls, folder: Path) -> Plan:
        """Read a plan's train.toml and claims.toml."""
        table = tomllib.loads((folder / "claims.toml").read_text(encoding="utf-8"))
        arms = {
            name: Arm(name, **{**keys, "set": tuple(keys.get("set", ()))})
            for name, keys in table["arms"].items()
        }
        claims = tuple(Claim(**keys) for keys in table["claims"])
        if table["judged_on"] not in JUDGED_ON:
            sys.exit(f"{folder}/claims.toml: judged_on is one of {', '.join(JUDGED_ON)}")
        return cls(folder / "train.toml", table["judged_on"], arms, claims)

    def settings(self, arm: Arm, seed: int) -> list[str]:
        """Return what an arm's run changes in train.toml."""
        return [*(self.arms[arm.of] if arm.of else arm).set, f"seed={seed}"]

    def needed(self) -> dict[tuple[str, int], list[Arm]]:
        """Return the runs that the claims need, in their order, and the arms that use each."""
        uses: dict[tuple[str, int], list[Arm]] = {}
        for claim in self.claims:
            for seed in range(claim.seeds):
                for arm in (self.arms[claim.better], self.arms[claim.worse]):
                    of_run = uses.setdefault((arm.of or arm.name, seed), [])
                    if arm not in of_run:
                        of_run.append(arm)
        return uses


def folder_of(runs: Path, arm: Arm, seed: int) -> Path:
    return runs / f"{arm.of or arm.name}-{seed}"


def write_data(folder: Path) -> None:
    """Write learners' sentences and their corrections as people write them."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from archives import unpacked
    from emendo.evaluation.gold import read_gold
    from emendo.evaluation.raw_text import detokenise

    archive = unpacked("evaluation-only")
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in (
        ("wi-locness.tsv", "wi+locness/ABC.train.gold.bea19.m2"),
        ("fce-dev.tsv", "fce/fce.dev.regen.m2"),
    ):
        gold = read_gold(None, [archive / path])
        rows = [
            "\t".join(detokenise(tuple(side.split())).text for side in (source, first))
            for source, (first, *_) in zip(gold.sources, gold.references, strict=True)
            if source and first
        ]
        write_whole(folder / name, "".join(f"{row}\n" for row in rows))
        print(f"{name}: {len(rows):,} pairs")
    if not (folder / "corpora").exists():
        (folder / "corpora").symlink_to(ROOT / "corpora")


def train(run_file: Path, folder: Path, data: Path, overrides: list[str]) -> None:
    """Train a run, or continue it; two processes of one thread each on a CPU."""
    chosen = [word for each in overrides for word in ("--set", each)]
    subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc_per_node", "2", "-m", "emendo", "train", run_file, *chosen),
            *("--output", folder.resolve(), "--cache", (folder.parent / "cache").resolve()),
        ],
        check=True,
        cwd=data,
        env={**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")},
    )


def gold_sets(judged_on: str) -> tuple[GoldSet, GoldSet]:
    """Return the sentences on which an arm's bias is chosen, and those of the verdicts."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from archives import unpacked
    from emendo.evaluation.gold import read_gold

    archive = unpacked("evaluation-only")
    dev = read_gold(None, [archive / "fce/fce.dev.regen.m2"])
    if judged_on == "fce-dev":
        rows = range(len(dev.sources))
        return dev.take(rows[::2]).spread(DEV), dev.take(rows[1::2]).spread(TEST)
    held = read_gold(None, [archive / "pillars-of-gec/data/evaluation_sets/bea-dev.m2"])
    return dev.spread(DEV), held.spread(TEST)


def test(arm: Arm, folder: Path, judged_on: str) -> dict[str, object]:
    """Return the counts of an arm's edits on each test sentence, at the best bias on FCE dev."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import torch

    from decoding_arms import TextEditor
    from emendo.evaluation.errant_edits import score_errant
    from text_scores import through_text

    torch.set_num_threads(1)
    editor = TextEditor(folder / "model", rounds=arm.rounds, beam=arm.beam)
    dev, held = gold_sets(judged_on)

    def counts(gold, bias):
        texts = through_text(gold, "bea", lambda lines: editor.correct(lines, bias))
        return [list(each) for each in score_errant(gold.sentences, texts)]

    on_dev = {bias: float(f05(np.sum(counts(dev, bias), axis=0))) for bias in editor.biases(BIASES)}
    bias = max(on_dev, key=lambda each: on_dev[each])
    return {
        "arm": arm.name,
        "judged_on": judged_on,
        "keep_bias": bias,
        "dev": on_dev,
        "counts": counts(held, bias),
    }


def run(plan: Plan, data: Path, runs: Path) -> None:
    """Train and test every arm that a claim needs."""
    for (name, seed), using in plan.needed().items():
        folder = folder_of(runs, plan.arms[name], seed)
        # All uses of a model are tested before the next is trained: models are not kept for long.
        missing = [arm for arm in using if not (folder / RESULT.format(arm=arm.name)).exists()]
        if missing and not (folder / WEIGHTS).exists():
            train(plan.run_file, folder, data, plan.settings(plan.arms[name], seed))
        for arm in missing:
            result = test(arm, folder, plan.judged_on)
            result |= {part: sha256_of(folder / part) for part in (WEIGHTS, CONFIG, METRICS)}
            write_whole(folder / RESULT.format(arm=arm.name), json.dumps(result) + "\n")
            print(f"{folder.name} as {arm.name}: dev {result['dev']}", flush=True)


def read_counts(plan: Plan, runs: Path, name: str, seeds: int) -> np.ndarray | None:
    """Return [seeds, sentences, 3] counts of an arm; None if a run is missing.

    Exits if a result does not belong to the files beside it, or if these are not what claims.toml
    asks for. A model may be missing, but all results of a run must be of the same one.
    """
    found = []
    for seed in range(seeds):
        folder = folder_of(runs, plan.arms[name], seed)
        place = folder / RESULT.format(arm=name)
        if not place.exists():
            return None
        result = json.loads(place.read_text(encoding="utf-8"))
        for part in (CONFIG, METRICS, *((WEIGHTS,) if (folder / WEIGHTS).exists() else ())):
            if sha256_of(folder / part) != result[part]:
                sys.exit(f"{folder / part} has changed since {place.name} was written: test again")
        for other in folder.glob(RESULT.format(arm="*")):
            if json.loads(other.read_text(encoding="utf-8"))[WEIGHTS] != result[WEIGHTS]:
                sys.exit(f"{place} and {other.name} are of different models: test again")
        if result["judged_on"] != plan.judged_on:
            sys.exit(f"{place} is not of {plan.judged_on}: test again")
        wanted = load_config(TrainConfig, plan.run_file, plan.settings(plan.arms[name], seed))
        wanted = replace(wanted, model=with_shape(wanted.model, Path(wanted.model.encoder)))
        if load_config(TrainConfig, folder / CONFIG) != wanted:
            sys.exit(f"{folder / CONFIG} is not the run that claims.toml describes: train again")
        found.append(result["counts"])
    return np.array(found, dtype=float)


def figures(counts: np.ndarray) -> list[float]:
    """Return precision, recall and F0.5 of an arm over all its seeds, in percent."""
    correct, proposed, gold = sums = np.sum(counts, axis=(0, 1))
    shares = 100 * correct / max(proposed, 1), 100 * correct / max(gold, 1), f05(sums)
    return [round(float(each), 1) for each in shares]


def summarise(plan: Plan, runs: Path, most: int | None = None) -> dict[str, object]:
    """Print a row for each claim, and return all of them; `most` limits the seeds."""
    rows = {}
    for claim in plan.claims:
        seeds = min(claim.seeds, most or claim.seeds)
        sides = {arm: read_counts(plan, runs, arm, seeds) for arm in (claim.better, claim.worse)}
        if any(side is None for side in sides.values()):
            rows[claim.name] = {"verdict": "not run"}
            print(f"{claim.name}: not run")
            continue
        found = judge(*sides.values())
        kind = " (one seed: an indication)" if seeds == 1 else ""
        if 1 < seeds < claim.seeds:
            kind = f" ({seeds} of {claim.seeds} seeds: an indication)"
        print(
            f"{claim.name}: {found.word}{kind}, {found.difference:+.2f} F0.5 "
            f"({found.low:+.2f} to {found.high:+.2f}), smallest that could be shown "
            f"{found.smallest:.2f}, by seed {[round(each, 2) for each in found.by_seed]}"
        )
        rows[claim.name] = {
            "verdict": found.word,
            "difference": round(found.difference, 2),
            "low": round(found.low, 2),
            "high": round(found.high, 2),
            "smallest": round(found.smallest, 2),
            "seeds": seeds,
            "precision_recall_f05": {arm: figures(counts) for arm, counts in sides.items()},
        }
    return rows


def draw(plan: Plan, runs: Path, path: Path) -> None:
    """Draw the dev score of each arm over its steps, the mean over seeds."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    panel = figure.subplots()
    for number, arm in enumerate(arm for arm in plan.arms.values() if not arm.of):
        curves = [
            {e["step"]: e["score"] for e in RunFolder(folder).read_metrics() if "score" in e}
            for folder in sorted(runs.glob(f"{arm.name}-[0-9]*"))
        ]
        steps = sorted(set.intersection(*map(set, curves))) if curves else []
        if steps:
            means = [np.mean([curve[step] for curve in curves]) for step in steps]
            panel.plot(steps, means, "o-", color=f"C{number}", label=f"{arm.name} ({len(curves)})")
    panel.set_xlabel("updates")
    panel.set_ylabel("F0.5 on the dev sentences of the training, best KEEP bias")
    panel.grid(color="#e4e4e4")
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False, fontsize=8, title="arm (seeds)")
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("data", help="write learners' text as raw pairs")
    verb.add_argument("data", type=Path)
    run_verb = verbs.add_parser("run", help="train and test what is missing")
    run_verb.add_argument("data", type=Path)
    summary = verbs.add_parser("summary", help="print the verdicts")
    summary.add_argument("--seeds", type=int, choices=(1, 2), help="judge by at most so many seeds")
    summary.add_argument("--curves", type=Path, help="a PNG of the dev scores")
    for verb in (run_verb, summary):
        verb.add_argument("--plan", choices=PLANS, default=PLANS[0], help="the experiment")
        verb.add_argument("--runs", type=Path, help="the folder of the runs")
    options = parser.parse_args()
    if options.verb == "data":
        write_data(options.data)
        return
    plan = Plan.read(HERE / options.plan)
    runs = options.runs or HERE / options.plan / "runs"
    if options.verb == "run":
        run(plan, options.data, runs)
    else:
        rows = summarise(plan, runs, options.seeds)
        if options.curves:
            draw(plan, runs, options.curves)
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
