"""How good a German or Russian model is; `benchmarks/quality.py --language de` runs this.

The model works at its balanced level, over natural text (emendo/evaluation/raw_text.py):

- German: the test set of Falko-MERLIN, by MaxMatch (`falko_merlin_*`).
- Russian: the test set of GERA (`gera_*`), and that of LORuGEC (`lorugec_*`), by MaxMatch.
- `f05` and `p` are those of the first set; `nothing_*` are the scores of the unchanged text.
- `false_alarm_pct`: the share that the model changes of up to 2,000 correct sentences from Common
  Voice and documentation. models/preparation.py holds these sentences out for reporting.
- `p50_ms`: the median time for a sentence of the first set, in milliseconds.

`--peer hunspell` measures Hunspell's first suggestion for every unknown word instead of a model: a
corrector by rules and a dictionary, without the time.

Prints a table with 95 % intervals, and one JSON object on its last line.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from archives import ROOT, unpacked
from emendo import load_editor
from emendo.evaluation.gold import GoldSet, read_gold
from marked_tables import fill, table
from peers import hunspell
from text_scores import measured, middle_time, through_text, touched

sys.path.append(str(ROOT / "models"))

from preparation import CleanText

if TYPE_CHECKING:
    from pathlib import Path

# By language, the name of each set, its archive and its file; the first gives the headline.
SETS = {
    "de": {"falko_merlin": ("sharealike-pairs", "falko-merlin/fm-test.m2")},
    "ru": {
        "gera": ("evaluation-only", "gera/GERA.test.m2"),
        "lorugec": ("evaluation-only", "lorugec/LORuGEC.test.m2"),
    },
}
# Hyphens stay inside words, as in the tokens of these sets.
STYLE = "conll"
METRIC = "m2"
TIMED = 300
AIMS = {"de": "F0.5 35 at P 55", "ru": "F0.5 20 at P 45"}
TITLES = {"falko_merlin": "Falko-MERLIN test", "gera": "GERA test", "lorugec": "LORuGEC test"}


def read_set(archive: str, file: str, limit: int | None) -> GoldSet:
    """Read a test set, or sentences spread over it."""
    gold = read_gold(None, [unpacked(archive) / file])
    return gold.spread(limit or len(gold.sources))


def false_alarms(code: str, limit: int | None, correct) -> dict[str, float]:
    """Return the share of correct sentences that are changed, in per cent, and their number."""
    texts = CleanText(unpacked("permissive-clean-text"), code).reported
    texts = texts[:: max(1, len(texts) // limit)] if limit else texts
    return {
        "clean_sentences": len(texts),
        "false_alarm_pct": 100 * touched(texts, correct) / len(texts),
    }


def card(code: str, result: dict[str, float]) -> str:
    """Return the table of a model's card."""
    rows = []
    for number, name in enumerate(SETS[code]):
        shares = " / ".join(f"{result[f'{name}_{key}']:.4g}" for key in ("p", "r", "f05"))
        rows.append([f"{TITLES[name]}: P / R / F0.5", shares, "" if number else AIMS[code]])
    rows += [
        ["correct sentences changed, %", f"{result['false_alarm_pct']:.3g}", "3"],
        ["milliseconds for a sentence, median", f"{result['p50_ms']:.3g}", ""],
    ]
    return table(["", f"emendo-{code}", "aim"], rows)


def read_sets(code: str, limit: int | None) -> dict[str, GoldSet]:
    """Read the test sets of a language."""
    return {name: read_set(*where, limit) for name, where in SETS[code].items()}


def scores(
    system: str, code: str, golds: dict[str, GoldSet], limit: int | None, correct
) -> dict[str, float]:
    """Return the scores of a corrector on the sets of a language, and its false alarms."""
    result: dict[str, float] = {}
    for name, gold in golds.items():
        result |= measured(system, name, gold, correct, metric=METRIC, style=STYLE)
    first = next(iter(golds))
    result |= {key: result[f"{first}_{key}"] for key in ("f05", "p", "r")}
    return result | false_alarms(code, limit, correct)


def run_peer(code: str, dictionaries: Path, limit: int | None) -> None:
    """Measure Hunspell, and print the figures."""
    golds = read_sets(code, limit)
    result = scores("hunspell", code, golds, limit, hunspell.connect(dictionaries, code))
    print(json.dumps({key: round(value, 3) for key, value in result.items()}))


def run(code: str, model: str | None, limit: int | None, page: Path | None) -> None:
    """Measure a model, print the figures, and write them into its card."""
    editor = load_editor(model or code, cache_size=0)
    golds = read_sets(code, limit)
    result = scores(
        "emendo",
        code,
        golds,
        limit,
        lambda texts: [edited.text for edited in editor.edit_many(texts)],
    )
    for name, gold in golds.items():
        nothing = measured("nothing", name, gold, list, metric=METRIC, style=STYLE)
        result |= {f"nothing_{key}": value for key, value in nothing.items()}
    gold = next(iter(golds.values()))
    texts: list[str] = []
    through_text(gold, STYLE, lambda raw: texts.extend(raw) or raw)
    result["p50_ms"] = middle_time(editor, texts[:: max(1, len(texts) // TIMED)])
    if page:
        fill(page, {"figures": card(code, result)})
    print(json.dumps({key: round(value, 3) for key, value in result.items()}))
