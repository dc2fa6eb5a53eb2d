"""How good a model is, on the field's test sets, on clean text and on lists of everyday writing.

    python benchmarks/quality.py [--model en] [--clean FILE] [--sentences N] [--wheel FILE]

The model works at its balanced level. Test sets go through the raw-text protocol
(emendo/evaluation/raw_text.py): BEA-dev and CWEB-G by ERRANT's F0.5, CoNLL-14 by MaxMatch's, JFLEG
by GLEU; Harper, quire-grammar and doing nothing stand beside it on BEA-dev. Clean text (a sentence
a line, such as models/emendo-en/prepare.py holds out) gives the share of sentences touched, at the
precise level, too. The lists are models/emendo-en/{everyday.tsv,tricky.txt}. Prints a table with
intervals of 95 %, and one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from archives import ROOT, unpacked
from emendo import load_editor
from emendo.evaluation.gold import GoldSet, read_gold
from emendo.evaluation.metrics import score
from emendo.evaluation.raw_text import detokenise, retokenise
from emendo.evaluation.resampling import bootstrap
from peers import harper, quire

LISTS = ROOT / "models/emendo-en"
# Name: the files of references, the source where those don't have it, metric, and whose tokens.
SETS = {
    "bea_dev": ("errant", "bea", None, ["pillars-of-gec/data/evaluation_sets/bea-dev.m2"]),
    "cweb_g": ("errant", "bea", None, ["cweb/data/m2/CWEB-G.test.m2"]),
    "conll14": ("m2", "conll", None, ["pillars-of-gec/data/evaluation_sets/nucle14-2a.m2"]),
    "jfleg": (
        "gleu",
        "conll",
        "jfleg/test/test.src",
        [f"jfleg/test/test.ref{k}" for k in range(4)],
    ),
}
HEADLINES = {"errant": "f05", "m2": "f05", "gleu": "gleu"}


def read_set(name: str, limit: int | None) -> GoldSet:
    """Read a test set, or sentences spread over it."""
    _, _, source, references = SETS[name]
    folder = unpacked("evaluation-only")
    gold = read_gold(folder / source if source else None, [folder / r for r in references])
    count = min(limit or len(gold.sources), len(gold.sources))
    rows = [k * len(gold.sources) // count for k in range(count)]
    return GoldSet(
        tuple(gold.sources[row] for row in rows),
        tuple(gold.references[row] for row in rows),
        tuple(gold.annotated[row] for row in rows) if gold.annotated else gold.annotated,
    )


def through_text(gold: GoldSet, style: str, correct) -> list[str]:
    """Let a tool that takes real text correct tokenised sentences."""
    raw = [detokenise(tuple(source.split()), style=style) for source in gold.sources]
    corrected = iter(correct([sentence.text for sentence in raw if sentence.text]))
    return [retokenise(sentence, next(corrected)) if sentence.text else "" for sentence in raw]


def measured(system: str, name: str, gold: GoldSet, correct) -> dict[str, float]:
    """Score a system on a set, print its row, and return its figures under the set's name."""
    metric, style, *_ = SETS[name]
    scored = score(metric, gold, through_text(gold, style, correct))
    values, interval = scored.values(), bootstrap(scored)
    row = "  ".join(f"{key} {value:6.2f}" for key, value in values.items())
    print(f"{name:8s} {system:14s} {row}  ({interval.low:.2f}–{interval.high:.2f})", flush=True)
    names = {"precision": "p", "recall": "r", "f0.5": "f05"}
    return {f"{name}_{names.get(key, key)}": value for key, value in values.items()}


def everyday(correct) -> int:
    """Count everyday errors that become one of their corrections."""
    lines = (LISTS / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    outputs = correct([wrong for wrong, _ in rows])
    return sum(out in right.split("||") for out, (_, right) in zip(outputs, rows, strict=True))


def touched(texts: list[str], correct) -> int:
    """Count texts that do not come back as they went in."""
    return sum(text != output for text, output in zip(texts, correct(texts), strict=True))


def read_lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="an installed model's name or a bundle's folder")
    parser.add_argument("--clean", type=Path, help="sentences without errors, one a line")
    parser.add_argument("--wheel", type=Path, help="the model's package, for its size")
    parser.add_argument("--sentences", type=int, help="of each set; all unless told")
    options = parser.parse_args()
    editor = load_editor(options.model, cache_size=0)

    def correct_at(level):
        return lambda texts: [edited.text for edited in editor.edit_many(texts, level=level)]

    balanced = correct_at("balanced")
    systems = {
        "bea_dev": {"harper": harper.connect(), "quire": quire.connect(), "nothing": list},
        "jfleg": {"nothing": list},
    }
    result = {}
    for name in SETS:
        gold = read_set(name, options.sentences)
        result |= measured("emendo", name, gold, balanced)
        for system, correct in systems.get(name, {}).items():
            headline = f"{name}_{HEADLINES[SETS[name][0]]}"
            result[f"{system}_{headline}"] = measured(system, name, gold, correct)[headline]
    result["harper_f05"] = result.pop("harper_bea_dev_f05")
    if options.clean:
        texts = read_lines(options.clean)
        result["false_alarm_pct"] = 100 * touched(texts, balanced) / len(texts)
        result["false_alarm_precise_pct"] = 100 * touched(texts, correct_at("precise")) / len(texts)
    result["everyday_fixed"] = everyday(balanced)
    result["tricky_broken"] = touched(read_lines(LISTS / "tricky.txt"), balanced)
    if options.wheel:
        result["wheel_mb"] = options.wheel.stat().st_size / 1e6
    times = []
    for source in read_set("bea_dev", 300).sources:
        # As people write: text in tokens looks wrong, and is edited in every round.
        text = detokenise(tuple(source.split())).text
        start = time.perf_counter()
        editor.edit(text)
        times.append(1000 * (time.perf_counter() - start))
    result["p50_ms"] = statistics.median(times)
    print(json.dumps({key: round(value, 2) for key, value in result.items()}))


if __name__ == "__main__":
    main()
