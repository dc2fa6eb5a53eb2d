"""The data of emendo-ru: pairs to train and choose on, and clean text for false alarms.

    python models/emendo-ru/prepare.py ARCHIVES OUTPUT [--workers 2] [--lines N]

ARCHIVES is the folder into which permissive-clean-text and permissive-pairs were unpacked.
corpora/written-ru is read from the repository, by its splits. Every eighth sentence of Common Voice
and of documentation is held out (models/preparation.py).

ReLCo is in lower case, and almost all edits of RLC have no sentences. These edits are a table of
confusions, from which errors are written into clean text. One ReLCo sentence in ten is held out, to
compare encoders: relco-dev.tsv.

To train on: dense.tsv, usual.tsv and sparse.tsv (errors written into clean text, more and fewer),
real.tsv (the few sentences of RLC, and documentation edits). To choose on: dev.src and dev.trg
(written-ru, dev), clean-dev.txt. To report on: clean.txt. Prints how many sentences each has.
--lines is for trying it out: so many clean sentences.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parents[1]))

from preparation import (
    confusion_rows,
    documentation_pairs,
    is_held_out,
    read_options,
    relco_sentences,
    write_data,
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


@cache
def known_words() -> frozenset[str]:
    """Return the model's list of words, in lower case like ReLCo."""
    lines = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.lower() for line in lines if not line.startswith("#"))


def kind_of(tag: str, right: str, wrong: str) -> str:
    """Return the kind of error in the tables."""
    # In a turned sentence, the tag describes the reverse edit, so the list of words decides too.
    is_word = not wrong.isalpha() or wrong in known_words()
    if "ortho" in tag.lower() or "SPELL" in tag or not is_word:
        return "misspelling"
    is_form = " " not in right + wrong and right[:ALIKE] == wrong[:ALIKE]
    return "word form" if is_form else "word choice"


def relco_edits(archives: Path) -> tuple[Counter[tuple[str, str, str]], list[tuple[str, str]]]:
    """Return the edits of ReLCo by kind, and the sentences held out."""
    found: Counter[tuple[str, str, str]] = Counter()
    held = []
    for sentence in relco_sentences(archives):
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
    options = read_options(__doc__)
    archives = options.archives
    edits, held = relco_edits(archives)
    write_data(
        options,
        CODE,
        endings=ENDINGS,
        copies={"written": 2, "clean": 1},
        pairs={
            "real": [*rlc_pairs(archives), *documentation_pairs(archives, CODE)],
            "relco-dev": held,
        },
        confusions=confusion_rows(edits + rlc_edits(archives)),
    )


if __name__ == "__main__":
    main()
