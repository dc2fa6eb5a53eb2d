"""The data of emendo-fuse-en: balanced pairs to train and choose on, and pairs to report on.

    python models/emendo-fuse-en/prepare.py ARCHIVES data/fusion [--workers 2]
    python models/emendo-fuse-en/prepare.py --pairs PAIRS data/fusion

ARCHIVES is the folder into which permissive-clean-text and permissive-parsed-text were unpacked;
tools/fusion_pairs.py makes the pairs, which takes about half an hour on two cores. PAIRS is the
folder of an earlier run of it.

train.tsv is balanced: each class has the share that benchmarks/fusion.py gives it, and no
connective makes up more than half of it. Pairs of rare classes are repeated, up to eight times; the
rarest class still has less than its share. One pair in eight stands between its neighbours in the
text, because passages may have more than two sentences, and one in twenty is fluent text that stays
as it is. dev.tsv chooses checkpoints; dev.src and dev.trg have the same pairs, for
models/build_bundle.py. benchmarks/fusion.py reads test.jsonl, and train.jsonl for the most frequent
connective. Prints how many pairs each has.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from fusion import SHARES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# One in so many stands in its context, or stays as it is.
IN_CONTEXT, UNCHANGED = 8, 20
# Of a class with several connectives, no more than this share may have the same.
ONE_CONNECTIVE = 0.5
DEV = 1500
# A pair of a class that has too few is repeated up to so many times.
TIMES = 8


def balanced(
    records: Sequence[dict[str, Any]], shares: dict[str, int], rng: random.Random, times: int = 1
) -> list[dict[str, Any]]:
    """Return about as many records, with each class by its share.

    Args:
        records: Records of any classes.
        shares: Of the classes, in relation to each other.
        rng: Draws and shuffles.
        times: How often a record may be repeated if its class has too few.
    """
    classes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        classes[record["class"]].append(record)
    whole = sum(shares[kind] for kind in classes)
    kept = []
    for kind, members in sorted(classes.items()):
        wanted = round(len(records) * shares[kind] / whole)
        rng.shuffle(members)
        connectives = {record["connective"] for record in members}
        most = round(wanted * ONE_CONNECTIVE) if len(connectives) > 2 else wanted
        seen: Counter[str] = Counter()
        chosen = []
        for record in members * times:
            if seen[record["connective"]] < most:
                seen[record["connective"]] += 1
                chosen.append(record)
        kept += chosen[:wanted]
    rng.shuffle(kept)
    return kept


def pair_of(record: dict[str, Any], number: int) -> tuple[str, str]:
    """Return a pair to train on; some stand in their context, and some are already fluent."""
    source, target = record["source"], record["target"]
    if number % UNCHANGED == 0:
        source = target
    if number % IN_CONTEXT == 1:
        around = (record["before"], record["after"])
        source, target = (
            " ".join(part for part in (around[0], text, around[1]) if part)
            for text in (source, target)
        )
    return source, target


def write_tsv(path: Path, pairs: Iterable[tuple[str, str]]) -> int:
    rows = [
        f"{source}\t{target}\n"
        for source, target in pairs
        if not set("\t\n\r") & set(source + target)
    ]
    path.write_text("".join(rows), encoding="utf-8")
    return len(rows)


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path, nargs="?")
    parser.add_argument("output", type=Path)
    parser.add_argument("--pairs", type=Path, help="a folder of tools/fusion_pairs.py")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if (options.archives is None) == (options.pairs is None):
        parser.error("give ARCHIVES or --pairs")
    output = options.output
    output.mkdir(parents=True, exist_ok=True)
    pairs = options.pairs or output / "pairs"
    if options.archives:
        tool = ROOT / "tools/fusion_pairs.py"
        command = [tool, options.archives, pairs, "--workers", options.workers]
        subprocess.run([sys.executable, *map(str, command)], check=True)
    rng = random.Random(0)
    train = balanced(read(pairs / "train.jsonl"), SHARES, rng, TIMES)
    counts = {"train": write_tsv(output / "train.tsv", map(pair_of, train, range(len(train))))}
    dev = balanced(read(pairs / "dev.jsonl"), SHARES, rng)[:DEV]
    counts["dev"] = write_tsv(output / "dev.tsv", ((d["source"], d["target"]) for d in dev))
    for name, side in (("dev.src", "source"), ("dev.trg", "target")):
        lines = "".join(f"{record[side]}\n" for record in dev)
        (output / name).write_text(lines, encoding="utf-8")
    shutil.copyfile(pairs / "test.jsonl", output / "test.jsonl")
    shutil.copyfile(pairs / "train.jsonl", output / "train.jsonl")
    counts["test"] = len(read(output / "test.jsonl"))
    classes = Counter(record["class"] for record in train)
    print(json.dumps({**counts, "classes": dict(sorted(classes.items()))}))


if __name__ == "__main__":
    main()
