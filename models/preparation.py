"""What the recipes of models share: reading text, holding sentences out, writing errors.

Each model has its own prepare.py, which imports this module. `write_data` is for languages
whose clean text is `CleanText`: German and Russian.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.data.inline_corpus import read_listing
from emendo.data.readers import InlineFile, PairFiles
from emendo.errors import FormatError
from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize
from emendo.synthesis.tables import load_tables
from emendo.text import judge_language, read_m2, split_sentences
from emendo.text.m2 import M2Edit, M2Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Pair = tuple[str, str]

ROOT = Path(__file__).parents[1]
CURLY = "’"
MARK = "\ufeff"
# Every eighth clean sentence is held out: every sixteenth to report on, the others to choose on.
EVERY = 8
REPORTED = 2000
_WORD = re.compile(r"[^\W\d_]+")
_PHRASE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?: [^\W\d_]+(?:-[^\W\d_]+)*)*")
_LONGEST = 3
# Of a form: how often it must occur, how much of it stays, how many others, their weight together.
_LEAST, _SHORTEST_STEM, _MOST_FORMS, _FORM_WEIGHT = 2, 4, 6, 12.0
# Per thousand of the right words: for each time that a confusion was counted, and at most.
_EACH, _HIGHEST = 5.0, 60.0
_SHORTEST_RIGHT = 4


def written_corpus(code: str) -> Path:
    return ROOT / f"corpora/written-{code}"


def is_held_out(key: str, percent: int) -> bool:
    """Decide by the name alone, the same on every machine."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 100 < percent


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def sentences_of(lines: Iterable[str], code: str = "en") -> list[str]:
    """Return each sentence once, in the order of the text."""
    found = (
        line[start:end].strip()
        for line in lines
        for start, end in split_sentences(line, languages=(code,))
    )
    return [text for text in dict.fromkeys(found) if text]


def written(code: str, split: str, part: str | None = None) -> Iterator[Pair]:
    """Yield the pairs of a split of corpora/written-*, or of one part of it."""
    files = [f for f in read_listing(written_corpus(code), split) if part in (None, f.part)]
    reader = PairFiles()
    reader.files = tuple(InlineFile(file.path) for file in files)
    yield from reader.read()


