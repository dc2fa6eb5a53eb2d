"""What the measurements of quality have in common: real text in, scores out."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from emendo.evaluation.metrics import score
from emendo.evaluation.raw_text import detokenise, retokenise
from emendo.evaluation.resampling import bootstrap

if TYPE_CHECKING:
    from emendo.evaluation.gold import GoldSet

NAMES = {"precision": "p", "recall": "r", "f0.5": "f05"}


def through_text(gold: GoldSet, style: str, correct) -> list[str]:
    """Let a tool that takes real text correct tokenised sentences."""
    raw = [detokenise(tuple(source.split()), style=style) for source in gold.sources]
    corrected = iter(correct([sentence.text for sentence in raw if sentence.text]))
    return [retokenise(sentence, next(corrected)) if sentence.text else "" for sentence in raw]


def measured(
    system: str, name: str, gold: GoldSet, correct, *, metric: str, style: str
) -> dict[str, float]:
    """Score a system on a set, print its row, and return its figures under the set's name."""
    scored = score(metric, gold, through_text(gold, style, correct))
    values, interval = scored.values(), bootstrap(scored)
    row = "  ".join(f"{key} {value:6.2f}" for key, value in values.items())
    print(f"{name:8s} {system:14s} {row}  ({interval.low:.2f}–{interval.high:.2f})", flush=True)
    return {f"{name}_{NAMES.get(key, key)}": value for key, value in values.items()}


def touched(texts: list[str], correct) -> int:
    """Count texts that do not come back as they went in."""
    return sum(text != output for text, output in zip(texts, correct(texts), strict=True))


def middle_time(editor, texts: list[str]) -> float:
    """Return the median of the milliseconds that a text takes."""
    times = []
    for text in texts:
        start = time.perf_counter()
        editor.edit(text)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)
