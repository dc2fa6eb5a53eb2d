"""Makes the table of misspellings that emendo-en has beside its network.

    python models/emendo-en/misspellings.py ARCHIVES OUTPUT

ARCHIVES is the folder into which permissive-wordlists, permissive-clean-text and permissive-pairs
were unpacked. The table has misspellings from typos' list that stand for one word. The training
text must contain this word, and much more often than the misspelling and than any other word that
it could stand for. A word that lacks its apostrophe (youre) and a frequent word of another language
stand for nothing else. Writes misspellings.tsv, and prints its results on held-out text: `right` of
`proposed` on real corrections, and `alarms` on clean text.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from pathlib import Path

from prepare import edited_text, everyday_text, real_pairs, sentences_of

from emendo.languages import known_languages
from emendo.text.misspellings import Misspellings

CREDIT = (
    "# From https://github.com/crate-ci/typos (MIT or Apache-2.0), by emendo-en's misspellings.py."
)
WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
# The text must have a word COMMON times. A misspelling must be RARER times rarer than its word, and
# another word that it could stand for OTHER_RARER times.
COMMON, RARER, OTHER_RARER = 5, 500, 100
# A word gets a capital if it is this many times more frequent with one.
CAPITAL = 20
# Words that lack their apostrophe (youre, whos, womens), and frequent words of other languages.
PRONOUNS = ("i", "you", "he", "she", "it", "we", "they")
STEMS = (*PRONOUNS, "who", "what", "where", "there", "here", "that", "how", "when", "why")
UNLIKE = frozenset().union(
    (stem + end for stem in STEMS for end in ("s", "re", "ve", "ll", "d", "m")),
    (plural + "s" for plural in ("men", "women", "children", "people")),
    *(each.function_words for each in known_languages() if each.code != "en"),
)
SHORTEST = 3


def table(typos: Path, words: Counter[str]) -> dict[str, str]:
    """Return the misspellings of one common word, with that word in its usual form."""
    usual = {word: word for word in words if word.islower()}
    for word, seen in words.items():
        # Wednesday always has a capital, Haven and Rust only sometimes.
        if word.istitle() and seen >= max(COMMON, CAPITAL * words[word.lower()]):
            usual[word.lower()] = word

    def count(text: str) -> int:
        return min(words[usual.get(part, "")] for part in re.split("[ -]", text))

    found = {}
    with typos.open(encoding="utf-8", newline="") as file:
        for wrong, *rights in csv.reader(file):
            if not wrong.isalpha() or len(wrong) < SHORTEST:
                continue
            right, *others = sorted(rights, key=count, reverse=True)
            most = count(right)
            is_one = all(OTHER_RARER * count(other) <= most for other in others)
            if wrong in UNLIKE and _letters(right) != wrong:
                continue
            if is_one and most >= max(COMMON, RARER * (words[wrong] - 1)):
                found[wrong] = usual.get(right, right)
    return found


def _letters(word: str) -> str:
    return re.sub("['’]", "", word).lower()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path, help="the folder to write misspellings.tsv into")
    options = parser.parse_args()
    edited, held_out = edited_text(options.archives)
    voices, _ = everyday_text(options.archives)
    words = Counter(word for line in (*edited, *voices) for word in WORD.findall(line))
    clean = sentences_of(held_out)
    found = table(options.archives / "typo-lists/words.csv", words)
    path = options.output / "misspellings.tsv"
    lines = [f"{wrong}\t{right}" for wrong, right in sorted(found.items())]
    path.write_text("\n".join([CREDIT, *lines, ""]), encoding="utf-8")

    misspellings = Misspellings.from_file(path)
    right = proposed = 0
    for source, target in real_pairs(options.archives)[1]:
        meant = Counter(word.lower() for word in WORD.findall(target))
        for edit in misspellings.correct(source).edits:
            proposed += 1
            right += all(meant[part] for part in WORD.findall(edit.replacement.lower()))
    alarms = sum(bool(misspellings.correct(text).edits) for text in clean)
    print(
        json.dumps(
            {
                "misspellings": len(found),
                "proposed": proposed,
                "right": right,
                "clean_sentences": len(clean),
                "alarms": alarms,
            }
        )
    )


if __name__ == "__main__":
    main()