class CleanText:
    """Common Voice and translated documentation of a language, in three parts."""

    def __init__(self, archives: Path, code: str) -> None:
        """Read permissive-clean-text.

        Documentation is not translated completely, so sentences that are clearly in another
        language are left out; documentation needs clear evidence for its own.
        """
        voices = lines_of(archives / f"common-voice/{code}.curated.txt")
        documents = lines_of(archives / f"docs-de-ru/{code}.sents.txt")
        self.voices = [
            text.strip() for text in voices if judge_language(text, (code,)) is not False
        ]
        self.documents = [text.strip() for text in documents if judge_language(text, (code,))]
        self.voices = list(dict.fromkeys(self.voices))
        known = set(self.voices)
        self.documents = [text for text in dict.fromkeys(self.documents) if text not in known]

    @property
    def train(self) -> list[str]:
        return [
            text
            for source in (self.voices, self.documents)
            for number, text in enumerate(source)
            if number % EVERY
        ]

    @property
    def dev(self) -> list[str]:
        """To choose on."""
        return [*self.voices[EVERY :: 2 * EVERY], *self.documents[EVERY :: 2 * EVERY]]

    @property
    def reported(self) -> list[str]:
        """To report on: all held-out documentation, and Common Voice up to 2,000 in total."""
        documents = self.documents[:: 2 * EVERY]
        voices = self.voices[:: 2 * EVERY]
        count = min(len(voices), max(0, REPORTED - len(documents)))
        return [*(voices[k * len(voices) // count] for k in range(count)), *documents][:REPORTED]


def valid_m2(path: Path) -> Iterator[M2Sentence]:
    """Yield the sentences of an M2 file, without those whose edits lie outside them."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        try:
            sentences = list(read_m2(iter(block.split("\n"))))
        except FormatError:
            continue
        yield from sentences


def relco_sentences(archives: Path) -> Iterator[M2Sentence]:
    """Yield ReLCo's sentences as learners wrote them, with their corrections.

    From a byte order mark on, its file has it the other way round: the sentences are right, and the
    edits lead to what learners wrote.
    """
    is_turned = False
    for sentence in valid_m2(archives / "relco/errors_tagged.m2"):
        first, *others = sentence.tokens
        is_turned = is_turned or first.startswith(MARK)
        plain = M2Sentence((first.removeprefix(MARK), *others), sentence.edits)
        yield turned(plain) if is_turned else plain


def turned(sentence: M2Sentence) -> M2Sentence:
    """Return the sentence after its edits, with the edits that lead back."""
    tokens: list[str] = []
    edits, done = [], 0
    for edit in sorted(e for e in sentence.edits if e.is_change):
        tokens += sentence.tokens[done : edit.start]
        written = edit.corrections[0].split()
        right = " ".join(sentence.tokens[edit.start : edit.end])
        edits.append(M2Edit(len(tokens), len(tokens) + len(written), edit.type, (right,)))
        tokens += written
        done = edit.end
    return M2Sentence((*tokens, *sentence.tokens[done:]), tuple(edits))


def learn_errors(code: str, table: Path) -> Path:
    """Count the errors of a written corpus into a table, and return its path."""
    learn = ROOT / "tools/learn_errors.py"
    corpus = f"{written_corpus(code)}:train"
    subprocess.run([sys.executable, learn, corpus, table, "--language", code], check=True)
    return table


def three_densities(
    code: str, table: Path | None, doubled: tuple[str, ...] = ()
) -> dict[str, SynthesisConfig]:
    """Return how errors are written: densely, usually and sparsely.

    Args:
        code: The language.
        table: Further confusions, if there are any.
        doubled: Kinds that are drawn twice as often as they occur.
    """
    dense = SynthesisConfig(
        language=code,
        seed=1,
        clean_share=0.12,
        errors_per_100_words=14.0,
        kinds=(*load_tables(code).draws, *doubled),
        more=table,
    )
    return {
        "dense": dense,
        "usual": replace(dense, seed=2, clean_share=0.25, errors_per_100_words=7.5),
        "sparse": replace(dense, seed=3, clean_share=0.5, errors_per_100_words=4.0),
    }


def write_errors(
    output: Path,
    seeds: Mapping[str, list[str]],
    copies: Mapping[str, int],
    densities: Mapping[str, SynthesisConfig],
    *,
    workers: int,
) -> dict[str, int]:
    """Write errors into clean sentences, a file for each density; return their numbers of pairs.

    Args:
        output: The folder.
        seeds: Clean sentences by name.
        copies: How often each of these is used.
        densities: As of `three_densities`.
        workers: Processes.
    """
    for name, lines in seeds.items():
        write_lines(output / f"seed-{name}.txt", lines)
    counts = {}
    for name, config in densities.items():
        pairs = [
            (wrong.source, wrong.target)
            for seed, times in copies.items()
            for wrong in synthesize(
                [output / f"seed-{seed}.txt"],
                replace(config, copies=times),
                SynthesisCounts(),
                workers=workers,
            )
        ]
        random.Random(0).shuffle(pairs)
        counts[name] = write_tsv(output / f"{name}.tsv", pairs)
    return counts


def inflections(sentences: Iterable[str], endings: Sequence[str]) -> Iterator[str]:
    """Yield rows of a table of confusions: words written with another ending.

    Both words occur in the sentences, so the wrong one is a word as well.

    Args:
        sentences: Clean text.
        endings: Those of the language, "" among them.
    """
    counts = Counter(word for text in sentences for word in _WORD.findall(text.lower()))
    stems: dict[str, set[str]] = {}
    for word, count in counts.items():
        if count < _LEAST:
            continue
        for ending in endings:
            stem = word.removesuffix(ending)
            if word.endswith(ending) and len(stem) >= _SHORTEST_STEM:
                stems.setdefault(stem, set()).add(word)
    others: dict[str, set[str]] = {}
    for words in stems.values():
        for word in words:
            others.setdefault(word, set()).update(words - {word})
    for word in sorted(others):
        near = sorted(others[word], key=lambda other: (-counts[other], other))[:_MOST_FORMS]
        for other in near:
            yield f"word form\t{word}\t{other}\t{_FORM_WEIGHT / len(near):.1f}"


def confusion_rows(edits: Counter[tuple[str, str, str]]) -> Iterator[str]:
    """Yield rows of a table of confusions from counts of kind, right and wrong words.

    Short words alone are left out: without their sentences, nothing tells where they are wrong.
    """
    for (kind, right, wrong), count in sorted(edits.items()):
        if len(right) < _SHORTEST_RIGHT:
            continue
        fits = right and _PHRASE.fullmatch(right) and _PHRASE.fullmatch(wrong) and right != wrong
        if fits and max(len(right.split()), len(wrong.split())) <= _LONGEST:
            yield f"{kind}\t{right}\t{wrong}\t{min(_HIGHEST, _EACH * count):.1f}"


def add_rows(table: Path, rows: Iterable[str]) -> int:
    """Add rows to a table, and return how many."""
    found = list(rows)
    with table.open("a", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in found)
    return len(found)


def documentation_pairs(archives: Path, code: str) -> list[Pair]:
    """Return strict corrections of translated documentation."""
    rows = (line.split("\t") for line in lines_of(archives / f"doc-typo-fixes/{code}.ccby.tsv"))
    return [(row[0].strip(), row[1].strip()) for row in rows if row[5] == "strict"]


def straighten(pair: Pair) -> Pair:
    """Write ' for ’ where a pair would have a network write it: "dont" does not tell which."""
    source, target = pair
    if source.count(CURLY) == target.count(CURLY):
        return pair
    return source.replace(CURLY, "'"), target.replace(CURLY, "'")


def write_tsv(path: Path, pairs: Iterable[Pair]) -> int:
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


def write_dev(output: Path, pairs: Iterable[Pair], name: str = "dev") -> dict[str, int]:
    """Write shuffled pairs as dev.src and dev.trg, or under another name."""
    dev = list(pairs)
    random.Random(0).shuffle(dev)
    return {
        f"{name}.{side}": write_lines(output / f"{name}.{side}", lines)
        for side, lines in zip(("src", "trg"), zip(*dev, strict=True), strict=True)
    }


def read_options(description: str) -> argparse.Namespace:
    """Return the options of a recipe that ends in `write_data`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lines", type=int)
    return parser.parse_args()


def write_data(
    options: argparse.Namespace,
    code: str,
    *,
    endings: Sequence[str],
    copies: Mapping[str, int],
    pairs: Mapping[str, Iterable[Pair]],
    dev: Iterable[Pair] = (),
    confusions: Iterable[str] | None = None,
) -> None:
    """Write the data of a language, and print how many sentences each file has.

    Args:
        options: As of `read_options`.
        code: The language.
        endings: Those of its words, for `inflections`.
        copies: How often the sentences of written-* ("written") and of `CleanText` ("clean") are
            used.
        pairs: Real pairs, by the name of their file.
        dev: Pairs to choose on, beside those of written-*.
        confusions: Rows of its table of errors, beside those of written-*.
    """
    output = options.output
    output.mkdir(parents=True, exist_ok=True)
    clean = CleanText(options.archives, code)
    train = clean.train[: options.lines]
    table = learn_errors(code, output / "errors.tsv")
    counts = {}
    if confusions is not None:
        counts["confusions"] = add_rows(table, confusions)
    counts["inflections"] = add_rows(table, inflections(train, endings))
    seeds = {
        "written": [target for _, target in written(code, "train")][: options.lines],
        "clean": train,
    }
    densities = three_densities(code, table)
    counts |= write_errors(output, seeds, copies, densities, workers=options.workers)
    for name, found in pairs.items():
        counts[name] = write_tsv(output / f"{name}.tsv", found)
    everyday = list(written(code, "dev"))
    counts |= write_dev(output, [*everyday, *dev])
    correct = [target for _, target in everyday]
    counts["clean-dev"] = write_lines(output / "clean-dev.txt", [*correct, *clean.dev])
    counts["clean"] = write_lines(output / "clean.txt", clean.reported)
    print(json.dumps(counts))
