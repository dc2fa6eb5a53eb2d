"""How good a model is, on the usual test sets, on clean text and on lists of everyday writing.

    python benchmarks/quality.py --data FOLDER [--model en] [--sentences N] [--wheel FILE]
        [--card models/emendo-en/README.md]
    python benchmarks/quality.py --language de [--model de] [--sentences N] [--card FILE]
    python benchmarks/quality.py --language de --peer hunspell [--sentences N]

The other forms are for other languages: language_quality.py describes them. The rest is for
English.

The model runs at its balanced level. Test sets use the raw-text protocol
(emendo/evaluation/raw_text.py): ERRANT's F0.5 for BEA-dev and CWEB-G, MaxMatch's F0.5 for CoNLL-14,
GLEU for JFLEG. Harper, quire-grammar and unchanged text are scored on BEA-dev, too. FOLDER is the
output of models/emendo-en/prepare.py: its clean-edited.txt (books and news) and clean-everyday.txt
give the share of correct sentences that are changed (`false_alarm_pct`,
`everyday_false_alarm_pct`), at the precise level, too. The lists are
models/emendo-en/{everyday.tsv,tricky.txt}.

- `nonwords`: words in any of the outputs that neither the source nor hunspell has.
- `ece`: expected calibration error on written-en's test split, at balanced; `sure_share` and
  `sure_right`: the share of edits at 90 % or more, and how many of these are right, in per cent;
  `bea_dev_ece` is on BEA-dev, against its first annotator.
- `rss_mb`: the peak memory of `emendo edit` with this model on the everyday list.

Prints a table with 95 % intervals, and one JSON object on its last line. --card writes the figures
into a model's card, with those by type of error beside CTC-Copy's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import language_quality
import text_scores
from archives import ROOT, unpacked
from emendo import load_editor
from emendo.data.inline_corpus import read_listing
from emendo.data.readers import InlineFile, PairFiles
from emendo.evaluation.calibration import judge, reliability
from emendo.evaluation.counts import Counts, total
from emendo.evaluation.edit_matching import counts_by_type
from emendo.evaluation.errant_edits import match_by_errant
from emendo.evaluation.gold import GoldSet, read_gold
from emendo.evaluation.raw_text import detokenise
from marked_tables import fill, table
from nonwords import FOLDER, Hunspell
from peers import harper, quire
from text_scores import middle_time, through_text, touched

LISTS = ROOT / "models/emendo-en"
WRITTEN = ROOT / "corpora/written-en"
CLEAN = {"": "clean-edited.txt", "everyday_": "clean-everyday.txt"}
# Name: metric, style of tokens, the source if the references do not have it, the references.
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
PUBLISHED = "pillars-of-gec/data/system_preds/single_systems/CTC-Copy___bea-dev.txt"
MOST_TYPES = 20
# The rows of the card: a name, the keys of its figures, and the aim.
CARD = (
    ("BEA-dev: P / R / F0.5", ("bea_dev_p", "bea_dev_r", "bea_dev_f05"), "F0.5 42 at P 58"),
    ("CoNLL-14: P / R / F0.5", ("conll14_p", "conll14_r", "conll14_f05"), "38"),
    ("CWEB-G: P / R / F0.5", ("cweb_g_p", "cweb_g_r", "cweb_g_f05"), "30"),
    ("JFLEG test: GLEU", ("jfleg_gleu",), "54"),
    ("Harper on BEA-dev: F0.5", ("harper_f05",), ""),
    ("quire-grammar on BEA-dev: F0.5", ("quire_bea_dev_f05",), ""),
    ("correct sentences changed, books and news, %", ("false_alarm_pct",), "2"),
    ("the same, everyday writing, %", ("everyday_false_alarm_pct",), "2"),
    ("books and news at `precise`, %", ("false_alarm_precise_pct",), "0.5"),
    ("everyday writing at `precise`, %", ("everyday_false_alarm_precise_pct",), "0.5"),
    ("everyday errors corrected, of 100", ("everyday_fixed",), "85"),
    ("tricky correct sentences changed, of 100", ("tricky_broken",), "at most 5"),
    ("replacements that are not words", ("nonwords",), "0"),
    ("calibration error on written-en, on BEA-dev", ("ece", "bea_dev_ece"), "0.10"),
    ("edits shown at 90 % or more: % of all, % right", ("sure_share", "sure_right"), "25, 85"),
    ("package, MB", ("wheel_mb",), "60"),
)


def read_set(name: str, limit: int | None) -> GoldSet:
    """Read a test set, or an even sample of it."""
    _, _, source, references = SETS[name]
    folder = unpacked("evaluation-only")
    gold = read_gold(folder / source if source else None, [folder / r for r in references])
    return gold.spread(limit or len(gold.sources))


def by_type(sentences, outputs: dict[str, list[str]]) -> str:
    """Return a table of F0.5 for the most frequent types of error, a column for each system."""
    counted = {}
    for system, texts in outputs.items():
        groups = defaultdict(list)
        for kind, counts in counts_by_type(match_by_errant(sentences, texts)).items():
            # Without the prefix for missing, replaced or unnecessary.
            groups[kind.partition(":")[2] or kind].append(counts)
        counted[system] = {kind: total(parts) for kind, parts in groups.items()}
    first = next(iter(counted.values()))
    kinds = sorted(first, key=lambda kind: -first[kind].gold)[:MOST_TYPES]
    header = ["type", "errors", *(f"{system}: P / R / F0.5" for system in counted)]
    return table(
        header,
        [
            [kind, str(first[kind].gold), *(_shares(found[kind]) for found in counted.values())]
            for kind in kinds
        ],
    )


def _shares(counts: Counts) -> str:
    values = (counts.precision, counts.recall, counts.f())
    return " / ".join(f"{100 * value:.1f}" for value in values)


def card(result: dict[str, float]) -> str:
    """Return the table of a model's card."""
    rows = [
        [name, " / ".join(f"{result[key]:.4g}" for key in keys), bar]
        for name, keys, bar in CARD
        if keys[0] in result
    ]
    return table(["", "emendo-en", "aim"], rows)


