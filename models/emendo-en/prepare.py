"""The data of emendo-en: pairs to train and choose on, and clean text to count false alarms on.

    python models/emendo-en/prepare.py ARCHIVES OUTPUT [--workers 2]

ARCHIVES is the folder into which permissive-clean-text and permissive-pairs were unpacked. Text and
edits are split by what they come from, so that nothing is on both sides: two books and every
fiftieth line of the news are held out, and of the documentation edits one commit in twenty.

Writes to train on: dense.tsv (nearly every sentence wrong, and often so: a young network learns
little from what it only has to keep), short.tsv (the same for short everyday sentences, eight times
over with other errors), clear.tsv and clear-short.tsv (the same with errors that the sentence
itself gives away: nothing tells that "is" had been "was"), grammar.tsv (the same without spelling
and marks, for everyday sentences and short ones of books with don't for do not), drills.tsv (one
such error a sentence, of every kind as many), synthetic.tsv, real.tsv and titles.tsv.
To choose checkpoints on: dev.src and dev.trg, real edits, written errors (of all kinds, and clear
ones in short sentences as people talk) and clean sentences; to choose levels on: levels.src and
levels.trg, the same and many more clean sentences, since false alarms are few. To report on:
clean-heldout.txt, for false alarms. Prints how many sentences each has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize
from emendo.text import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.synthesis.error_writer import WrongSentence

HELD_OUT_BOOKS = ("psychology", "world-history")
EVERY_LINE = 50
# Of the commits, by hash: so many in a hundred.
DEV_COMMITS = 5
DEV_SYNTHETIC, DEV_CLEAN, CLEAN = 1500, 1500, 3000
DEV_CLEAR, DEV_CLEAR_WORDS = 1500, 12
# Of 1,500 a level that touched 2.1 % was chosen, and it touched 3.3 % of 3,000 others.
LEVELS_CLEAN = 4500
DENSE = SynthesisConfig(seed=3, clean_share=0.1, errors_per_100_words=18.0)
SHORT = replace(DENSE, seed=5, copies=8)
# Mostly: no kind is always clear.
CLEAR_KINDS = (
    *("misspelling", "casing", "apostrophe", "spacing", "doubled word", "missing punctuation"),
    *("agreement", "verb form", "noun number", "countability", "wrong pronoun"),
    *("missing article", "wrong article", "missing preposition", "wrong preposition"),
    *("word order", "word form", "confusable", "degree", "negation", "conjunction"),
)
CLEAR = replace(DENSE, seed=7, kinds=CLEAR_KINDS, clean_share=0.2)
CLEAR_SHORT = replace(CLEAR, seed=9, copies=8)
# Drawn as people make them, "a apple" and "he don't" are a few in a thousand pairs.
DRILL = SynthesisConfig(seed=11, clean_share=0.0, errors_per_100_words=1.0)
DRILLS_OF_A_KIND = 8000
INFORMAL_WORDS = 20
NOT = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should) not\b", re.I)
SURFACE = ("misspelling", "casing", "spacing", "doubled word", "missing punctuation")
GRAMMAR_KINDS = tuple(kind for kind in CLEAR_KINDS if kind not in SURFACE)
GRAMMAR = replace(CLEAR, seed=13, kinds=GRAMMAR_KINDS, clean_share=0.15, copies=2)
DEV_ERRORS = SynthesisConfig(seed=2, clean_share=0.0)
DEV_CLEAR_ERRORS = replace(DEV_ERRORS, seed=15, kinds=CLEAR_KINDS)
CURLY = "’"
EVERYDAY = "permissive-clean-text/common-voice/en.curated.txt"


def is_held_out(key: str, percent: int) -> bool:
    """Decide by the name alone, the same on every machine."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 100 < percent


