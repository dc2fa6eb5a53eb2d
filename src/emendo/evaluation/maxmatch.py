"""MaxMatch (M2): the edits of a hypothesis that agree best with an annotator, counted.

Dahlmeier and Ng (2012). docs/explanation/maxmatch.md has the definition, with the numbers cited
here as (1), (2)…, and the origin of each choice that the paper leaves open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import FormatError
from emendo.evaluation.counts import Counts, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.text.m2 import M2Edit, M2Sentence

# How far source and hypothesis have been read.
_Place = tuple[int, int]
# The places that lie on a cheapest alignment, each with the steps that lead to it: from where,
# and whether the step changes a word.
_Alignments = dict[_Place, list[tuple[_Place, bool]]]

# Levenshtein's two distances; (1) says why both.
_SUBSTITUTION_COSTS = (1, 2)


class SystemEdit(NamedTuple):
    """One edit of a hypothesis: tokens [start, end) become the correction."""

    start: int
    end: int
    correction: str
    is_correct: bool


class _Arrival(NamedTuple):
    """The cheapest way to a place: its cost, and the word or edit that it ends with."""

    cost: int
    origin: _Place
    is_edit: bool
    is_correct: bool = False


def score_maxmatch(
    sentences: Sequence[M2Sentence],
    hypotheses: Sequence[str],
    *,
    max_unchanged: int = 2,
    beta: float = 0.5,
) -> list[Counts]:
    """Count the edits of every hypothesis, each against the annotator that fits it best.

    Args:
        sentences: The sources with their gold edits.
        hypotheses: One corrected sentence for each, its tokens separated by spaces.
        max_unchanged: How many unchanged words one edit may contain.
        beta: The F that decides between annotators weighs recall this many times.

    Raises:
        FormatError: There is not one hypothesis for each sentence.
    """
    if len(sentences) != len(hypotheses):
        raise FormatError(
            f"{len(sentences)} sentences but {len(hypotheses)} hypotheses: write one line for "
            "every sentence, even if nothing changes"
        )
    chosen = []
    sums = Counts()
    for sentence, hypothesis in zip(sentences, hypotheses, strict=True):
        options = _count(sentence, hypothesis, max_unchanged)
        best = max(options, key=lambda option: _merit(sums, option, beta))
        chosen.append(best)
        sums = total([sums, best])
    return chosen


def extract_edits(
    sentence: M2Sentence, hypothesis: str, *, annotator: int = 0, max_unchanged: int = 2
) -> list[SystemEdit]:
    """Return the edits of a hypothesis, divided so that most agree with one annotator."""
    target = hypothesis.split()
    alignments = _distinct_alignments(sentence.tokens, target)
    gold = _gold_edits(sentence, annotator)
    return _divide(sentence.tokens, target, alignments, gold, max_unchanged)


def _count(sentence: M2Sentence, hypothesis: str, max_unchanged: int) -> Iterator[Counts]:
    """Yield what each annotator would have counted."""
    source, target = sentence.tokens, hypothesis.split()
    alignments = _distinct_alignments(source, target)
    for annotator in sentence.annotators:
        gold = _gold_edits(sentence, annotator)
        edits = _divide(source, target, alignments, gold, max_unchanged)
        yield Counts(sum(edit.is_correct for edit in edits), len(edits), len(gold))


def _merit(sums: Counts, option: Counts, beta: float) -> tuple[float, int, float]:
    """Order annotators by the F of all counts so far (6)."""
    correct = sums.correct + option.correct
    weight = sums.proposed + option.proposed + beta**2 * (sums.gold + option.gold)
    return (correct / weight if correct else 0.0, correct, -weight)


def _gold_edits(sentence: M2Sentence, annotator: int) -> list[M2Edit]:
    # Not `is_change`: an error that the annotator could not correct is an annotation too (7).
    edits = (edit for edit in sentence.edits if edit.annotator == annotator)
    return [edit for edit in edits if edit.start >= 0 and edit.type != "noop"]


def _distinct_alignments(source: Sequence[str], target: Sequence[str]) -> list[_Alignments]:
    first, second = (_align(source, target, cost) for cost in _SUBSTITUTION_COSTS)
    return [first] if first == second else [first, second]


def _align(source: Sequence[str], target: Sequence[str], substitution: int) -> _Alignments:
    """Find all cheapest alignments (1)."""
    table = [list(range(len(target) + 1))]
    for i, word in enumerate(source, 1):
        above, row = table[-1], [i]
        for j, other in enumerate(target, 1):
            diagonal = above[j - 1] + (0 if word == other else substitution)
            row.append(min(diagonal, above[j] + 1, row[-1] + 1))
        table.append(row)

    found: _Alignments = {}
    ahead = [(len(source), len(target))]
    while ahead:
        place = ahead.pop()
        if place in found:
            continue
        i, j = place
        cost = table[i][j]
        steps = found[place] = []
        if i and j:
            changes = source[i - 1] != target[j - 1]
            if cost == table[i - 1][j - 1] + substitution * changes:
                steps.append(((i - 1, j - 1), changes))
        if i and cost == table[i - 1][j] + 1:
            steps.append(((i - 1, j), True))
        if j and cost == table[i][j - 1] + 1:
            steps.append(((i, j - 1), True))
        ahead += [origin for origin, _ in steps]
    return found


def _divide(
    source: Sequence[str],
    target: Sequence[str],
    alignments: Sequence[_Alignments],
    gold: Sequence[M2Edit],
    max_unchanged: int,
) -> list[SystemEdit]:
    """Find the sequence with the most correct edits and, of those, the fewest edits (5)."""
    # One more correct edit outweighs any number of edits.
    prize = len(source) + len(target) + 1
    matches = _find_matches(target, alignments, gold, max_unchanged)
    # The cheapest way to a place between two edits; and inside an edit of one alignment that
    # need not match, by the number of unchanged words in it.
    between: dict[_Place, _Arrival] = {}
    inside: list[dict[_Place, dict[int, _Arrival]]] = [{} for _ in alignments]
    for place in sorted(set().union(*alignments)):
        ways = [] if between else [_Arrival(0, place, is_edit=False)]
        for alignment, edits in zip(alignments, inside, strict=True):
            states = edits[place] = {}
            for before, changes in alignment.get(place, ()):
                cost = between[before].cost
                if changes:
                    _improve(states, 0, _Arrival(cost + 1, before, is_edit=True))
                else:
                    ways.append(_Arrival(cost, before, is_edit=False))
                for unchanged, arrival in edits[before].items():
                    count = unchanged + (not changes)
                    if count <= max_unchanged:
                        _improve(states, count, arrival)
            ways += states.values()
        for before in matches.get(place, ()):
            cost = between[before].cost + 1 - prize
            ways.append(_Arrival(cost, before, is_edit=True, is_correct=True))
        # Of equal ways one that ends outside an edit, so that none ends with unchanged words.
        between[place] = min(ways, key=lambda way: (way.cost, way.is_edit))
    return _trace(between, target, (len(source), len(target)))


def _improve(arrivals: dict[int, _Arrival], unchanged: int, arrival: _Arrival) -> None:
    if unchanged not in arrivals or arrival.cost < arrivals[unchanged].cost:
        arrivals[unchanged] = arrival


def _find_matches(
    target: Sequence[str],
    alignments: Sequence[_Alignments],
    gold: Sequence[M2Edit],
    max_unchanged: int,
) -> dict[_Place, list[_Place]]:
    """Find all edits that match a gold edit (4): where they end, and where they begin."""
    matches: dict[_Place, list[_Place]] = {}
    for edit in gold:
        for correction in (text.split() for text in edit.corrections):
            for start in range(len(target) - len(correction) + 1):
                end = start + len(correction)
                if target[start:end] != correction:
                    continue
                origin, place = (edit.start, start), (edit.end, end)
                if any(_is_edit(a, origin, place, max_unchanged) for a in alignments):
                    matches.setdefault(place, []).append(origin)
    return matches


def _is_edit(alignment: _Alignments, origin: _Place, place: _Place, max_unchanged: int) -> bool:
    """Tell whether an edit of this alignment (2) leads from the origin to the place."""
    if origin not in alignment or place not in alignment:
        return False
    # The fewest unchanged words on the way to each place, and whether that way changes any: all
    # cheapest ways between two places cost the same, so all do or none does.
    best = {origin: (0, False)}
    for i in range(origin[0], place[0] + 1):
        for j in range(origin[1], place[1] + 1):
            for before, changes in alignment.get((i, j), ()):
                if before in best:
                    unchanged, changed = best[before]
                    way = (unchanged + (not changes), changed or changes)
                    best[i, j] = min(best.get((i, j), way), way)
    unchanged, changed = best.get(place, (0, False))
    return changed and unchanged <= max_unchanged


def _trace(
    between: dict[_Place, _Arrival], target: Sequence[str], place: _Place
) -> list[SystemEdit]:
    """Read the edits off the cheapest way to a place."""
    edits = []
    while place != (0, 0):
        _, origin, is_edit, is_correct = between[place]
        if is_edit:
            words = " ".join(target[origin[1] : place[1]])
            edits.append(SystemEdit(origin[0], place[0], words, is_correct))
        place = origin
    return edits[::-1]
