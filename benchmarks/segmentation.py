"""How many sentence boundaries are found when known sentences, joined by spaces, are split again.

Common Voice (CC0) has one sentence a line, written by people; AMALGUM's were split by a parser
and have headings and quotes. Some lines contain two sentences, so no tool can reach 100. Other
splitters (pysbd, sentencex, syntok) are measured as well if they are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import random
import time
from functools import partial
from typing import TYPE_CHECKING

import archives
from emendo.evaluation.raw_text import detokenise
from emendo.text.segmentation import split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable

    Splitter = Callable[[str], list[tuple[int, int]]]

JOINED = 8


def peers(language: str) -> dict[str, Splitter]:
    """Return the splitters that are installed, as functions from a text to spans."""
    found: dict[str, Splitter] = {"emendo": partial(split_sentences, languages=(language,))}
    if importlib.util.find_spec("sentencex"):
        import sentencex

        found["sentencex"] = lambda text: [
            (b["start_index"], b["end_index"])
            for b in sentencex.get_sentence_boundaries(language, text)
        ]
    if importlib.util.find_spec("syntok"):
        from syntok import segmenter

        found["syntok"] = lambda text: [
            (sentence[0].offset, sentence[-1].offset + len(sentence[-1].value))
            for paragraph in segmenter.analyze(text)
            for sentence in paragraph
        ]
    if importlib.util.find_spec("pysbd"):
        import pysbd

        pragmatic = pysbd.Segmenter(language=language, clean=False, char_span=True)
        found["pysbd"] = lambda text: [(s.start, s.end) for s in pragmatic.segment(text)]
    return found


def boundaries(text: str, spans: list[tuple[int, int]]) -> set[int]:
    """Return where sentences start, without the first one, which is always right."""
    return {
        start + len(text[start:end]) - len(text[start:end].lstrip())
        for start, end in spans
        if text[start:end].strip()
    } - {0}


def score(splitter: Splitter, sentences: list[str]) -> dict[str, float]:
    """Return precision, recall and F1 of boundaries in percent, and characters a second."""
    true = proposed = right = characters = 0
    seconds = 0.0
    for k in range(0, len(sentences), JOINED):
        group = sentences[k : k + JOINED]
        text = " ".join(group)
        starts = itertools.accumulate(len(s) + 1 for s in group[:-1])
        gold = set(starts)
        begin = time.perf_counter()
        spans = splitter(text)
        seconds += time.perf_counter() - begin
        found = boundaries(text, spans)
        true += len(gold)
        proposed += len(found)
        right += len(gold & found)
        characters += len(text)
    return {
        "p": round(100 * right / proposed, 2),
        "r": round(100 * right / true, 2),
        "f1": round(200 * right / (proposed + true), 2),
        "mb_per_s": round(characters / 1e6 / seconds, 2),
    }


def corpora(count: int) -> dict[str, tuple[str, list[str]]]:
    """Return sentences by corpus, only those that end with a punctuation mark."""
    voice = archives.unpacked("permissive-clean-text") / "common-voice"
    amalgum = archives.unpacked("permissive-parsed-text") / "amalgum"
    files = {
        f"common-voice {code}": (code, voice / f"{code}.curated.txt") for code in ("en", "de", "ru")
    }
    files |= {
        f"amalgum {genre}": ("en", amalgum / f"{genre}.sents.txt") for genre in ("news", "fiction")
    }
    found = {}
    for name, (code, path) in files.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        if name.startswith("amalgum"):
            lines = [detokenise(line.split()).text for line in lines]
        lines = [
            line.strip() for line in lines if line.rstrip(" \"”»'’)").endswith((".", "?", "!", "…"))
        ]
        found[name] = code, random.Random(0).sample(lines, min(count, len(lines)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a tenth of the sentences")
    parser.add_argument("--errors", action="store_true", help="print what emendo gets wrong")
    arguments = parser.parse_args()
    figures = {}
    for name, (code, sentences) in corpora(800 if arguments.short else 8000).items():
        for peer, splitter in peers(code).items():
            figures[f"{name}: {peer}"] = score(splitter, sentences)
            print(f"{name:18} {peer:10}", figures[f"{name}: {peer}"], flush=True)
        if arguments.errors:
            for k in range(0, len(sentences), JOINED):
                text = " ".join(sentences[k : k + JOINED])
                gold = set(itertools.accumulate(len(s) + 1 for s in sentences[k : k + JOINED - 1]))
                found = boundaries(text, split_sentences(text, languages=(code,)))
                for position in sorted(gold ^ found):
                    kind = "missed" if position in gold else "wrong"
                    print(
                        kind,
                        repr(text[max(0, position - 40) : position]),
                        "|",
                        repr(text[position : position + 25]),
                    )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
