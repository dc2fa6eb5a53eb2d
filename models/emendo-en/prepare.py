"""Makes the data of emendo-en: pairs to train and choose on, and clean text for false alarms.

    python models/emendo-en/prepare.py ARCHIVES OUTPUT [--workers 2]

ARCHIVES is the folder into which permissive-clean-text, permissive-parsed-text, permissive-pairs
and permissive-dialogues were unpacked. corpora/written-en is read from the repository, by its
splits. Two books, every fiftieth line of the news, every fifteenth sentence of Common Voice, and
one commit in twenty of the documentation edits are held out; nothing is on both sides.

To train on: dense.tsv (stages write and A: nearly every sentence has errors, often several),
usual.tsv (stage B), sparse.tsv (stage C: half of it clean), real.tsv (documentation edits),
dialogues.tsv, titles.tsv, hard.tsv (correct lines that checkers wrongly change). To choose on:
dev.src and dev.trg (written-en's dev split, in which all mistakes are corrected),
clean-dev-edited.txt and clean-dev-everyday.txt. docs-dev.src and docs-dev.trg are the held-out
documentation edits; they often leave other mistakes of a line as they are. To report on:
clean-edited.txt and clean-everyday.txt. Prints how many sentences each has.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.evaluation.raw_text import detokenise

sys.path.append(str(Path(__file__).parents[1]))

from preparation import (
    is_held_out,
    learn_errors,
    lines_of,
    sentences_of,
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

HELD_OUT_BOOKS = ("psychology", "world-history")
EVERY_NEWS, EVERY_VOICE = 50, 15
# Per cent of the commits, chosen by hash.
DEV_COMMITS = 5
CLEAN, DEV_CLEAN = 3500, 3500
# Drawn twice as often as otherwise: about a quarter of all errors.
MARKS = ("missing punctuation", "apostrophe", "extra punctuation", "wrong punctuation")
# Only this many sentences of books and news, because everyday text matters more.
EDITED = 120_000


def edited_text(archives: Path) -> tuple[list[str], list[str]]:
    """Return the paragraphs of books and news to train on, and those held out."""
    train: list[str] = []
    held: list[str] = []
    for book in sorted((archives / "openstax").glob("*.paras.txt")):
        (held if book.name.split(".")[0] in HELD_OUT_BOOKS else train).extend(lines_of(book))
    for number, line in enumerate(lines_of(archives / "wikinews-en/wikinews.paras.txt")):
        (train if number % EVERY_NEWS else held).append(line)
    return train, held


def everyday_text(archives: Path) -> tuple[list[str], list[str]]:
    """Return Common Voice to train on and held out; a third of the latter is for choosing."""
    lines = lines_of(archives / "common-voice/en.curated.txt")
    train = [line for number, line in enumerate(lines) if number % EVERY_VOICE]
    return train, lines[::EVERY_VOICE]


def told_text(archives: Path) -> Iterator[str]:
    """Yield fiction and interviews, joined from their tokens."""
    for name in ("fiction", "interview"):
        with gzip.open(archives / f"amalgum/{name}.conllu.gz", "rt", encoding="utf-8") as file:
            tokens: list[str] = []
            for line in file:
                cells = line.rstrip("\n").split("\t")
                if cells[0].isdigit():
                    tokens.append(cells[1])
                elif not line.strip() and tokens:
                    yield detokenise(tokens).text
                    tokens = []


def real_pairs(archives: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return real edits to train on and held out: strict typo fixes, and edits for fluency."""
    train, dev = [], []
    for line in lines_of(archives / "doc-typo-fixes/en.ccby.tsv"):
        source, target, repository, commit, _, kind = line.split("\t")
        if kind == "strict":
            pair = (source.strip(), target.strip())
            (dev if is_held_out(f"{repository} {commit}", DEV_COMMITS) else train).append(pair)
    for name, side in (("train.json", train), ("dev.json", dev)):
        for line in lines_of(archives / "iterater/human_sent_level" / name):
            entry = json.loads(line)
            if entry["labels"] == "fluency":
                pair = (" ".join(entry[s].split()) for s in ("before_sent", "after_sent"))
                side.append(tuple(pair))
    return train, dev


def dialogue_pairs(archives: Path) -> Iterator[tuple[str, str]]:
    """Yield learners' turns and their corrections, joined from their tokens.

    A chat needs no capital at its start and no stop at its end, so these corrections are left out.
    """
    for path in sorted((archives / "eracond").rglob("*.m2")):
        for sentence in valid_m2(path):
            source, target = (detokenise(side.split()).text for side in sentence.pair(0))
            if source[:1].islower() and source.split()[0] != "i":
                target = target[:1].lower() + target[1:]
            yield source, target.removesuffix(".") if source[-1:].isalnum() else target


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    archives, output = options.archives, options.output
    output.mkdir(parents=True, exist_ok=True)
    table = learn_errors("en", output / "errors.tsv")

    edited, held_edited = map(sentences_of, edited_text(archives))
    # Textbooks repeat sentences of each other.
    held = set(held_edited)
    edited = [text for text in edited if text not in held]
    voices, held_voices = everyday_text(archives)
    seeds = {
        "written": [target for _, target in written("en", "train")],
        "voices": voices,
        "told": list(told_text(archives)),
        "edited": random.Random(0).sample(edited, EDITED),
    }
    copies = {"written": 4, "voices": 2, "told": 1, "edited": 1}
    densities = three_densities("en", table, MARKS)
    counts = write_errors(output, seeds, copies, densities, workers=options.workers)
    real, real_dev = real_pairs(archives)
    counts["real"] = write_tsv(output / "real.tsv", real)
    counts["dialogues"] = write_tsv(output / "dialogues.tsv", dialogue_pairs(archives))
    counts["hard"] = write_tsv(output / "hard.tsv", written("en", "train", "correct"))
    rows = (line.split("\t") for line in lines_of(archives / "wikinews-en/titles.tsv"))
    titles = [row[1].strip() for row in rows if len(row) > 1]
    counts["titles"] = write_tsv(output / "titles.tsv", [(title, title) for title in titles])

    # The sets to choose on and to report on have no sentence in common.
    chosen = random.Random(0).sample(held_edited, CLEAN + DEV_CLEAN)
    third = len(held_voices) // 3
    everyday = [target for _, target in written("en", "test")]
    counts["clean-edited"] = write_lines(output / "clean-edited.txt", chosen[:CLEAN])
    counts["clean-everyday"] = write_lines(
        output / "clean-everyday.txt", [*everyday, *held_voices[third:]]
    )
    counts["clean-dev-edited"] = write_lines(output / "clean-dev-edited.txt", chosen[CLEAN:])
    counts["clean-dev-everyday"] = write_lines(
        output / "clean-dev-everyday.txt",
        [*(target for _, target in written("en", "dev")), *held_voices[:third]],
    )
    counts |= write_dev(output, written("en", "dev"))
    counts |= write_dev(output, real_dev, "docs-dev")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
