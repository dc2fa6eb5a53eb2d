"""Exact match and SARI of a model for sentence fusion, compared with two baselines.

    python benchmarks/fusion.py BUNDLE --pairs pairs/test.jsonl [--train pairs/train.jsonl]
        [--card models/emendo-fuse-en/README.md]
    python benchmarks/fusion.py BUNDLE --wikisplit [--count 500]

The pairs come from tools/fusion_pairs.py: books and news that are not in the training data.
A share of each class is drawn (`SHARES`), of 5,000 pairs in all. If a class has fewer, all of its
pairs are used; `em_by_share` is exact match with the classes weighted by their shares. --wikisplit
measures on the reversed test set of WikiSplit, which is used only for measuring.

The baselines: *concatenation* leaves the sentences as they are. *majority* joins all of them with
the connective that is most frequent in --train (by default in the pairs themselves, which can only
help it), in the way of that connective's most frequent class: "A, and b." or "A. However, b." The
first word of b gets a lower-case letter if it is a function word.

Texts are compared by words and punctuation marks. Intervals are 95 %, by bootstrap over the pairs;
those of differences are paired. Prints one JSON object on its last line. --card writes the figures
into a model's card.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from archives import unpacked
from emendo import load_editor
from emendo.bundle.format import FUSION
from emendo.evaluation.exact_match import score_exact_match
from emendo.evaluation.raw_text import detokenise
from emendo.evaluation.resampling import bootstrap, compare
from emendo.evaluation.sari import score_sari
from emendo.languages import load_language
from emendo.text.words import split_words
from marked_tables import fill, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from emendo.evaluation.resampling import Scored

    Edit = Callable[[Sequence[str]], Sequence[str]]

SHARES = {
    "pair_anaphora": 14,
    "pair_conn": 12,
    "pair_conn_anaphora": 6,
    "pair_none": 4,
    "single_apposition": 4,
    "single_cataphora": 3,
    "single_conn_inner": 14,
    "single_conn_inner_anaphora": 6,
    "single_conn_start": 9,
    "single_relative": 10,
    "single_s_coord": 8,
    "single_s_coord_anaphora": 4,
    "single_vp_coord": 6,
}
"""Percent of each class. docs/explanation/evaluation.md says how they were set."""
TITLES = {"own": "our test set", "wikisplit": "WikiSplit, reversed"}
PAPER = ("DiscoFuse, the paper's model (another test set)", "66.0", "90.7")
_AT_ONCE = 256
_LAST_STOP = re.compile(r"[.]([”\"’)]?)\Z")


class Pair(NamedTuple):
    """Two sentences and the text that they become."""

    first: str
    second: str
    target: str
    kind: str
    connective: str = ""

    @property
    def source(self) -> str:
        """What the model reads."""
        return f"{self.first} {self.second}"


class Majority(NamedTuple):
    """A connective, and whether it begins a sentence or joins two."""

    connective: str
    begins: bool

    def fuse(self, pair: Pair) -> str:
        """Join two sentences."""
        words = pair.second.split(" ", 1)
        if words[0].lower() in load_language("en").function_words and words[0] != "I":
            words[0] = words[0].lower()
        rest = " ".join(words)
        if self.begins:
            return f"{pair.first} {self.connective.capitalize()}, {rest}"
        first = _LAST_STOP.sub(r"\1", pair.first)
        return f"{first}, {self.connective} {rest}"


def read_pairs(path: Path) -> list[Pair]:
    """Read the pairs of a file of tools/fusion_pairs.py."""
    found = []
    with path.open(encoding="utf-8") as file:
        for entry in map(json.loads, file):
            source, cut = entry["source"], entry["cut"]
            found.append(
                Pair(
                    source[: cut - 1],
                    source[cut:],
                    entry["target"],
                    entry["class"],
                    entry["connective"],
                )
            )
    return found


def read_wikisplit() -> list[Pair]:
    """Read the test set of WikiSplit, reversed and put together from its tokens."""
    path = unpacked("sharealike-pairs") / "wikisplit/test.tsv"
    found = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            whole, split = line.split("\t")
            first, second = (part.split() for part in split.split("<::::>"))
            found.append(
                Pair(
                    detokenise(first).text,
                    detokenise(second).text,
                    detokenise(whole.split()).text,
                    "wikisplit",
                )
            )
    return found


def draw(pairs: Sequence[Pair], count: int, shares: dict[str, int]) -> list[Pair]:
    """Draw pairs of each class by its share; of a class with too few, all."""
    by_kind: dict[str, list[Pair]] = {kind: [] for kind in shares}
    for pair in pairs:
        by_kind[pair.kind].append(pair)
    drawn = []
    for kind, members in by_kind.items():
        wanted = round(count * shares[kind] / sum(shares.values()))
        drawn += random.Random(0).sample(members, min(wanted, len(members)))
    return drawn


def by_share(classes: dict[str, dict[str, Any]], shares: dict[str, int]) -> float:
    """Return exact match if each class had its share; some have too few pairs for it."""
    whole = sum(shares[kind] for kind in classes)
    return round(sum(shares[kind] * found["em"] for kind, found in classes.items()) / whole, 1)


def majority(pairs: Iterable[Pair]) -> Majority:
    """Return the connective that is most frequent, used as it is used most."""
    counts = Counter((pair.connective, pair.kind) for pair in pairs if pair.connective)
    by_connective: Counter[str] = Counter()
    for (connective, _), count in counts.items():
        by_connective[connective] += count
    ((connective, _),) = by_connective.most_common(1) or [("and", 0)]
    kinds = {kind: count for (each, kind), count in counts.items() if each == connective}
    kind = max(kinds, key=lambda name: kinds[name], default="single_s_coord")
    return Majority(connective, kind.startswith("pair_"))


def tokens(text: str) -> str:
    """Return a text with spaces around words and marks, as metrics read it."""
    return " ".join(text[word.body : word.end] for word in split_words(text))


def scores(pairs: Sequence[Pair], outputs: Sequence[str]) -> dict[str, Scored]:
    """Score outputs by both metrics."""
    references = [[tokens(pair.target)] for pair in pairs]
    made = list(map(tokens, outputs))
    sources = [tokens(pair.source) for pair in pairs]
    return {
        "em": score_exact_match(references, made),
        "sari": score_sari(sources, references, made, variant="geva2019"),
    }


def figures(scored: dict[str, Scored]) -> dict[str, Any]:
    """Return each metric with its interval."""
    found: dict[str, Any] = {}
    for name, each in scored.items():
        found[name] = round(each.values()[each.headline], 2)
        found[f"{name}_interval"] = [round(value, 2) for value in bootstrap(each)]
    return found


def measure(edit: Edit, pairs: Sequence[Pair], join: Majority) -> dict[str, Any]:
    """Measure a model and the baselines on the same pairs."""
    outputs: list[str] = []
    for start in range(0, len(pairs), _AT_ONCE):
        outputs += edit([pair.source for pair in pairs[start : start + _AT_ONCE]])
    own = scores(pairs, outputs)
    found: dict[str, Any] = {"pairs": len(pairs), **figures(own)}
    by_kind: dict[str, list[bool]] = {}
    for pair, output in zip(pairs, outputs, strict=True):
        by_kind.setdefault(pair.kind, []).append(tokens(output) == tokens(pair.target))
    found["classes"] = {
        kind: {"pairs": len(hits), "em": round(100 * sum(hits) / len(hits), 1)}
        for kind, hits in sorted(by_kind.items())
    }
    baselines = {
        "concatenation": [pair.source for pair in pairs],
        "majority": [join.fuse(pair) for pair in pairs],
    }
    for name, texts in baselines.items():
        other = scores(pairs, texts)
        found[name] = figures(other)
        for metric, scored in own.items():
            difference = compare(other[metric], scored)
            found[name][f"{metric}_behind"] = [
                round(value, 2) for value in (difference.value, difference.low, difference.high)
            ]
    found["majority"]["connective"] = join.connective
    return found


def with_interval(found: dict[str, Any], metric: str) -> str:
    low, high = found[f"{metric}_interval"]
    return f"{found[metric]:.1f} ({low:.1f} to {high:.1f})"


def cards(result: dict[str, Any], name: str) -> dict[str, str]:
    """Return the tables of a model's card: all figures, and exact match by class."""
    rows = []
    for key, title in TITLES.items():
        if key in result:
            systems = {name: result[key]} | {
                each: result[key][each] for each in ("concatenation", "majority")
            }
            rows += [
                [f"{title}: {system}", *(with_interval(found, each) for each in ("em", "sari"))]
                for system, found in systems.items()
            ]
    classes = [
        [f"`{kind}`", str(found["pairs"]), f"{found['em']:.1f}"]
        for kind, found in result["own"]["classes"].items()
    ]
    by_shares = f"{result['own']['em_by_share']:.1f}"
    classes.append(["all, by their shares", str(result["own"]["pairs"]), by_shares])
    return {
        "figures": table(["", "exact match", "SARI"], [*rows, PAPER]),
        "classes": table(["class", "pairs", "exact match"], classes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="the bundle, or the name of an installed model")
    parser.add_argument("--pairs", type=Path, help="test.jsonl of tools/fusion_pairs.py")
    parser.add_argument("--train", type=Path, help="train.jsonl, for the majority connective")
    parser.add_argument("--wikisplit", action="store_true")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--card", type=Path, help="the model card to write the figures into")
    options = parser.parse_args()
    if not (options.pairs or options.wikisplit):
        parser.error("give --pairs, --wikisplit or both")
    if options.card and not options.pairs:
        parser.error("--card needs --pairs")
    editor = load_editor(options.model)
    if editor.task != FUSION:
        sys.exit(f"the task of {options.model} is {editor.task}, not {FUSION}")

    def edit(sources: Sequence[str]) -> list[str]:
        return [edited.text for edited in editor.edit_sentences(sources)]

    result: dict[str, Any] = {"model": options.model}
    known = read_pairs(options.train) if options.train else []
    join = Majority("and", begins=False)
    if options.pairs:
        pool = read_pairs(options.pairs)
        drawn = draw(pool, options.count, SHARES)
        join = majority(known or drawn)
        own = result["own"] = measure(edit, drawn, join)
        own["em_by_share"] = by_share(own["classes"], SHARES)
    if options.wikisplit:
        pool = read_wikisplit()
        drawn = random.Random(0).sample(pool, min(options.count, len(pool)))
        result["wikisplit"] = measure(edit, drawn, join)
    if options.card:
        fill(options.card, cards(result, options.card.parent.name))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
