"""Checks a corpus of inline corrections, and prints one JSON object with its figures.

    python corpora/check.py [corpora/written-en] [--write]

It checks the markup, the listing, duplicates and near-duplicates, lines that are also in a test
list or an evaluation set, repeated frames, and, in English, the share of each type of error.
`statistics.json` in the corpus has the counts by ERRANT's types with the hash of their text. If the
text has changed, --write counts again, which takes some minutes, and writes the tables of the
datasheet. `sample.tsv` has the verdicts of several readers on 500 lines, selected by the hash of
the text, so a changed text needs a new sample. Exits with 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.data.inline_corpus import SPLITS, read_listing
from emendo.errors import FormatError
from emendo.text import read_m2
from emendo.text.inline import parse_inline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from emendo.data.inline_corpus import CorpusFile
    from emendo.text import EditPair

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

GRAM = 5
# The share of common 5-grams from which two texts are near-duplicates.
NEAR = 0.5
COMMON_FILES = 3
SAMPLE = 500
# The minimum number of lines of each corpus.
LINES = {"written-en": 60_000, "written-de": 12_400, "written-ru": 12_400}
REPEATED_PCT, SAMPLED_OK_PCT = 2.0, 98.0
# The target share of edits by ERRANT's types, in per cent.
MIX = {
    "DET": 14, "PREP": 12, "PUNCT": 14, "VERB:TENSE": 9, "VERB:FORM": 9, "SPELL": 9,
    "VERB:SVA": 8, "NOUN:NUM": 6, "ORTH": 6, "MORPH": 4, "PRON": 4, "WO": 4,
}  # fmt: skip
EVALUATION = "evaluation-only"
# The test sets of other languages: an archive, and its folders.
TESTS = {
    "written-de": ("sharealike-pairs", ("falko-merlin",)),
    "written-ru": (EVALUATION, ("gera", "lorugec")),
}
# The rest is English; other files there are licences, scores or other languages.
NOT_TEXT = {".json", ".md", ".py", ".pdf", ".xlsx", ".ann", ".sh", ".csv"}
# One token per line, a blank line between sentences.
TOKEN_FILES = ("en_fce_", "en_realec_")
OTHER_LANGUAGES = {"gera", "lorugec"}
ENGLISH = "written-en"


class Line(NamedTuple):
    """One text of the corpus."""

    file: CorpusFile
    number: int
    text: str
    pair: EditPair

    @property
    def place(self) -> str:
        return f"{self.file.path.parent.name}/{self.file.path.name}:{self.number}"


def read_lines(folder: Path, problems: list[str]) -> list[Line]:
    """Read every line, and record errors in its markup."""
    lines = []
    for file in read_listing(folder):
        for number, text in enumerate(file.path.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{file.path}:{number}"
            try:
                pair = parse_inline(text)
            except FormatError as error:
                problems.append(f"{place}: {error}")
                continue
            if not pair.source or not pair.target:
                problems.append(f"{place}: one side is empty: {text[:60]!r}")
            elif pair.source == pair.target and "=>" in text:
                problems.append(f"{place}: a mark that changes nothing: {text[:60]!r}")
            elif text != text.strip():
                problems.append(f"{place}: white space at an end")
            else:
                lines.append(Line(file, number, text, pair))
    return lines


def check_listing(folder: Path, problems: list[str]) -> None:
    """Every file is listed, and no writer of dev or test has written for train."""
    files = read_listing(folder)
    listed = {file.path for file in files}
    for path in sorted(set(folder.glob("*/*.txt")) - listed):
        problems.append(f"{path} is not listed")
    splits: dict[str, set[str]] = defaultdict(set)
    for file in files:
        if file.writer:
            splits[file.writer].add(file.split)
    problems += [f"{w!r} writes for {sorted(s)}" for w, s in splits.items() if len(s) > 1]


def key_of(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def grams_of(text: str) -> frozenset[tuple[str, ...]]:
    words = words_of(text)
    return frozenset(tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1))


class Neighbours:
    """An index of texts by their 5-grams."""

    def __init__(self) -> None:
        self._texts: list[frozenset[tuple[str, ...]]] = []
        self._places: list[str] = []
        self._index: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._keys: dict[str, str] = {}

    def add(self, text: str, place: str) -> None:
        grams = grams_of(text)
        for gram in grams:
            self._index[gram].append(len(self._texts))
        self._texts.append(grams)
        self._places.append(place)
        if key := key_of(text):
            self._keys.setdefault(key, place)

    def same(self, text: str) -> str | None:
        """Return the place of a text with the same letters and digits."""
        return self._keys.get(key_of(text))

    def near(self, text: str) -> str | None:
        """Return the place of a text that shares half of the 5-grams of both."""
        grams = grams_of(text)
        shared = Counter(i for gram in grams for i in self._index.get(gram, ()))
        for i, common in shared.most_common(20):
            if common >= NEAR * len(grams | self._texts[i]):
                return self._places[i]
        return None


def find_duplicates(lines: list[Line]) -> tuple[list[str], list[str]]:
    """Return lines whose corrected side occurs earlier, exactly or nearly."""
    known = Neighbours()
    same, near = [], []
    for line in lines:
        if place := known.same(line.pair.target):
            same.append(f"{line.place} is {place}: {line.pair.target}")
        elif place := known.near(line.pair.target):
            near.append(f"{line.place} is much like {place}: {line.pair.target}")
        known.add(line.pair.target, line.place)
    return same, near


def test_texts(corpus: str) -> Iterator[tuple[str, str]]:
    """Yield all test texts of this language, with their places."""
    from archives import unpacked

    if corpus in TESTS:
        archive, names = TESTS[corpus]
        for name in names:
            yield from _texts_in(unpacked(archive) / name, ())
        return
    own = ROOT / "models/emendo-en"
    for path in (own / "everyday.tsv", own / "tricky.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for text in re.split(r"\t|\|\|", line):
                yield text, path.name
    yield from _texts_in(unpacked(EVALUATION), OTHER_LANGUAGES)


def _texts_in(folder: Path, others: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the texts of all files in a folder, except some of its folders."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        place = str(path.relative_to(folder))
        if path.suffix in NOT_TEXT or path.relative_to(folder).parts[0] in others:
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        if path.suffix == ".m2":
            yield from ((line[2:], place) for line in lines if line.startswith("S "))
            yield from ((text, place) for text in _corrected(lines))
        elif path.name.startswith(TOKEN_FILES):
            for sentence in "\n".join(lines).split("\n\n"):
                yield " ".join(row.split("\t")[0] for row in sentence.splitlines()), place
        else:
            for line in lines:
                for text in line.split("\t"):
                    yield text, place


def _corrected(lines: list[str]) -> Iterator[str]:
    try:
        for sentence in read_m2(iter(lines)):
            yield sentence.pair(sentence.annotators[0]).target
    except FormatError:
        # Some files have invalid edits; their sources are still compared.
        return


def find_overlap(lines: list[Line], tests: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines of which either side equals, or nearly equals, a test text."""
    known = Neighbours()
    for line in lines:
        for side in set(line.pair):
            known.add(side, line.place)
    found = {}
    for text, where in tests:
        place = known.same(text) or known.near(text)
        if place:
            found.setdefault(place, f"{place} is in {where}: {text}")
    return list(found.values())


