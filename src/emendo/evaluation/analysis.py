"""An analysis of one system's output on one test set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.evaluation.confidences import Calibration, CurvePoint, calibrate, threshold_curve
from emendo.evaluation.counts import Counts, total
from emendo.evaluation.edit_matching import (
    MatchedSentence,
    counts_by_type,
    is_gold,
    spans_touch,
)
from emendo.evaluation.errant_edits import load_annotator, match_by_errant
from emendo.evaluation.error_rates import RATE_BINS, rate_bin
from emendo.evaluation.metrics import score_counts
from emendo.evaluation.resampling import Interval, bootstrap
from emendo.evaluation.tag_vocabulary import TagVocabulary, edit_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.evaluation.gold import GoldSet
    from emendo.evaluation.outputs import SystemOutput
    from emendo.text.m2 import M2Edit, M2Sentence


class EditSplit(NamedTuple):
    """How proposed and gold edits differ.

    Proposed edits are right + differently + needless; gold ones right + otherwise + missing.
    """

    right: int
    """Proposed edits that an annotator also has."""
    differently: int
    """Proposed edits where the gold correction is another one."""
    needless: int
    """Proposed edits where there is no gold edit."""
    otherwise: int
    """Gold edits where another correction was proposed."""
    missing: int
    """Gold edits where nothing was proposed."""


class FalseAlarms(NamedTuple):
    """Edits of sentences that should not change."""

    sentences: int
    words: int
    touched: int
    edits: int

    @property
    def touched_share(self) -> float:
        """Share of the clean sentences that were changed."""
        return self.touched / max(self.sentences, 1)

    @property
    def edits_per_1000_words(self) -> float:
        """Needless edits in a thousand words of clean text."""
        return 1000 * self.edits / max(self.words, 1)


@dataclass(frozen=True)
class Analysis:
    """A system's figures; all counts are ERRANT's, span and correction."""

    name: str
    counts: Counts
    interval: Interval
    """95 % bootstrap interval of F0.5, in per cent."""
    by_error_rate: dict[str, Counts]
    by_type: dict[str, Counts]
    by_group: dict[str, Counts]
    """The paper's coarse types; with a tag vocabulary also the edits beyond it, `verb, outside`."""
    split: EditSplit
    false_alarms: FalseAlarms
    curve: tuple[CurvePoint, ...] = ()
    calibration: Calibration | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "name": self.name,
            "counts": _figures(self.counts),
            "f0.5_interval": None if self.counts.is_empty else list(self.interval),
            "by_error_rate": {name: _figures(c) for name, c in self.by_error_rate.items()},
            "by_type": {name: _figures(c) for name, c in self.by_type.items()},
            "by_group": {name: _figures(c) for name, c in self.by_group.items()},
            "split": self.split._asdict(),
            "false_alarms": {
                **self.false_alarms._asdict(),
                "touched_share": self.false_alarms.touched_share,
                "edits_per_1000_words": self.false_alarms.edits_per_1000_words,
            },
            "curve": [{"threshold": p.threshold, **_figures(p.counts)} for p in self.curve],
            "calibration": self.calibration
            and {
                "error": self.calibration.error,
                "left_out": self.calibration.left_out,
                "bins": [each._asdict() for each in self.calibration.bins],
            },
        }


def analyze(
    gold: GoldSet, output: SystemOutput, *, vocabulary: TagVocabulary | None = None
) -> Analysis:
    """Analyse one output; `vocabulary` adds the figures for edits that a tagger cannot make."""
    gold.check_length(output.hypotheses, output.name)
    sentences = gold.sentences
    matched = match_by_errant(sentences, output.hypotheses)
    counts = [each.counts for each in matched]
    curve: tuple[CurvePoint, ...] = ()
    calibration = None
    if output.sentences is not None:
        curve = threshold_curve(sentences, output.sentences, load_annotator())
        calibration = calibrate(output.sentences, matched)
    return Analysis(
        name=output.name,
        counts=total(counts),
        interval=bootstrap(score_counts("errant", counts)),
        by_error_rate=_count_rates(sentences, matched),
        by_type=counts_by_type(matched),
        by_group=_count_groups(sentences, matched, vocabulary),
        split=_split(matched),
        false_alarms=_false_alarms(sentences, matched),
        curve=curve,
        calibration=calibration,
    )


def _figures(counts: Counts) -> dict[str, float | None]:
    shares = {"precision": counts.precision, "recall": counts.recall, "f0.5": counts.f()}
    return {**counts._asdict(), **(dict.fromkeys(shares) if counts.is_empty else shares)}


def _count_rates(
    sentences: Sequence[M2Sentence], matched: Sequence[MatchedSentence]
) -> dict[str, Counts]:
    parts: dict[str, list[Counts]] = {name: [] for name in RATE_BINS}
    for sentence, found in zip(sentences, matched, strict=True):
        parts[rate_bin(sentence)].append(found.counts)
    return {name: total(counts) for name, counts in parts.items()}


def _count_groups(
    sentences: Sequence[M2Sentence],
    matched: Sequence[MatchedSentence],
    vocabulary: TagVocabulary | None,
) -> dict[str, Counts]:
    parts: dict[str, list[Counts]] = {"orth & noun": [], "verb": [], "other": []}
    if vocabulary:
        parts |= {"verb, outside": [], "other, outside": []}

    def add(edits: tuple[M2Edit, ...], tokens: tuple[str, ...], count: Counts) -> None:
        for edit in edits:
            group = edit_group(edit)
            parts[group].append(count)
            if vocabulary and f"{group}, outside" in parts and not vocabulary.covers(edit, tokens):
                parts[f"{group}, outside"].append(count)

    for sentence, found in zip(sentences, matched, strict=True):
        add(found.correct, sentence.tokens, Counts(1, 1, 1))
        add(found.wrong, sentence.tokens, Counts(0, 1, 0))
        add(found.missed, sentence.tokens, Counts(0, 0, 1))
    return {name: total(counts) for name, counts in parts.items()}


def _split(matched: Sequence[MatchedSentence]) -> EditSplit:
    right = differently = needless = otherwise = missing = 0
    for found in matched:
        # Edits that are right are set aside; only the others are compared with each other.
        elsewhere = sum(not _touches(edit, found.missed) for edit in found.wrong)
        alone = sum(not _touches(edit, found.wrong) for edit in found.missed)
        right += len(found.correct)
        differently += len(found.wrong) - elsewhere
        needless += elsewhere
        otherwise += len(found.missed) - alone
        missing += alone
    return EditSplit(right, differently, needless, otherwise, missing)


def _touches(edit: M2Edit, others: Sequence[M2Edit]) -> bool:
    return any(spans_touch(edit.start, edit.end, other.start, other.end) for other in others)


def _false_alarms(
    sentences: Sequence[M2Sentence], matched: Sequence[MatchedSentence]
) -> FalseAlarms:
    clean = [
        (len(sentence.tokens), len(found.wrong))
        for sentence, found in zip(sentences, matched, strict=True)
        if not any(map(is_gold, sentence.edits))
    ]
    return FalseAlarms(
        sentences=len(clean),
        words=sum(words for words, _ in clean),
        touched=sum(edits > 0 for _, edits in clean),
        edits=sum(edits for _, edits in clean),
    )
