"""The time of a sentence with misspelt words, compared with that of the correct sentence.

    python benchmarks/misspelt.py [--model BUNDLE]

By default the bundle of emendo-en in int8. `ratio_N`: the processor time of a sentence with N
misspelt words that no list contains, divided by that of the same sentence without mistakes; both in
two rounds, the medians of interleaved runs. `near_N`: how many of them are looked up and have
similar known words.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import measure
from archives import ROOT
from emendo.inference.loading import load_editor
from emendo.text.known_words import KnownWords
from emendo.text.near_words import NearWords

PACKAGED = ROOT / "models/emendo-en/src/emendo_en/bundle"
WORDS = ROOT / "models/emendo-en/words.txt"
COUNTS = (1, 3, 9, 18)
REPEATS = 7
# Each word of a pair beside its misspelling; the others are correct.
SENTENCE = (
    "Our government/govverment believes/beleeves that buses/buzes are more convenient/convenyent "
    "for people who live in the countryside/countrisyde and that every/evrey town should offer "
    "different/diffrunt tickets/tickits for children/childrin and students/studunts because they "
    "usually/yusually travel in the morning/mornning and seldom/seldum in the evening/evenning "
    "when most of the drivers/drivors are tired/tierd of the terrible/terribul traffic/trafick."
)


def misspelt(count: int) -> str:
    """Return the sentence with this many misspelt words."""
    found = []
    for word in SENTENCE.split(" "):
        right, slash, wrong = word.partition("/")
        found.append(wrong if slash and count > 0 else right)
        count -= bool(slash)
    return " ".join(found).rstrip(".") + "."


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=PACKAGED, help="a bundle's folder")
    options = parser.parse_args()
    editor = load_editor(options.model, cache_size=0, batch_tokens=128)
    texts = {count: misspelt(count) for count in (0, *COUNTS)}
    works = {
        str(count): lambda text=text: editor.edit_sentences([text]) for count, text in texts.items()
    }
    taken = measure.median_cpu_seconds(works, REPEATS)
    near = NearWords(KnownWords.from_file(WORDS))
    figures = {f"ratio_{count}": taken[str(count)] / taken["0"] for count in COUNTS}
    figures |= {f"near_{count}": len(list(near.unknown(texts[count]))) for count in COUNTS}
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
