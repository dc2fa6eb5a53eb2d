"""How well tools that take real text do on a tokenised test set.

    python benchmarks/raw_text.py --peer harper|quire
    python benchmarks/raw_text.py --peer languagetool --url http://localhost:8081
    python benchmarks/raw_text.py --peer command --command "my-corrector --quiet"

Every sentence is detokenised, corrected and tokenised again, so that no edit comes from the round
trip (emendo/evaluation/raw_text.py), and scored by ERRANT, span and correction, against all of
BEA-dev or a sample of it. Prints one JSON object on its last line: precision, recall and F0.5 in
per cent, and source tokens a second of the tool alone (a command's start included). Beside the
peer it needs emendo[score].
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from archives import unpacked
from emendo.evaluation.counts import total
from emendo.evaluation.errant_edits import score_errant
from emendo.evaluation.raw_text import detokenise, retokenise
from emendo.text.m2 import read_m2
from peers import command, harper, languagetool, quire

BEA_DEV = "pillars-of-gec/data/evaluation_sets/bea-dev.m2"


def read_sentences(options):
    """Read the test set, or a sample of it."""
    path = options.m2 or unpacked("evaluation-only") / BEA_DEV
    with path.open(encoding="utf-8") as lines:
        sentences = [sentence for sentence in read_m2(lines) if sentence.tokens]
    if options.sentences:
        random.Random(options.seed).shuffle(sentences)
    return sentences[: options.sentences]


def connect(options):
    """Return the peer as a function from texts to texts, and its version."""
    match options.peer:
        case "harper":
            return harper.connect(options.dialect), harper.version()
        case "quire":
            return quire.connect(), quire.version()
        case "languagetool":
            peer = languagetool.connect(options.url, options.dialect)
            return peer, languagetool.version(options.url)
        case _:
            return command.connect(options.command), options.command


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    peers = ("harper", "quire", "languagetool", "command")
    parser.add_argument("--peer", required=True, choices=peers)
    parser.add_argument("--url", help="where the LanguageTool server is")
    parser.add_argument("--command", help="what maps lines of text to lines of text")
    parser.add_argument("--dialect", default="american", choices=("american", "british"))
    parser.add_argument("--sentences", type=int, help="how many, at random; all unless told")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--m2", type=Path, help="another test set than BEA-dev")
    parser.add_argument("--style", default="bea", choices=("bea", "conll"), help="its tokens")
    parser.add_argument("--output", type=Path, help="write the corrected sentences there")
    options = parser.parse_args()
    for peer, needs in (("languagetool", "url"), ("command", "command")):
        if options.peer == peer and not getattr(options, needs):
            parser.error(f"--peer {peer} needs --{needs}")
    return options


def main() -> None:
    options = parse_options()
    correct, version = connect(options)
    sentences = read_sentences(options)
    raw = [detokenise(sentence.tokens, style=options.style) for sentence in sentences]
    start = time.perf_counter()
    corrected = correct([sentence.text for sentence in raw])
    seconds = time.perf_counter() - start
    outputs = [retokenise(*pair) for pair in zip(raw, corrected, strict=True)]
    if options.output:
        options.output.write_text("".join(f"{line}\n" for line in outputs), encoding="utf-8")
    changed = sum(text != sentence.text for text, sentence in zip(corrected, raw, strict=True))
    print(f"{options.peer}: {changed} of {len(raw)} texts changed in {seconds:.1f} s", flush=True)
    counts = total(score_errant(sentences, outputs))
    print(
        json.dumps(
            {
                "peer": options.peer,
                "version": version,
                "sentences": len(sentences),
                "precision": round(100 * counts.precision, 2),
                "recall": round(100 * counts.recall, 2),
                "f05": round(100 * counts.f(), 2),
                "correct": counts.correct,
                "proposed": counts.proposed,
                "gold": counts.gold,
                "tokens_per_s": round(sum(len(s.tokens) for s in sentences) / seconds),
            }
        )
    )


if __name__ == "__main__":
    main()
