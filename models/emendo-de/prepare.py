"""The data of emendo-de: pairs to train and choose on, and clean text for false alarms.

    python models/emendo-de/prepare.py ARCHIVES OUTPUT [--workers 2] [--lines N]

ARCHIVES is the folder into which permissive-clean-text, permissive-pairs and sharealike-pairs were
unpacked. corpora/written-de is read from the repository, by its splits. Every eighth sentence of
Common Voice and of documentation is held out (models/preparation.py).

To train on: dense.tsv, usual.tsv and sparse.tsv (errors written into clean text, more and fewer),
learners.tsv (Falko-MERLIN, training split), real.tsv (documentation edits). To choose on: dev.src
and dev.trg (written-de and Falko-MERLIN, both dev), clean-dev.txt. To report on: clean.txt. Prints
how many sentences each has. --lines is for trying it out: so many clean sentences.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.evaluation.raw_text import detokenise
from emendo.text import read_m2

sys.path.append(str(Path(__file__).parents[1]))

from preparation import (
    CleanText,
    add_rows,
    documentation_pairs,
    inflections,
    learn_errors,
    lines_of,
    three_densities,
    write_dev,
    write_errors,
    write_lines,
    write_tsv,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "de"
ENDINGS = ("", "e", "en", "er", "em", "es", "n", "s", "t", "st", "te", "ten", "et")
# Hyphens stay inside words.
STYLE = "conll"
DEV = 1000


def natural(text: str) -> str:
    return detokenise(text.split(), style=STYLE).text


def learner_pairs(archives: Path) -> Iterator[tuple[str, str]]:
    """Yield Falko-MERLIN's training split as natural text."""
    folder = archives / "falko-merlin"
    sides = (lines_of(folder / f"fm-train.recon.{side}") for side in ("src", "trg"))
    for source, target in zip(*sides, strict=True):
        yield natural(source), natural(target)


def learner_dev(archives: Path) -> Iterator[tuple[str, str]]:
    """Yield sentences spread over its dev split."""
    with (archives / "falko-merlin/fm-dev.m2").open(encoding="utf-8") as file:
        pairs = [sentence.pair(0) for sentence in read_m2(file)]
    for source, target in pairs[:: max(1, len(pairs) // DEV)]:
        if source and target:
            yield natural(source), natural(target)


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
    counts = {"inflections": add_rows(table, inflections(train, ENDINGS))}
    seeds = {
        "written": [target for _, target in written(CODE, "train")][: options.lines],
        "clean": train,
    }
    counts |= write_errors(
        output,
        seeds,
        {"written": 6, "clean": 2},
        three_densities(CODE, table),
        workers=options.workers,
    )
    counts["learners"] = write_tsv(output / "learners.tsv", learner_pairs(archives))
    counts["real"] = write_tsv(output / "real.tsv", documentation_pairs(archives, CODE))
    counts |= write_dev(output, [*written(CODE, "dev"), *learner_dev(archives)])
    everyday = [target for _, target in written(CODE, "dev")]
    counts["clean-dev"] = write_lines(output / "clean-dev.txt", [*everyday, *clean.dev])
    counts["clean"] = write_lines(output / "clean.txt", clean.reported)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
