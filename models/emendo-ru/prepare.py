"""The data of emendo-ru: pairs to train and choose on, and clean text for false alarms.

    python models/emendo-ru/prepare.py ARCHIVES OUTPUT [--workers 2] [--lines N]

ARCHIVES is the folder into which permissive-clean-text and permissive-pairs were unpacked.
corpora/written-ru is read from the repository, by its splits. Every eighth sentence of Common Voice
and of documentation is held out (models/preparation.py).

ReLCo is in lower case, and RLC has edits without sentences, so only their edits are used: as a
table of confusions, from which errors are written into clean text. One ReLCo sentence in ten is
held out, to compare encoders: relco-dev.tsv.

To train on: dense.tsv, usual.tsv and sparse.tsv (errors written into clean text, more and fewer),
real.tsv (RLC's sentences and documentation edits). To choose on: dev.src and dev.trg (written-ru,
dev), clean-dev.txt. To report on: clean.txt. Prints how many sentences each has. --lines is for
trying it out: so many clean sentences.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parents[1]))

from preparation import (
    CleanText,
    add_rows,
    confusion_rows,
    documentation_pairs,
    inflections,
    is_held_out,
    learn_errors,
    three_densities,
    valid_m2,
    write_dev,
    write_errors,
    write_lines,
    write_tsv,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "ru"
ENDINGS = (
    *("", "а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й", "ой", "ей", "ом", "ем", "ам", "ям"),
    *("ах", "ях", "ами", "ями", "ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его"),
    *("ому", "ему", "ым", "им", "ых", "их", "ую", "юю", "ть", "л", "ла", "ло", "ли", "ет", "ит"),
    *("ют", "ут", "ат", "ят", "ешь", "ишь"),
)
HELD_OUT = 10
# Words that begin alike are forms of one word.
ALIKE = 3


def kind_of(tag: str, right: str, wrong: str) -> str:
    """Return the kind of error in the tables."""
    if "ortho" in tag.lower() or "SPELL" in tag:
        return "misspelling"
    is_form = " " not in right + wrong and right[:ALIKE] == wrong[:ALIKE]
    return "word form" if is_form else "word choice"


def relco_edits(archives: Path) -> tuple[Counter[tuple[str, str, str]], list[tuple[str, str]]]:
    """Return the edits of ReLCo by kind, and the sentences held out."""
    found: Counter[tuple[str, str, str]] = Counter()
    held = []
    for sentence in valid_m2(archives / "relco/errors_tagged.m2"):
        source = " ".join(sentence.tokens)
        if is_held_out(source, HELD_OUT):
            held.append(tuple(sentence.pair(0)))
            continue
        for edit in sentence.edits:
            if not edit.is_change:
                continue
            wrong = " ".join(sentence.tokens[edit.start : edit.end]).lower()
            right = edit.corrections[0].lower()
            found[kind_of(edit.type, right, wrong), right, wrong] += 1
    return found, held


def rlc_edits(archives: Path) -> Counter[tuple[str, str, str]]:
    """Return the edits of RLC by kind."""
    found: Counter[tuple[str, str, str]] = Counter()
    with (archives / "rlc-annotated/annotations.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            right, wrong = (" ".join(row[k].lower().split()) for k in ("correction", "quote"))
            found[kind_of(row["tag"], right, wrong), right, wrong] += 1
    return found


def rlc_pairs(archives: Path) -> Iterator[tuple[str, str]]:
    """Yield the sentences of RLC's test file, each once; its authors publish no other."""
    with (archives / "rlc-annotated/rlc_test.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["text_orig"], row["text_cor"]) for row in csv.DictReader(file)]
    yield from (tuple(" ".join(side.split()) for side in row) for row in dict.fromkeys(rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lines", type=int)
    options = parser.parse_args()
    archives, output = options.archives, options.output
    output.mkdir(parents=True, exist_ok=True)
    clean = CleanText(archives, CODE)
    train = clean.train[: options.lines]
    table = learn_errors(CODE, output / "errors.tsv")
    edits, held = relco_edits(archives)
    counts = {
        "confusions": add_rows(table, confusion_rows(edits + rlc_edits(archives))),
        "inflections": add_rows(table, inflections(train, ENDINGS)),
    }
    seeds = {
        "written": [target for _, target in written(CODE, "train")][: options.lines],
        "clean": train,
    }
    counts |= write_errors(
        output,
        seeds,
        {"written": 6, "clean": 3},
        three_densities(CODE, table),
        workers=options.workers,
    )
    real = [*rlc_pairs(archives), *documentation_pairs(archives, CODE)]
    counts["real"] = write_tsv(output / "real.tsv", real)
    counts["relco-dev"] = write_tsv(output / "relco-dev.tsv", held)
    counts |= write_dev(output, written(CODE, "dev"))
    everyday = [target for _, target in written(CODE, "dev")]
    counts["clean-dev"] = write_lines(output / "clean-dev.txt", [*everyday, *clean.dev])
    counts["clean"] = write_lines(output / "clean.txt", clean.reported)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
