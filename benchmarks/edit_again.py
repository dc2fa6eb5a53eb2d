"""How many sentences stay the same when the output is edited again.

    python benchmarks/edit_again.py --sentences 1000

Edits sentences of BEA-dev, and edits the output again. Prints one JSON object on its last line. It
has the percentage of sentences for each number of rounds: those that the second edit leaves
unchanged (stable_pct), those where it undoes the first edit (undone_pct), those where the third
edit undoes the second (swinging_pct), and those where the second edit changes more (further_pct).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter

from archives import unpacked
from emendo import load_editor
from emendo.evaluation.gold import read_annotated
from emendo.evaluation.raw_text import detokenise
from raw_text import BEA_DEV


def fates(editor, texts, level):
    """Edit texts three times and count the outcomes."""
    versions = [list(texts)]
    for _ in range(3):
        versions.append([edited.text for edited in editor.edit_many(versions[-1], level=level)])
    counts = Counter()
    for source, once, twice, thrice in zip(*versions, strict=True):
        if twice == once:
            counts["stable"] += 1
        elif twice == source:
            counts["undone"] += 1
        elif thrice == once:
            counts["swinging"] += 1
        else:
            counts["further"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", help="an installed model or a bundle; default: the only one installed"
    )
    parser.add_argument("--level", help="default: the bundle's own")
    parser.add_argument("--sentences", type=int, help="the size of an even sample; default: all")
    parser.add_argument("--rounds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    sentences = read_annotated(unpacked("evaluation-only") / BEA_DEV)
    step = max(1, len(sentences) // (options.sentences or len(sentences)))
    texts = [detokenise(tuple(each.tokens)).text for each in sentences[::step]]
    texts = texts[: options.sentences]
    result = {"sentences": len(texts)}
    for rounds in options.rounds:
        editor = load_editor(options.model, rounds=rounds)
        counts = fates(editor, texts, options.level)
        result[f"rounds_{rounds}"] = {
            f"{fate}_pct": round(100 * counts[fate] / len(texts), 2)
            for fate in ("stable", "undone", "swinging", "further")
        }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
