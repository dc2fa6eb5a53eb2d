"""Makes the list of words that emendo-de may write; it writes no others.

    pip install wordfreq==3.1.1
    python models/emendo-de/words.py data/seed-written.txt data/seed-clean.txt \
        models/emendo-de/words.txt

Takes the most frequent German words of wordfreq, and words that occur several times in the clean
text that prepare.py writes errors into. All are in lower case: the list does not decide about
capitals. Prints how many there are.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

CREDIT = """\
# German words: frequent words of wordfreq 3.1.1 (Robyn Speer, CC BY-SA 4.0). This list is under
# CC BY-SA 4.0. With words of written-de (CC0), Common Voice (CC0) and documentation (CC BY 4.0).
# Made by models/emendo-de/words.py.
"""
MOST = 300_000
LETTERS = re.compile(r"[^\W\d_]+")
WORD = re.compile("[a-zäöüß]+(?:-[a-zäöüß]+)*")
# Most others of up to two letters are abbreviations.
LONG, MOST_SHORT = 3, 3000
# A word that occurs this often is not a slip.
OFTEN = 2


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("seeds", type=Path, nargs="+")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    # Imported here: the package is needed for nothing else.
    import wordfreq

    short = set(wordfreq.top_n_list("de", MOST_SHORT))
    frequent = {
        word
        for word in wordfreq.top_n_list("de", MOST)
        if WORD.fullmatch(word) and (len(word) >= LONG or word in short)
    }
    seen = Counter(
        word.lower()
        for path in options.seeds
        for word in LETTERS.findall(path.read_text(encoding="utf-8"))
    )
    often = {word for word, count in seen.items() if count >= OFTEN and WORD.fullmatch(word)}
    words = sorted(frequent | often)
    options.output.write_text(CREDIT + "\n".join(words) + "\n", encoding="utf-8")
    print(json.dumps({"words": len(words)}))


if __name__ == "__main__":
    main()
