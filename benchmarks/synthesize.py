"""How fast errors are made, how many, and of which kinds.

    python benchmarks/synthesize.py

Runs in one process with the tables already loaded, on new sentences from textbooks, news and read
speech. Also measures how often the guess at a word's class is that of AMALGUM's parser. Needs
`permissive-clean-text` and `permissive-parsed-text`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path

from archives import unpacked
from emendo.languages import load_language
from emendo.synthesis.sentence import read_sentence
from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize

FILES = (
    "openstax/us-history.sents.txt",
    "openstax/psychology.paras.txt",
    "wikinews-en/wikinews.paras.txt",
    "common-voice/en.curated.txt",
)
CLASSES = {
    "NN": "N", "NNS": "S", "VB": "V", "VBP": "V", "VBZ": "Z", "VBD": "D", "VBN": "P", "VBG": "G",
    "JJ": "J", "RB": "R",
}  # fmt: skip


def clean_sample(folder, lines):
    """Write an even sample of lines of all files, and return its path."""
    clean = unpacked("permissive-clean-text")
    sample = folder / "clean.txt"
    with sample.open("w", encoding="utf-8") as out:
        for name in FILES:
            found = (clean / name).read_text(encoding="utf-8").split("\n")
            step = max(1, len(found) * len(FILES) // lines)
            out.writelines(f"{line}\n" for line in found[::step])
    return sample


def class_accuracy(sentences):
    """Return the share of words in open classes whose guessed class is the parser's."""
    tables = load_language("en").word_tables
    right = seen = 0
    path = unpacked("permissive-parsed-text") / "amalgum/interview.conllu.gz"
    words, tags = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line[0].isdigit():
                fields = line.split("\t")
                words.append(fields[1])
                tags.append(fields[4])
                continue
            if line.strip() or not words:
                continue
            tokens = read_sentence(" ".join(words), tables).tokens
            if len(tokens) == len(words):
                for token, tag in zip(tokens, tags, strict=True):
                    if tag in CLASSES and token.lower not in tables.classes:
                        seen += 1
                        right += token.tag == CLASSES[tag]
            words, tags = [], []
            sentences -= 1
            if not sentences:
                break
    return right / seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=8000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = clean_sample(Path(folder), args.lines)
        warm = SynthesisCounts()
        list(synthesize([path], SynthesisConfig(seed=2), warm, limit=500))
        counts = SynthesisCounts()
        start = time.process_time()
        for _ in synthesize([path], SynthesisConfig(), counts):
            pass
        seconds = time.process_time() - start
    errors = counts.kinds.total()
    print(
        json.dumps(
            {
                "sentences_per_s": round(counts.pairs / seconds),
                "pairs": counts.pairs,
                "clean_share": round(counts.clean / counts.pairs, 3),
                "errors_per_100_words": round(counts.errors_per_100_words, 2),
                "class_accuracy": round(class_accuracy(4000), 3),
                "kinds": {kind: round(n / errors, 4) for kind, n in counts.kinds.most_common()},
                "refused": dict(counts.refused.most_common()),
            }
        )
    )


if __name__ == "__main__":
    main()
