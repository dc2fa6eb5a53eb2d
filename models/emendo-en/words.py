"""Makes the list of words that emendo-en may write; it writes no others.

    python models/emendo-en/words.py SCOWL SEED OUTPUT

SCOWL is the folder of word lists of Debian's package `scowl` (/usr/share/dict/scowl). SEED is the
clean side of written-en, seed-written.txt of models/emendo-en/prepare.py: words in several of its
lines are added. Writes words.txt, and prints how many words come from each source.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

CREDIT = """\
# English words: SCOWL to size 60, copyright 2000-2011 by Kevin Atkinson, and words that stand
# in several lines of written-en. Made by models/emendo-en/words.py.
#
# Permission to use, copy, modify, distribute and sell these word lists, the associated scripts,
# the output created from the scripts, and its documentation for any purpose is hereby granted
# without fee, provided that the above copyright notice appears in all copies and that both that
# copyright notice and this permission notice appear in supporting documentation. Kevin Atkinson
# makes no representations about the suitability of this array for any purpose. It is provided
# "as is" without express or implied warranty.
"""
SPELLINGS = ("english", "american", "british", "british_z", "canadian", "australian")
KINDS = ("words", "upper", "proper-names", "contractions")
LARGEST = 60
LIST = re.compile(rf"({'|'.join(SPELLINGS)})-({'|'.join(KINDS)})\.(\d+)")
WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
# A word in this many lines is not a slip.
OFTEN = 4
# The only letters that are words by themselves.
SINGLE = {"a", "i", "o"}


def scowl_words(folder: Path) -> set[str]:
    """Return the words of the lists up to the largest size; forms in 's follow by rule."""
    words: set[str] = set()
    for path in sorted(folder.iterdir()):
        match = LIST.fullmatch(path.name)
        if match and int(match[3]) <= LARGEST:
            lines = path.read_text(encoding="iso-8859-1").split("\n")
            words.update(line for line in lines if line and not line.endswith("'s"))
    return {word for word in words if len(word) > 1 or word.lower() in SINGLE}


def frequent_words(path: Path) -> set[str]:
    """Return words as they are mostly written, if several lines have them."""
    seen: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").split("\n"):
        # The first word of a line always has a capital.
        seen.update({word.replace("’", "'") for word in WORD.findall(line)[1:]})
    return {
        word
        for word, count in seen.items()
        if count >= OFTEN and len(word) > 2 and (word.islower() or count > seen[word.lower()])
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scowl", type=Path)
    parser.add_argument("seed", type=Path)
    parser.add_argument("output", type=Path, help="the folder to write words.txt into")
    options = parser.parse_args()
    listed = scowl_words(options.scowl)
    frequent = frequent_words(options.seed)
    more = {word for word in frequent if word not in listed and not word.endswith("'s")}
    words = sorted(listed | more)
    (options.output / "words.txt").write_text(CREDIT + "\n".join([*words, ""]), encoding="utf-8")
    print(json.dumps({"words": len(words), "scowl": len(listed), "text": len(more)}))


if __name__ == "__main__":
    main()
