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
import hashlib
import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.data.inline_corpus import read_listing
from emendo.data.readers import InlineFile, PairFiles
from emendo.errors import FormatError
from emendo.evaluation.raw_text import detokenise
from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize
from emendo.synthesis.tables import load_tables
from emendo.text import read_m2, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
WRITTEN = ROOT / "corpora/written-en"
HELD_OUT_BOOKS = ("psychology", "world-history")
EVERY_NEWS, EVERY_VOICE = 50, 15
# Per cent of the commits, chosen by hash.
DEV_COMMITS = 5
CLEAN, DEV_CLEAN = 3500, 3500
# Drawn twice as often as otherwise: about a quarter of all errors.
MARKS = ("missing punctuation", "apostrophe", "extra punctuation", "wrong punctuation")
# Only this many sentences of books and news, because everyday text matters more.
EDITED = 120_000
CURLY = "’"


def is_held_out(key: str, percent: int) -> bool:
    """Decide by the name alone, so that every machine decides the same."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 100 < percent


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sentences_of(lines: Iterable[str]) -> list[str]:
    """Return each sentence once, in the order of the text."""
    found = (line[start:end].strip() for line in lines for start, end in split_sentences(line))
    return [text for text in dict.fromkeys(found) if text]


def edited_text(archives: Path) -> tuple[list[str], list[str]]:
    """Return the sentences of books and news to train on, and those held out."""
    train: list[str] = []
    held: list[str] = []
    for book in sorted((archives / "openstax").glob("*.paras.txt")):
        (held if book.name.split(".")[0] in HELD_OUT_BOOKS else train).extend(lines_of(book))
    for number, line in enumerate(lines_of(archives / "wikinews-en/wikinews.paras.txt")):
        (train if number % EVERY_NEWS else held).append(line)
    return sentences_of(train), sentences_of(held)


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
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            try:
                pairs = [sentence.pair(0) for sentence in read_m2(iter(block.split("\n")))]
            except FormatError:
                # A few have edits outside their sentence.
                continue
            for pair in pairs:
                source, target = (detokenise(side.split()).text for side in pair)
                if source[:1].islower() and source.split()[0] != "i":
                    target = target[:1].lower() + target[1:]
                yield source, target.removesuffix(".") if source[-1:].isalnum() else target


def written(split: str, part: str | None = None) -> Iterator[tuple[str, str]]:
    files = [f for f in read_listing(WRITTEN, split) if part in (None, f.part)]
    reader = PairFiles()
    reader.files = tuple(InlineFile(file.path) for file in files)
    yield from reader.read()


def straighten(pair: tuple[str, str]) -> tuple[str, str]:
    """Replace ’ by ' where the network would have to choose: "dont" does not show which."""
    source, target = pair
    if source.count(CURLY) == target.count(CURLY):
        return pair
    return source.replace(CURLY, "'"), target.replace(CURLY, "'")


def write_tsv(path: Path, pairs: Iterable[tuple[str, str]]) -> int:
    """Write pairs that have text on both sides, straightened; return how many."""
    rows = [
        f"{source}\t{target}\n"
        for source, target in map(straighten, pairs)
        if source and target and not set("\t\n\r") & set(source + target)
    ]
    path.write_text("".join(rows), encoding="utf-8")
    return len(rows)


def write_lines(path: Path, lines: Iterable[str]) -> int:
    rows = list(lines)
    path.write_text("".join(f"{line}\n" for line in rows), encoding="utf-8")
    return len(rows)


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
    table = output / "errors.tsv"
    learn = ROOT / "tools/learn_errors.py"
    subprocess.run([sys.executable, learn, f"{WRITTEN}:train", table], check=True)

    edited, held_edited = edited_text(archives)
    voices, held_voices = everyday_text(archives)
    seeds = {
        "written": [target for _, target in written("train")],
        "voices": voices,
        "told": list(told_text(archives)),
        "edited": random.Random(0).sample(edited, EDITED),
    }
    for name, lines in seeds.items():
        write_lines(output / f"seed-{name}.txt", lines)
    kinds = (*load_tables("en").draws, *MARKS)
    dense = SynthesisConfig(
        seed=1, clean_share=0.12, errors_per_100_words=14.0, kinds=kinds, more=table
    )
    made = {
        "dense": dense,
        "usual": replace(dense, seed=2, clean_share=0.25, errors_per_100_words=7.5),
        "sparse": replace(dense, seed=3, clean_share=0.5, errors_per_100_words=4.0),
    }
    copies = {"written": 4, "voices": 2, "told": 1, "edited": 1}
    counts = {}
    for name, config in made.items():
        pairs = [
            (wrong.source, wrong.target)
            for seed, times in copies.items()
            for wrong in synthesize(
                [output / f"seed-{seed}.txt"],
                replace(config, copies=times),
                SynthesisCounts(),
                workers=options.workers,
            )
        ]
        random.Random(0).shuffle(pairs)
        counts[name] = write_tsv(output / f"{name}.tsv", pairs)
    real, real_dev = real_pairs(archives)
    counts["real"] = write_tsv(output / "real.tsv", real)
    counts["dialogues"] = write_tsv(output / "dialogues.tsv", dialogue_pairs(archives))
    counts["hard"] = write_tsv(output / "hard.tsv", written("train", "correct"))
    rows = (line.split("\t") for line in lines_of(archives / "wikinews-en/titles.tsv"))
    titles = [row[1].strip() for row in rows if len(row) > 1]
    counts["titles"] = write_tsv(output / "titles.tsv", [(title, title) for title in titles])

    # The sets to choose on and to report on have no sentence in common.
    chosen = random.Random(0).sample(held_edited, CLEAN + DEV_CLEAN)
    third = len(held_voices) // 3
    everyday = [target for _, target in written("test")]
    counts["clean-edited"] = write_lines(output / "clean-edited.txt", chosen[:CLEAN])
    counts["clean-everyday"] = write_lines(
        output / "clean-everyday.txt", [*everyday, *held_voices[third:]]
    )
    counts["clean-dev-edited"] = write_lines(output / "clean-dev-edited.txt", chosen[CLEAN:])
    counts["clean-dev-everyday"] = write_lines(
        output / "clean-dev-everyday.txt",
        [*(target for _, target in written("dev")), *held_voices[:third]],
    )
    for name, pairs in (("dev", list(written("dev"))), ("docs-dev", real_dev)):
        random.Random(0).shuffle(pairs)
        for side, lines in zip(("src", "trg"), zip(*pairs, strict=True), strict=True):
            counts[f"{name}.{side}"] = write_lines(output / f"{name}.{side}", lines)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
