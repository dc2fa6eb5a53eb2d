"""A system's edits against the annotators': which are right, which are not, which are missing.

The counting is ERRANT's: an edit is right if an annotator has the same span and correction. With
several annotators, each sentence takes the one with the highest F0.5 over all sentences so far.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from emendo.evaluation.counts import Counts, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from emendo.text.m2 import M2Edit, M2Sentence


class MatchedSentence(NamedTuple):
    """One sentence's edits, matched with the annotator who agrees best."""

    annotator: int
    correct: tuple[M2Edit, ...]
    """Gold edits that were proposed."""
    wrong: tuple[M2Edit, ...]
    """Proposed edits that are not gold."""
    missed: tuple[M2Edit, ...]
    """Gold edits that were not proposed."""

    @property
    def counts(self) -> Counts:
        """The same as numbers."""
        correct = len(self.correct)
        return Counts(correct, correct + len(self.wrong), correct + len(self.missed))


def match_edits(
    sentences: Sequence[M2Sentence], proposed: Sequence[Sequence[M2Edit]]
) -> list[MatchedSentence]:
    """Match proposed edits with gold ones, sentence by sentence."""
    sofar = Counts()
    matched = []
    for sentence, edits in zip(sentences, proposed, strict=True):
        options = [_match(sentence, edits, annotator) for annotator in sentence.annotators]
        best = max(options, key=lambda option: _rank(option.counts, sofar))
        sofar = total([sofar, best.counts])
        matched.append(best)
    return matched


def counts_by_type(matched: Iterable[MatchedSentence]) -> dict[str, Counts]:
    """Return counts for each type of edit; a right edit counts under the annotator's type."""
    parts: dict[str, list[Counts]] = defaultdict(list)
    for sentence in matched:
        for edits, count in (
            (sentence.correct, Counts(1, 1, 1)),
            (sentence.wrong, Counts(0, 1, 0)),
            (sentence.missed, Counts(0, 0, 1)),
        ):
            for edit in edits:
                parts[edit.type].append(count)
    return {kind: total(counts) for kind, counts in sorted(parts.items())}


def is_gold(edit: M2Edit) -> bool:
    """Whether an annotation counts as an edit, as an error without a correction (Um) does."""
    return edit.start >= 0 and edit.type not in {"noop", "UNK"}


def spans_touch(start: int, end: int, other_start: int, other_end: int) -> bool:
    """Whether two token spans overlap; an insertion also touches the tokens on its sides."""
    if start == end or other_start == other_end:
        return start <= other_end and other_start <= end
    return start < other_end and other_start < end


def _match(sentence: M2Sentence, proposed: Sequence[M2Edit], annotator: int) -> MatchedSentence:
    gold = [edit for edit in sentence.edits if edit.annotator == annotator and is_gold(edit)]
    wanted = {key for edit in gold for key in _keys(edit)}
    given = {key for edit in proposed for key in _keys(edit)}
    return MatchedSentence(
        annotator,
        tuple(edit for edit in gold if not given.isdisjoint(_keys(edit))),
        tuple(edit for edit in proposed if wanted.isdisjoint(_keys(edit))),
        tuple(edit for edit in gold if given.isdisjoint(_keys(edit))),
    )


def _keys(edit: M2Edit) -> list[tuple[int, int, str]]:
    return [(edit.start, edit.end, correction) for correction in edit.corrections]


def _rank(counts: Counts, sofar: Counts) -> tuple[float, int, int, int]:
    # Rounded like ERRANT, so that near ties are decided in the same way.
    overall = round(total([sofar, counts]).f(), 4)
    return (
        overall,
        counts.correct,
        counts.correct - counts.proposed,
        counts.correct - counts.gold,
    )
