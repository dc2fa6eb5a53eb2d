"""Makes the list of words that emendo-ru may write; it writes no others.

    pip install wordfreq==3.1.1 pymorphy3 pymorphy3-dicts-ru
    python models/emendo-ru/words.py models/emendo-ru/words.txt

Takes the most frequent forms of wordfreq that are in the dictionary of OpenCorpora, which pymorphy3
reads. Words that can only be names have a capital. Prints how many there are.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

CREDIT = """\
# Russian words: frequent forms of wordfreq 3.1.1 (Robyn Speer, CC BY-SA 4.0) that are in the
# dictionary of OpenCorpora (opencorpora.org, CC BY-SA 3.0). This list is under CC BY-SA 4.0. Made
# by models/emendo-ru/words.py.
"""
MOST = 400_000
WORD = re.compile("[а-яё]+(?:-[а-яё]+)*")
# The only letters that are words by themselves.
SINGLE = set("аявикосу")
# OpenCorpora's grammemes of names of people, places and organisations.
NAMES = {"Name", "Surn", "Patr", "Geox", "Orgn"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    # Imported here: these packages are needed for nothing else.
    import pymorphy3
    import wordfreq

    dictionary = pymorphy3.MorphAnalyzer(lang="ru")

    def usual(word: str) -> str:
        readings = dictionary.parse(word)
        is_name = all(NAMES & set(reading.tag.grammemes) for reading in readings)
        return word.capitalize() if is_name else word

    words = sorted(
        usual(word)
        for word in wordfreq.top_n_list("ru", MOST)
        if WORD.fullmatch(word)
        and (len(word) > 1 or word in SINGLE)
        and dictionary.word_is_known(word)
    )
    options.output.write_text(CREDIT + "\n".join(words) + "\n", encoding="utf-8")
    print(json.dumps({"words": len(words)}))


if __name__ == "__main__":
    main()
