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

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.evaluation.raw_text import detokenise
from emendo.text import read_m2

sys.path.append(str(Path(__file__).parents[1]))

from preparation import documentation_pairs, lines_of, read_options, write_data

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
    options = read_options(__doc__)
    archives = options.archives
    write_data(
        options,
        CODE,
        endings=ENDINGS,
        copies={"written": 6, "clean": 2},
        pairs={
            "learners": learner_pairs(archives),
            "real": documentation_pairs(archives, CODE),
        },
        dev=learner_dev(archives),
    )


if __name__ == "__main__":
    main()
