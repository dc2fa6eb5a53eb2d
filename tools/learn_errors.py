"""Counts the errors of an inline corpus into a table from which errors are drawn.

    python tools/learn_errors.py corpora/written-en:train TABLE [--language en]

Each edit of up to three words becomes rows of the file TABLE, for `SynthesisConfig.more`: the right
words, the wrong ones, and their rate per thousand. A short function word alone is ambiguous, so its
neighbours belong to the row: "depends on" becomes "depends of". Only the training split may be
read: dev and test must have errors that are in no table.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.data.readers import PairFiles
from emendo.languages import DEFAULT_LANGUAGE
from emendo.text import edit_type, merge_edits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.text import EditPair

NOTHING = "∅"
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
PHRASE = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?: [^\W\d_]+(?:['’-][^\W\d_]+)*)*")
LONGEST = 3
# Shorter words are mostly function words.
SHORT = 4
# Per thousand; the corpus has more errors than real text, and counts of rare words are unreliable.
HIGHEST = 60.0
KINDS = {
    "spelling": "misspelling",
    "agreement": "agreement",
    "tense": "tense",
    "number": "noun number",
    "word choice": "word choice",
    "word order": "word order",
    "missing word": "missing word",
    "extra word": "extra word",
}
# These types also need "missing", "extra" or "wrong".
THREE_WAY = ("article", "preposition", "pronoun")


def kind_of(name: str, right: str, wrong: str) -> str | None:
    if name in THREE_WAY:
        return f"{'extra' if not right else 'missing' if not wrong else 'wrong'} {name}"
    return KINDS.get(name)


def rows_of(pair: EditPair, language: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, right and wrong words of each edit that fits into a table."""
    for edit in merge_edits(pair.source, [(0, len(pair.source), pair.target)]).edits:
        wrong = pair.source[edit.start : edit.end].strip().lower()
        right = edit.replacement.strip().lower()
        if any(side and not PHRASE.fullmatch(side) for side in (wrong, right)):
            continue
        if max(len(wrong.split()), len(right.split())) > LONGEST:
            continue
        kind = kind_of(edit_type(pair.source, edit, language=language), right, wrong)
        if kind is None:
            continue
        before = neighbour(pair.source[: edit.start], last=True)
        after = neighbour(pair.source[edit.end :], last=False)
        if len(right) > SHORT:
            yield kind, right, wrong or NOTHING
            continue
        # If a neighbour is itself wrong, the row never fits a clean text.
        if before:
            yield kind, f"{before} {right}".strip(), f"{before} {wrong}".strip()
        if after:
            yield kind, f"{right} {after}".strip(), f"{wrong} {after}".strip()


def neighbour(text: str, *, last: bool) -> str | None:
    """Return the word right beside an edit, with only a space between."""
    pattern = rf"({WORD.pattern})\s*\Z" if last else rf"\A\s*({WORD.pattern})"
    found = re.search(pattern, text)
    return found[1].lower() if found else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus")
    parser.add_argument("table", type=Path)
    parser.add_argument("--language", default=DEFAULT_LANGUAGE, help="its rules give the kinds")
    options = parser.parse_args()
    found: Counter[tuple[str, str, str]] = Counter()
    phrases: Counter[str] = Counter()
    for pair in PairFiles(options.corpus).read():
        words = [word.lower() for word in WORD.findall(pair.target)]
        for size in range(1, LONGEST + 2):
            phrases.update(" ".join(words[i : i + size]) for i in range(len(words) - size + 1))
        if pair.source != pair.target:
            found.update(rows_of(pair, options.language))
    lines = []
    for (kind, right, wrong), count in sorted(found.items()):
        if right == wrong:
            continue
        weight = min(HIGHEST, 1000 * count / max(phrases[right], 10))
        lines.append(f"{kind}\t{right}\t{wrong}\t{weight:.1f}\n")
    options.table.write_text("".join(lines), encoding="utf-8")
    kinds = Counter(line.split("\t")[0] for line in lines)
    print(json.dumps({"rows": len(lines), "kinds": dict(kinds.most_common())}))


if __name__ == "__main__":
    main()