def write_card(path: Path, result: dict[str, float], bea: GoldSet, outputs: list[str]) -> None:
    """Write the figures, and those by type on BEA-dev beside a published system's."""
    published = (unpacked("evaluation-only") / PUBLISHED).read_text("utf-8").splitlines()
    others = dict(zip(read_set("bea_dev", None).sources, published, strict=True))
    systems = {"emendo-en": outputs, "CTC-Copy": [others[source] for source in bea.sources]}
    fill(path, {"figures": card(result), "types": by_type(bea.sentences, systems)})


def measured(system: str, name: str, gold: GoldSet, correct) -> dict[str, float]:
    """Score a system on one of the sets."""
    metric, style, *_ = SETS[name]
    return text_scores.measured(system, name, gold, correct, metric=metric, style=style)


def everyday(correct) -> int:
    """Count everyday errors that become one of their corrections."""
    lines = (LISTS / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    outputs = correct([wrong for wrong, _ in rows])
    return sum(out in right.split("||") for out, (_, right) in zip(outputs, rows, strict=True))


def read_lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def written_test(limit: int | None) -> list[tuple[str, str]]:
    """Return sources and corrections of written-en's test split, or an even sample."""
    reader = PairFiles()
    reader.files = tuple(InlineFile(file.path) for file in read_listing(WRITTEN, "test"))
    pairs = list(reader.read())
    count = min(limit or len(pairs), len(pairs))
    return [pairs[k * len(pairs) // count] for k in range(count)]


def calibration(prefix: str, edited, targets) -> dict[str, float]:
    """Return how well confidences match how often edits are right."""
    found = reliability(judge(edited, targets))
    return {
        f"{prefix}ece": found.error,
        f"{prefix}sure_share": 100 * found.sure_share,
        f"{prefix}sure_right": 100 * found.sure_right,
    }


def edit_memory(model: str | None) -> float:
    """Return the peak memory of `emendo edit` in MB."""
    lines = (LISTS / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    page = "\n\n".join(line.split("\t")[0] for line in lines)
    command = [sys.executable, "-m", "emendo", "edit", *(["--model", model] if model else [])]
    # In an intermediate process: a child's peak starts at that of its parent.
    script = f"import resource, subprocess; subprocess.run({command!r}, input={page!r}, text=True, "
    script += "check=True, stdout=subprocess.DEVNULL); "
    script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    used = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return int(used.stdout) / 1024


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", choices=["en", *language_quality.SETS], default="en")
    parser.add_argument("--data", type=Path, help="what prepare.py of emendo-en wrote")
    parser.add_argument("--model", help="an installed model's name or a bundle's folder")
    parser.add_argument("--wheel", type=Path, help="the model's package, for its size")
    parser.add_argument("--sentences", type=int, help="how many of each set; default: all")
    parser.add_argument("--peer", choices=["hunspell"], help="measure this instead of a model")
    parser.add_argument("--card", type=Path, help="the model card to write the figures into")
    parser.add_argument("--hunspell", type=Path, default=FOLDER, help="the dictionaries' folder")
    options = parser.parse_args()
    if options.peer and (options.language == "en" or options.card or options.model):
        parser.error("--peer is for other languages than English, without --model and --card")
    if options.language == "en":
        if options.data is None:
            parser.error("English needs --data: what models/emendo-en/prepare.py wrote")
        for name in CLEAN.values():
            if not (options.data / name).is_file():
                parser.error(f"no {name} in {options.data}: run models/emendo-en/prepare.py")
    return options


def main() -> None:
    options = parse_options()
    if options.language != "en":
        if options.peer:
            language_quality.run_peer(options.language, options.hunspell, options.sentences)
        else:
            language_quality.run(options.language, options.model, options.sentences, options.card)
        return
    hunspell = Hunspell(options.hunspell)
    editor = load_editor(options.model, cache_size=0)
    # All outputs of the model, to search for non-words, and for sets that are used twice.
    seen = {}

    def edit_at(level, texts):
        new = [text for text in dict.fromkeys(texts) if (level, text) not in seen]
        for text, edited in zip(new, editor.edit_many(new, level=level), strict=True):
            seen[level, text] = edited
        return [seen[level, text] for text in texts]

    def correct_at(level):
        return lambda texts: [edited.text for edited in edit_at(level, texts)]

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
    for prefix, name in CLEAN.items():
        texts = read_lines(options.data / name)[: options.sentences]
        for level, suffix in (("balanced", ""), ("precise", "_precise")):
            share = 100 * touched(texts, correct_at(level)) / len(texts)
            result[f"{prefix}false_alarm{suffix}_pct"] = share
    result["everyday_fixed"] = everyday(balanced)
    result["tricky_broken"] = touched(read_lines(LISTS / "tricky.txt"), balanced)
    sources, targets = zip(*written_test(options.sentences), strict=True)
    result |= calibration("", edit_at("balanced", sources), targets)
    bea = read_set("bea_dev", options.sentences)
    raw = [detokenise(tuple(source.split())).text for source in bea.sources]
    wanted = [detokenise(tuple(first.split())).text for first, *_ in bea.references]
    found = calibration("bea_dev_", edit_at("balanced", raw), wanted)
    result["bea_dev_ece"] = found["bea_dev_ece"]
    nonwords = sorted(set(hunspell.nonwords(e for e in seen.values() if e.edits)))
    print("non-words:", ", ".join(nonwords[:40]) or "none")
    result["nonwords"] = len(nonwords)
    if options.wheel:
        result["wheel_mb"] = options.wheel.stat().st_size / 1e6
    result["rss_mb"] = edit_memory(options.model)
    result["p50_ms"] = middle_time(editor, raw[:: max(1, len(raw) // 300)])
    if options.card:
        write_card(options.card, result, bea, through_text(bea, "bea", balanced))
    print(json.dumps({key: round(value, 3) for key, value in result.items()}))


if __name__ == "__main__":
    main()
