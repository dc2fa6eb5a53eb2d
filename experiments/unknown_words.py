"""How a list of words helps the network with unknown words.

    python experiments/unknown_words.py BUNDLE SOURCE REFERENCE [--clean FILE]...

SOURCE and REFERENCE have a sentence and its correction on each line; the sentences of --clean are
correct. The bundle's table of misspellings is not used.

- `unknown`: the unknown words of SOURCE that have similar known words; `meant_others`: those that
  the reference changes; `right_alone` and `right_with_list`: how many of these the network gets
  right without and with the list; `touched_alone` and `touched_with_list`: the right words that
  are changed. These figures are without thresholds.
- `alarms`: how many words of correct sentences may be changed. `right_now` and `right_fit`: how
  many words the list corrects with the lowest threshold that changes no more of them, by
  `Candidate.confidence` and by a logistic regression of "right" on its inputs. `proposed_now` and
  `proposed_fit`: how many words of SOURCE it changes with this threshold.
- `fit`: the weights of this regression.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from emendo.evaluation.gold import read_clean, read_gold
from emendo.inference import sentence_editor as module
from emendo.inference.loading import load_editor
from emendo.inference.spelling import Candidate, Doubt
from emendo.text import Edit
from emendo.text.words import split_words

INPUTS = ("constant", "gain", "ease", "length", "letters", "split", "singular")
ALARMS = (6, 12, 18, 24)
DECAY = 0.3


def words_of(text: str) -> list[str]:
    return [text[start:end] for _, start, end in split_words(text) if start < end]


def is_right(text: str, start: int, end: int, word: str, reference: str) -> bool:
    """Whether the reference has a word at the same place as the text."""
    first, inside = len(words_of(text[:start])), len(words_of(word))
    ours, theirs = words_of(text[:start] + word + text[end:]), words_of(reference)
    same = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    covered = {place for a, _, size in same for place in range(a, a + size)}
    return set(range(first, first + inside)) <= covered


def fit(x: np.ndarray, right: np.ndarray) -> np.ndarray:
    weights = np.zeros(x.shape[1])
    # The constant is free.
    decay = DECAY * np.diag([0.0, *np.ones(x.shape[1] - 1)])
    for _ in range(30):  # Newton's steps.
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (right - p) - decay @ weights
        weights += np.linalg.solve((x.T * (p * (1 - p))) @ x + decay, slope)
    return weights


class Settled:
    """The best candidate for each unknown word of some sentences."""

    def __init__(self, editor, pairs):
        found: list[tuple[Doubt, Candidate]] = []

        class Watched(Doubt):
            def settle(self, likelihoods):
                now, *then = likelihoods
                rated = (
                    replace(each, ease=value - now)
                    for each, value in zip(self.candidates, then, strict=True)
                )
                found.append((self, max(rated, key=lambda candidate: candidate.rank)))
                return super().settle(likelihoods)

        original = module.doubts
        module.doubts = lambda *a: (
            Watched(each.text, each.word, each.candidates, each.weights) for each in original(*a)
        )
        self.edited = editor.edit_sentences([source for source, _ in pairs])
        module.doubts = original
        references = dict(pairs)
        self.rows, self.right, self.confidences = [], [], []
        for doubt, best in found:
            start, end = doubt.word.start, doubt.word.end
            old, reference = doubt.text[start:end], references[doubt.text]
            self.rows.append(best.inputs(old))
            self.confidences.append(best.confidence(old, doubt.weights))
            stays = is_right(doubt.text, start, end, old, reference)
            self.right.append(not stays and is_right(doubt.text, start, end, best.text, reference))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bundle", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--clean", type=Path, action="append", default=[], metavar="FILE")
    options = parser.parse_args()
    editor = load_editor(options.bundle, cache_size=0)._sentence_editor
    # It would correct words first.
    editor._misspellings = None
    near = editor._near_words

    def doubtful(gold):
        pairs = ((source, first) for source, (first, *_) in gold)
        return [(a, b) for a, b in pairs if any(near.unknown(a))]

    dev, *clean = (
        doubtful(zip(each.sources, each.references, strict=True))
        for each in (
            read_gold(options.source, [options.reference]),
            *map(read_clean, options.clean),
        )
    )
    ours = Settled(editor, dev)
    others = Settled(editor, [pair for each in clean for pair in each])
    editor._near_words = None
    alone = editor.edit_sentences([source for source, _ in dev])

    counts = dict.fromkeys(("unknown", "meant_others"), 0)
    counts |= {
        f"{what}_{who}": 0 for what in ("right", "touched") for who in ("alone", "with_list")
    }
    for (source, reference), *results in zip(dev, alone, ours.edited, strict=True):
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
    x, right = np.array(ours.rows + others.rows), np.array(ours.right + others.right, dtype=float)
    weights = fit(x, right)
    at = len(ours.rows)
    figures: dict[str, list[int]] = {"alarms": list(ALARMS)}
    for name, rating in (
        ("now", np.array(ours.confidences + others.confidences)),
        ("fit", x @ weights),
    ):
        alarming = np.sort(rating[at:])[::-1]
        passed = [
            rating[:at] > (alarming[most] if most < len(alarming) else -np.inf) for most in ALARMS
        ]
        figures[f"right_{name}"] = [int(right[:at][each].sum()) for each in passed]
        figures[f"proposed_{name}"] = [int(each.sum()) for each in passed]
    fitted = {name: round(float(w), 2) for name, w in zip(INPUTS, weights, strict=True)}
    print(json.dumps({"sentences": len(dev), **counts, **figures, "fit": fitted}))


if __name__ == "__main__":
    main()
