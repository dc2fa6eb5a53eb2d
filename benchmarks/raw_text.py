"""How well tools that read natural text do on a tokenised test set.

    python benchmarks/raw_text.py --peer harper|quire
    python benchmarks/raw_text.py --peer languagetool --url http://localhost:8081
    python benchmarks/raw_text.py --peer command --command "my-corrector --quiet"

Every sentence is detokenised, corrected and tokenised again, so that no edit comes from the round
trip (emendo/evaluation/raw_text.py), and scored by ERRANT, span and correction, against all of
BEA-dev or a sample of it. The tool gets one sentence at a time; all its first suggestions are
taken, also those on style. Prints one JSON object on its last line: precision, recall and F0.5 in
per cent, and source tokens a second of the tool alone (with the start of a command). It needs
emendo[score] and the tool.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from operator import ne
from pathlib import Path

from archives import unpacked
from emendo.errors import FormatError
from emendo.evaluation.counts import total
from emendo.evaluation.errant_edits import score_errant
from emendo.evaluation.gold import read_annotated
from emendo.evaluation.raw_text import detokenise, retokenise
from peers import command, harper, languagetool, quire

BEA_DEV = "pillars-of-gec/data/evaluation_sets/bea-dev.m2"


def read_sentences(options):
    """Read the test set, or a sample of it in the order of the set."""
    try:
        sentences = read_annotated(options.m2 or unpacked("evaluation-only") / BEA_DEV)
    except FormatError as error:
        raise SystemExit(str(error)) from None
    if options.sentences is None or options.sentences >= len(sentences):
        return sentences
    drawn = random.Random(options.seed).sample(range(len(sentences)), options.sentences)
    return [sentences[place] for place in sorted(drawn)]


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
    parser.add_argument("--url", help="the address of the LanguageTool server")
    parser.add_argument("--command", help="a command that maps lines of text to lines of text")
    parser.add_argument("--dialect", default="american", choices=("american", "british"))
    parser.add_argument("--sentences", type=int, help="how many, at random; default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--m2", type=Path, help="a test set other than BEA-dev; needs --style")
    parser.add_argument("--style", choices=("bea", "conll"), help="how it is tokenised")
    parser.add_argument(
        "--output",
        type=Path,
        help="write the corrected sentences there and, for a sample, its edits to OUTPUT.m2",
    )
    options = parser.parse_args()
    if options.sentences is not None and options.sentences < 1:
        parser.error("--sentences must be 1 or more")
    if bool(options.m2) != bool(options.style):
        parser.error("--style says how --m2 is tokenised: give both or neither")
    for peer, needs in (("languagetool", "url"), ("command", "command")):
        if options.peer == peer and not getattr(options, needs):
            parser.error(f"--peer {peer} needs --{needs}")
    return options


def main() -> None:
    options = parse_options()
    correct, version = connect(options)
    sentences = read_sentences(options)
    raw = [detokenise(sentence.tokens, style=options.style or "bea") for sentence in sentences]
    # Not every tool accepts an empty text, and it needs no correction.
    texts = [sentence.text for sentence in raw if sentence.text]
    start = time.perf_counter()
    corrected = correct(texts)
    seconds = time.perf_counter() - start
    changed = sum(map(ne, texts, corrected))
    rest = iter(corrected)
    outputs = [retokenise(sentence, next(rest)) if sentence.text else "" for sentence in raw]
    if options.output:
        options.output.write_text("".join(f"{line}\n" for line in outputs), encoding="utf-8")
        if options.sentences:
            edits = "".join(sentence.format() for sentence in sentences)
            Path(f"{options.output}.m2").write_text(edits, encoding="utf-8")
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