def clean_files(archives: Path, output: Path) -> tuple[list[Path], list[Path]]:
    """Return clean text to train on and clean text held out."""
    text = archives / "permissive-clean-text"
    books = sorted((text / "openstax").glob("*.paras.txt"))
    held_out = [book for book in books if book.name.split(".")[0] in HELD_OUT_BOOKS]
    train = [book for book in books if book not in held_out]
    train.append(archives / EVERYDAY)
    lines = (text / "wikinews-en/wikinews.paras.txt").read_text(encoding="utf-8").splitlines()
    for name, chosen in (
        ("news.txt", [line for k, line in enumerate(lines) if k % EVERY_LINE]),
        ("news-heldout.txt", lines[::EVERY_LINE]),
    ):
        (output / name).write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return [*train, output / "news.txt"], [*held_out, output / "news-heldout.txt"]


def real_pairs(archives: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return real edits to train on and held out: strict typo fixes, and edits for fluency."""
    train, dev = [], []
    path = archives / "permissive-pairs/doc-typo-fixes/en.ccby.tsv"
    for line in path.read_text(encoding="utf-8").splitlines():
        source, target, repository, commit, _, kind = line.split("\t")
        if kind == "strict":
            pair = (source.strip(), target.strip())
            (dev if is_held_out(f"{repository} {commit}", DEV_COMMITS) else train).append(pair)
    folder = archives / "permissive-pairs/iterater/human_sent_level"
    for name, side in (("train.json", train), ("dev.json", dev)):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["labels"] == "fluency":
                side.append((_tidy(entry["before_sent"]), _tidy(entry["after_sent"])))
    return train, dev


def straighten(pair: tuple[str, str]) -> tuple[str, str]:
    """Write ' for ’ where a pair would have a network write it: "dont" does not tell which.

    Where ’ only has to be kept it stays.
    """
    source, target = pair
    if source.count(CURLY) == target.count(CURLY):
        return pair
    return source.replace(CURLY, "'"), target.replace(CURLY, "'")


def contract(text: str) -> str:
    """Write as people talk: don't, can't, won't, I'm."""
    text = NOT.sub(r"\1n't", text)
    text = text.replace("cannot ", "can't ").replace(" will not ", " won't ")
    return re.sub(r"\bI am (?=[a-z])", "I'm ", text)


def informal_sentences(files: list[Path]) -> list[str]:
    """Return the short sentences of books and news that have something to contract, contracted."""
    return [
        contract(text)
        for text in sentences_of(files)
        if len(text.split()) <= INFORMAL_WORDS and contract(text) != text and CURLY not in text
    ]


def drills(files: list[Path], news: Path, workers: int) -> Iterator[tuple[str, str]]:
    """Make pairs with one error each, of every clear kind as many."""
    for kind in CLEAR_KINDS:
        config = replace(DRILL, kinds=(kind,))
        # Everyday sentences seldom have an "an".
        text = [*files, news] if kind == "wrong article" else files
        made = synthesize(text, config, SynthesisCounts(), workers=workers)
        pairs = [(wrong.source, wrong.target) for wrong in made if _is_clear(wrong)]
        yield from random.Random(0).sample(pairs, min(DRILLS_OF_A_KIND, len(pairs)))


def _is_clear(wrong: WrongSentence) -> bool:
    """Whether there is an error, and no "the" for "a" that only the text before could tell."""
    return bool(wrong.errors) and not any(
        kind == "wrong article" and "the" in (edit.replacement, wrong.target[edit.start : edit.end])
        for edit, kind in wrong.errors
    )


def spoil(sentences: list[str], config: SynthesisConfig, kept_in: Path) -> list[tuple[str, str]]:
    """Make pairs of clean sentences, which are kept in a file."""
    write_lines(kept_in, sentences)
    return [(p.source, p.target) for p in synthesize([kept_in], config, SynthesisCounts())]


def _tidy(text: str) -> str:
    return " ".join(text.split())


def write_tsv(path: Path, pairs: Iterable[tuple[str, str]]) -> int:
    """Write pairs that have text on both sides, straightened; return how many."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for source, target in map(straighten, pairs):
            if source and target and "\t" not in source + target:
                file.write(f"{source}\t{target}\n")
                count += 1
    return count


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def sentences_of(files: list[Path]) -> list[str]:
    """Return each sentence once, in the order of the text."""
    found = (
        line[start:end].strip()
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        for start, end in split_sentences(line)
    )
    return [text for text in dict.fromkeys(found) if text]


def write_parallel(folder: Path, name: str, pairs: Iterable[tuple[str, str]]) -> None:
    for suffix, side in zip(("src", "trg"), zip(*pairs, strict=True), strict=True):
        write_lines(folder / f"{name}.{suffix}", side)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    train, held_out = clean_files(options.archives, options.output)
    counts = {}
    for name, files, config in (
        ("synthetic", train, SynthesisConfig(seed=1)),
        ("dense", train, DENSE),
        ("short", [options.archives / EVERYDAY], SHORT),
        ("clear", train, CLEAR),
        ("clear-short", [options.archives / EVERYDAY], CLEAR_SHORT),
    ):
        made = synthesize(files, config, SynthesisCounts(), workers=options.workers)
        pairs = ((wrong.source, wrong.target) for wrong in made)
        counts[name] = write_tsv(options.output / f"{name}.tsv", pairs)
    informal, news = options.output / "informal.txt", options.output / "news.txt"
    write_lines(informal, informal_sentences(train))
    talk = [options.archives / EVERYDAY, informal]
    made = synthesize(talk, GRAMMAR, SynthesisCounts(), workers=options.workers)
    pairs = ((wrong.source, wrong.target) for wrong in made)
    counts["grammar"] = write_tsv(options.output / "grammar.tsv", pairs)
    pairs = drills(talk, news, options.workers)
    counts["drills"] = write_tsv(options.output / "drills.tsv", pairs)
    real, dev = real_pairs(options.archives)
    counts["real"] = write_tsv(options.output / "real.tsv", real)
    # Headlines end without a full stop, and are to be left so.
    titles = (options.archives / "permissive-clean-text/wikinews-en/titles.tsv").read_text("utf-8")
    headlines = [line.split("\t")[1].strip() for line in titles.splitlines() if "\t" in line]
    counts["titles"] = write_tsv(options.output / "titles.tsv", [(t, t) for t in headlines])

    sentences = sentences_of(held_out)
    chosen = random.Random(0).sample(sentences, CLEAN + DEV_CLEAN + DEV_SYNTHETIC)
    clean, kept, spoilt = (
        chosen[:CLEAN],
        chosen[CLEAN : CLEAN + DEV_CLEAN],
        chosen[CLEAN + DEV_CLEAN :],
    )
    write_lines(options.output / "clean-heldout.txt", clean)
    dev += spoil(spoilt, DEV_ERRORS, options.output / "dev-clean.txt")
    used = set(chosen)
    # Without figures, which the books' references have.
    short = [
        contract(text)
        for text in sentences
        if text not in used
        and len(text.split()) <= DEV_CLEAR_WORDS
        and text[-1] in ".?!"
        and not any(map(str.isdigit, text))
    ]
    spoken = random.Random(0).sample(short, DEV_CLEAR)
    dev += spoil(spoken, DEV_CLEAR_ERRORS, options.output / "dev-talk.txt")
    dev += [(text, text) for text in kept]
    # Mixed, so that any part of the file has all kinds.
    random.Random(0).shuffle(dev)
    dev = [pair for pair in dev if all(pair)]
    others = [text for text in sentences if text not in used]
    others = random.Random(0).sample(others, LEVELS_CLEAN)
    levels = [*dev, *((text, text) for text in others)]
    write_parallel(options.output, "dev", dev)
    write_parallel(options.output, "levels", levels)
    counts |= {"dev": len(dev), "levels": len(levels), "clean-heldout": len(clean)}
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
