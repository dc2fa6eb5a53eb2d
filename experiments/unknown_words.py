"""How a list of words helps the network with unknown words.

    python experiments/unknown_words.py WEIGHTS SOURCE REFERENCE [--tokenizer FOLDER]

WEIGHTS is a folder that `emendo train` wrote; SOURCE and REFERENCE have a sentence and its
correction on each line. Counts the unknown words that have similar known words, those of them that
the reference changes, how many of these the network gets right alone and with the list, and how
many words that should stay are changed. Also fits a logistic regression of "right" on the inputs of
`Candidate.confidence`. Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from emendo.inference import SentenceEditor
from emendo.inference import sentence_editor as module
from emendo.inference.spelling import Doubt
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.text import Edit, TextTokenizer
from emendo.text.known_words import KnownWords
from emendo.text.near_words import NearWords
from emendo.text.words import split_words

WORDS = Path(__file__).parents[1] / "models/emendo-en/words.txt"


def words_of(text: str) -> list[str]:
    return [text[start:end] for _, start, end in split_words(text) if start < end]


def is_right(text: str, start: int, end: int, word: str, reference: str) -> bool:
    """Whether the reference has a word at the same place as the text."""
    first, inside = len(words_of(text[:start])), len(words_of(word))
    ours, theirs = words_of(text[:start] + word + text[end:]), words_of(reference)
    same = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    covered = {place for a, _, size in same for place in range(a, a + size)}
    return set(range(first, first + inside)) <= covered


def fit(rows: list[list[float]], right: list[bool]) -> list[float]:
    x, y = np.array(rows), np.array(right, dtype=float)
    weights = np.zeros(x.shape[1])
    for _ in range(30):  # Newton's steps, with a little weight decay.
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (y - p) - 0.01 * weights
        weights += np.linalg.solve(x.T * (p * (1 - p)) @ x + 0.01 * np.eye(len(weights)), slope)
    return [round(float(value), 3) for value in weights]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--tokenizer", type=Path, help="if the folder of the weights has none")
    options = parser.parse_args()
    known = KnownWords.from_file(WORDS)
    near = NearWords(known)
    files = (
        path.read_text(encoding="utf-8").split("\n") for path in (options.source, options.reference)
    )
    pairs = [(a, b) for a, b in zip(*files, strict=True) if a and any(near.unknown(a))]
    model = CopyCTCForEditing.from_pretrained(options.weights).eval()
    tokenizer = TextTokenizer.from_pretrained(options.tokenizer or options.weights)
    editor = SentenceEditor(TorchBackend(model), tokenizer, known_words=known)

    settled: list[tuple[Doubt, list[float]]] = []

    class Watched(Doubt):
        def settle(self, likelihoods):
            settled.append((self, list(likelihoods)))
            return super().settle(likelihoods)

    original = module.doubts
    module.doubts = lambda *a: (
        Watched(each.text, each.word, each.candidates) for each in original(*a)
    )
    sources = [source for source, _ in pairs]
    with_list = editor.edit_sentences(sources)
    editor._near_words = None
    alone = editor.edit_sentences(sources)

    counts = dict.fromkeys(
        (
            "unknown",
            "meant_others",
            "right_alone",
            "right_with_list",
            "touched_alone",
            "touched_with_list",
        ),
        0,
    )
    for (source, reference), *results in zip(pairs, alone, with_list, strict=True):
        for start, end, _ in near.unknown(source):
            old = source[start:end]
            stays = is_right(source, start, end, old, reference)
            counts["unknown"] += 1
            counts["meant_others"] += not stays
            for name, edited in zip(("alone", "with_list"), results, strict=True):
                new = edited.in_place_of(Edit(start, end, ""))
                if stays:
                    counts[f"touched_{name}"] += new != old
                elif new and new != old:
                    counts[f"right_{name}"] += is_right(source, start, end, new, reference)
    references = dict(pairs)
    rows, right = [], []
    for doubt, (now, *then) in settled:
        rated = [
            (candidate, max(-5.0, min(found - now, 15.0)))
            for candidate, found in zip(doubt.candidates, then, strict=True)
        ]
        best, ease = max(rated, key=lambda r: r[0].gain + 2 * r[1] - 3 * r[0].letters)
        word = doubt.word
        rows.append(
            [
                1.0,
                min(max(best.gain, -30), 5),
                ease,
                min(word.end - word.start - 7, 4),
                best.letters,
            ]
        )
        right.append(is_right(doubt.text, word.start, word.end, best.text, references[doubt.text]))
    names = ("constant", "gain", "ease", "length", "letters")
    print(
        json.dumps(
            {"pairs": len(pairs), **counts, "fit": dict(zip(names, fit(rows, right), strict=True))}
        )
    )


if __name__ == "__main__":
    main()
