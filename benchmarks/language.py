"""How often the language gate wrongly refuses or accepts a sentence, and how fast it is."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from typing import TYPE_CHECKING

import archives
from emendo.text.language import detect_language, is_in

if TYPE_CHECKING:
    from pathlib import Path


def lines(path: Path, *, column: int | None = None) -> list[str]:
    found = path.read_text(encoding="utf-8").splitlines()
    if column is not None:
        found = [line.split("\t")[column] for line in found if line]
    return [line.strip() for line in found if line.strip()]


def corpora() -> dict[str, tuple[str, list[str]]]:
    clean = archives.unpacked("permissive-clean-text")
    measured = archives.unpacked("evaluation-only")
    pairs = archives.unpacked("permissive-pairs")
    alike = archives.unpacked("sharealike-pairs")
    return {
        "en bea-dev": ("en", lines(measured / "pillars-of-gec/data/evaluation_sets/bea-dev.txt")),
        "en jfleg": ("en", lines(next(measured.glob("jfleg/test/test.src")))),
        "en cweb": ("en", lines(measured / "cweb/data/tokenized/CWEB-G.test.tok.source")),
        "en common-voice": ("en", lines(clean / "common-voice/en.curated.txt")),
        "en openstax": ("en", lines(clean / "openstax/world-history.sents.txt")),
        "de common-voice": ("de", lines(clean / "common-voice/de.curated.txt")),
        "de falko-merlin": ("de", lines(alike / "falko-merlin/fm-dev.src")),
        "de docs": ("de", lines(clean / "docs-de-ru/de.sents.txt")),
        "ru common-voice": ("ru", lines(clean / "common-voice/ru.curated.txt")),
        "ru docs": ("ru", lines(clean / "docs-de-ru/ru.sents.txt")),
        "uk ua-gec": ("uk", lines(pairs / "ua-gec/gec-only.test.tok.tsv", column=0)),
        "cs geccc": ("cs", lines(alike / "geccc/data/dev/sentence.input")),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--errors", type=int, default=0, help="print this many errors of each corpus"
    )
    arguments = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for name, (code, sentences) in corpora().items():
        chosen = [s for s in sentences if code == "en" or len(s.split()) >= 5][:20_000]
        begin = time.process_time()
        passed = [is_in(sentence, ("en",)) for sentence in chosen]
        seconds = time.process_time() - begin
        refused = 100 * passed.count(False) / len(chosen)
        told = Counter(detect_language(sentence) for sentence in chosen)
        figures[name] = {
            "sentences": len(chosen),
            "refused_for_en": round(refused, 3),
            "accepted_for_own": round(
                100 * sum(is_in(s, (code,)) for s in chosen) / len(chosen), 3
            ),
            "told_right": round(100 * told[code] / len(chosen), 2),
            "told_wrong": round(100 * (len(chosen) - told[code] - told[None]) / len(chosen), 2),
            "sentences_per_s": round(len(chosen) / seconds),
        }
        print(f"{name:16}", figures[name], flush=True)
        wrong = [s for s, p in zip(chosen, passed, strict=True) if p != (code == "en")]
        for sentence in wrong[: arguments.errors]:
            print("   ", sentence)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