def repeated_share(lines: list[Line]) -> float:
    """Return the share of 5-word stretches that occur in several files, in per cent."""
    files: dict[tuple[str, ...], set[Path]] = defaultdict(set)
    count: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        words = words_of(line.pair.target)
        for i in range(len(words) - GRAM + 1):
            gram = tuple(words[i : i + GRAM])
            files[gram].add(line.file.path)
            count[gram] += 1
    repeated = sum(n for gram, n in count.items() if len(files[gram]) >= COMMON_FILES)
    return 100 * repeated / max(1, count.total())


def count_types(lines: list[Line]) -> Counter[str]:
    """Count edits by ERRANT's types, without the prefix for missing, replaced or unnecessary."""
    from emendo.evaluation.errant_edits import ErrantAnnotator

    annotator = ErrantAnnotator()
    wrong = [line.pair for line in lines if line.pair.source != line.pair.target]
    types: Counter[str] = Counter()
    for start in range(0, len(wrong), 2000):
        sides = [
            [" ".join(annotator.tokenise(text)) for text in side]
            for side in zip(*wrong[start : start + 2000], strict=True)
        ]
        for edits in annotator.annotate(*sides):
            types.update(edit.type.partition(":")[2] or edit.type for edit in edits)
    return types


def hash_of(lines: list[Line]) -> str:
    text = "".join(f"{line.place}\t{line.text}\n" for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def line_hash(line: Line) -> str:
    return hashlib.sha256(f"{line.place}\t{line.text}".encode()).hexdigest()[:16]


def draw_sample(lines: list[Line], corpus_hash: str) -> list[Line]:
    """Select lines by the hash of the whole text, so that writers cannot choose the sample."""
    return sorted(
        lines, key=lambda line: hashlib.sha256(f"{corpus_hash} {line_hash(line)}".encode()).digest()
    )[:SAMPLE]


def read_sample(path: Path, drawn: list[Line]) -> float:
    """Return the share of the sampled lines that every reader judges right, in per cent.

    Raises:
        FormatError: The verdicts are on other lines.
    """
    if not path.exists():
        raise FormatError(f"{path.name} is missing: readers have to judge a sample")
    rows = [row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()[1:]]
    if {row[0] for row in rows} != {line_hash(line) for line in drawn}:
        raise FormatError(f"{path.name} belongs to another text: the sample has to be judged again")
    return 100 * sum(set(row[1:-1]) == {"ok"} for row in rows) / len(rows)


def fill_datasheet(path: Path, found: dict[str, Any]) -> None:
    """Write the tables of the datasheet."""
    from marked_tables import fill

    totals = {
        "lines": found["lines"],
        "of these with mistakes": found["error_lines"],
        "edits": found["edits"],
        **{f"lines of part `{part}`": n for part, n in found["parts"].items()},
        **{f"lines of split `{split}`": n for split, n in found["splits"].items()},
    }
    judged = f"{found['sampled_ok_pct']} % of the {SAMPLE} lines are right."
    tables = {
        "table": _table(("", "count"), totals),
        "revisions": _table(("reason", "lines"), found["revised"]),
        "sample": judged if found["sampled_ok_pct"] is not None else "",
    }
    if found["types"]:
        tables["types"] = _table(("type", "edits"), found["types"])
    fill(path, tables)


def _table(header: tuple[str, str], rows: dict[str, int]) -> str:
    from marked_tables import table

    return table(header, ((name, f"{count:,}") for name, count in rows.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, nargs="?", default=ROOT / "corpora/written-en")
    parser.add_argument(
        "--write",
        action="store_true",
        help="count types if the text has changed, and write the datasheet's tables",
    )
    parser.add_argument("--sample", type=Path, help="write the lines to judge to this file")
    options = parser.parse_args()
    problems: list[str] = []
    check_listing(options.corpus, problems)
    lines = read_lines(options.corpus, problems)
    corpus_hash = hash_of(lines)
    drawn = draw_sample(lines, corpus_hash)
    if options.sample:
        rows = "".join(f"{line_hash(line)}\t{line.text}\n" for line in drawn)
        options.sample.write_text(rows, encoding="utf-8")
        return

    same, near = find_duplicates(lines)
    overlap = find_overlap(lines, test_texts(options.corpus.name))
    repeated = repeated_share(lines)
    statistics = options.corpus / "statistics.json"
    kept = json.loads(statistics.read_text("utf-8")) if statistics.exists() else {}
    if options.write and kept.get("sha256") != corpus_hash:
        kept = {"sha256": corpus_hash, "edits": sum(line.text.count("=>") for line in lines)}
        if options.corpus.name == ENGLISH:
            kept["types"] = dict(count_types(lines).most_common())
        statistics.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if kept.get("sha256") != corpus_hash:
        problems.append(f"{statistics.name} belongs to another text: run again with --write")
    sampled = None
    try:
        sampled = read_sample(options.corpus / "sample.tsv", drawn)
    except FormatError as error:
        problems.append(str(error))
    problems += same + overlap
    for place, text in (("duplicates", same), ("near", near), ("tests", overlap)):
        for row in text:
            print(f"{place}: {row}", file=sys.stderr)
    for row in problems:
        print(row, file=sys.stderr)

    types = kept.get("types", {})
    edits = sum(types.values()) or kept.get("edits", 0)
    revisions = options.corpus / "revisions.tsv"
    reasons = (
        Counter(row.split("\t")[2] for row in revisions.read_text("utf-8").splitlines()[1:])
        if revisions.exists()
        else {}
    )
    found = {
        "lines": len(lines),
        "error_lines": sum(line.pair.source != line.pair.target for line in lines),
        "edits": edits,
        "types": types,
        "share_and_mix": {
            name: [round(100 * types[name] / edits, 1), wanted]
            for name, wanted in MIX.items()
            if name in types
        },
        "parts": dict(Counter(line.file.part for line in lines)),
        "splits": {s: sum(line.file.split == s for line in lines) for s in SPLITS},
        "duplicates": len(same),
        "near_duplicates": len(near),
        "test_overlap": len(overlap),
        "repeated_5grams_pct": round(repeated, 2),
        "sampled_ok_pct": sampled,
        "revised": dict(Counter(reasons).most_common()),
        "problems": len(problems),
    }
    if options.write:
        fill_datasheet(options.corpus / "README.md", found)
    print(json.dumps(found))
    is_short = len(lines) < LINES[options.corpus.name]
    is_poor = repeated > REPEATED_PCT or (sampled or 0) < SAMPLED_OK_PCT
    sys.exit(1 if problems or is_short or is_poor else 0)


if __name__ == "__main__":
    main()
