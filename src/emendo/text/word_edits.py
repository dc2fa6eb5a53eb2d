"""Turns raw replacements into edits that a person would make: minimal, and word by word.

Words that do not change anchor source and output to each other. Between two anchors a small
alignment of words finds what was replaced, inserted and deleted. Neighbouring
replacements stay apart ("teh qiuck" is two edits), and so do an insertion and a respelling
("he go store" → "he goes to the store"); any other insertion or deletion joins the
replacement beside it ("an dog" → "dogs" is one edit). A word that becomes two, or two that
become one, are one edit ("alot" → "a lot"): half of it would be wrong.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import EditError
from emendo.text.surrogates import segments
from emendo.text.words import Word, split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.text.pieces import Replacement

# Alignment costs: a deletion and an insertion together cost more than any replacement, and
# a replacement by a similar word costs far less than one by a different word.
_INSERT_OR_DELETE = 1.0
_REPLACE = 0.2
_DISSIMILAR = 1.6
_RESPACE = 0.1
# With at least this share of common letters, a replacement is a respelling of the same word.
_SIMILAR = 0.5
# Windows with more pairs of words than this (a rewritten page) become one edit.
_MAX_PAIRS = 4096
# One word that becomes two, two that become one: numbers of words in source and output.
_RESPACED = (("split", 1, 2), ("join", 2, 1))
_SIZES = {"insert": (0, 1), "delete": (1, 0), "split": (1, 2), "join": (2, 1)}
# Neighbours that a person would accept or reject one by one.
_APART = frozenset(
    map(
        frozenset,
        (
            ("replace",),
            ("respell",),
            ("replace", "respell"),
            ("insert", "respell"),
        ),
    )
)


class _Side(NamedTuple):
    """A text and its words."""

    text: str
    words: list[Word]

    def word(self, index: int) -> str:
        """Return word `index` with the white space before it."""
        word = self.words[index]
        return self.text[word.start : word.end]

    def edge(self, index: int) -> int:
        """Return the position where word `index` starts, white space before it included."""
        return self.words[index].start if index < len(self.words) else len(self.text)


class _Operation(NamedTuple):
    """One step of an alignment: words [i, i2) of the source become words [j, j2)."""

    kind: str
    i: int
    i2: int
    j: int
    j2: int


def word_spans(source: str, replacements: Sequence[Replacement]) -> list[Replacement]:
    """Rewrite replacements as minimal spans on word boundaries with the same output.

    Raises:
        EditError: A replacement removes a lone surrogate.
    """
    spans: list[Replacement] = []
    changed = [r for r in replacements if source[r[0] : r[1]] != r[2]]
    if not changed:
        return []
    done = 0
    for start, end in segments(source):
        inside = [(s - start, e - start, new) for s, e, new in changed if start <= s and e <= end]
        done += len(inside)
        spans += (
            (s + start, e + start, new) for s, e, new in _segment_spans(source[start:end], inside)
        )
    if done < len(changed):
        raise EditError("a lone surrogate is not a character, and no edit may change it")
    return spans


def _segment_spans(source: str, replacements: Sequence[Replacement]) -> list[Replacement]:
    if not replacements:
        return []
    output, stretches = _apply(source, replacements)
    before, after = _Side(source, split_words(source)), _Side(output, split_words(output))
    return [
        _span(before, after, group)
        for window in _windows(before, after, stretches)
        for group in _groups(_align(before, after, window))
    ]


def _apply(
    source: str, replacements: Sequence[Replacement]
) -> tuple[str, list[tuple[int, int, int]]]:
    """Return the output and the kept stretches as (start, end, shift into the output)."""
    parts: list[str] = []
    stretches: list[tuple[int, int, int]] = []
    done = shift = 0
    for start, end, replacement in (*replacements, (len(source), len(source), "")):
        stretches.append((done, start, shift))
        parts += (source[done:start], replacement)
        shift += len(replacement) - (end - start)
        done = end
    return "".join(parts), stretches


def _windows(
    before: _Side, after: _Side, stretches: list[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of words, (i, i2, j, j2), between words that stay as they are."""
    for window in _untouched_bounds(before.words, after.words, stretches):
        i, i2, j, j2 = window
        # Words that were rewritten unchanged are not changes either.
        while i < i2 and j < j2 and before.word(i) == after.word(j):
            i, j = i + 1, j + 1
        while i < i2 and j < j2 and before.word(i2 - 1) == after.word(j2 - 1):
            i2, j2 = i2 - 1, j2 - 1
        yield i, i2, j, j2


def _untouched_bounds(
    old: list[Word], new: list[Word], stretches: list[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of words, (i, i2, j, j2), between words that nothing touched."""
    index = {word: j for j, word in enumerate(new)}
    i = j = stretch = 0
    for k, word in enumerate(old):
        while stretch + 1 < len(stretches) and word.end > stretches[stretch][1]:
            stretch += 1
        start, end, shift = stretches[stretch]
        if word.start < start or word.end > end:
            continue
        image = index.get(Word(word.start + shift, word.body + shift, word.end + shift))
        if image is None:
            continue
        if k > i or image > j:
            yield i, k, j, image
        i, j = k + 1, image + 1
    if i < len(old) or j < len(new):
        yield i, len(old), j, len(new)


def _align(before: _Side, after: _Side, window: tuple[int, int, int, int]) -> list[_Operation]:
    """Align the two runs of words of a window at the least cost."""
    first, rows, column, columns = (
        window[0],
        window[1] - window[0],
        window[2],
        window[3] - window[2],
    )
    if rows * columns > _MAX_PAIRS:
        return [_Operation("rewrite", *window)]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    step = [[""] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows + 1):
        for j in range(columns + 1):
            # In a tie the first option wins: the second of two doubled words is deleted.
            options = []
            if i:
                options.append((best[i - 1][j] + _INSERT_OR_DELETE, "delete"))
            if j:
                options.append((best[i][j - 1] + _INSERT_OR_DELETE, "insert"))
            if i and j:
                kind, cost = _compare(before, after, first + i - 1, column + j - 1)
                options.append((best[i - 1][j - 1] + cost, kind))
                options += (
                    (best[i - old][j - new] + _RESPACE, kind)
                    for kind, old, new in _RESPACED
                    if i >= old
                    and j >= new
                    and (letters := _letters(before, first + i, old)).isalpha()
                    and letters == _letters(after, column + j, new)
                )
            if options:
                best[i][j], step[i][j] = min(options, key=lambda option: option[0])
    operations: list[_Operation] = []
    i, j = rows, columns
    while i or j:
        kind = step[i][j]
        i2, j2 = i, j
        old, new = _SIZES.get(kind, (1, 1))
        i, j = i - old, j - new
        operations.append(_Operation(kind, first + i, first + i2, column + j, column + j2))
    return operations[::-1]


def _letters(side: _Side, end: int, count: int) -> str:
    """Return some words before word `end` in lower case, without the text between them."""
    words = side.words[end - count : end]
    return "".join(side.text[word.body : word.end] for word in words).lower()


def _compare(before: _Side, after: _Side, i: int, j: int) -> tuple[str, float]:
    """Return the operation that turns one word into the other, and its cost."""
    old, new = before.words[i], after.words[j]
    body, new_body = before.text[old.body : old.end], after.text[new.body : new.end]
    if body == new_body:
        if before.text[old.start : old.body] == after.text[new.start : new.body]:
            return "same", 0.0
        return "respace", _RESPACE
    similarity = _similarity(body, new_body)
    kind = "respell" if similarity >= _SIMILAR else "replace"
    return kind, _REPLACE + _DISSIMILAR * (1 - similarity)


def _similarity(old: str, new: str) -> float:
    """Return the share of letters that two words have in common, in order."""
    shorter = min(len(old), len(new))
    prefix = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    rest = shorter - prefix
    suffix = next((k for k in range(rest) if old[-1 - k] != new[-1 - k]), rest)
    common = prefix + suffix
    old, new = old[prefix : len(old) - suffix], new[prefix : len(new) - suffix]
    # Very long words (a line of underscores) are not compared in quadratic time.
    if len(old) * len(new) <= _MAX_PAIRS:
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        common += sum(block.size for block in matcher.get_matching_blocks())
    return 2 * common / max(1, 2 * (prefix + suffix) + len(old) + len(new))


def _groups(operations: list[_Operation]) -> Iterator[list[_Operation]]:
    """Group the steps that belong together."""
    group: list[_Operation] = []
    for operation in operations:
        apart = operation.kind == "same" or (
            group and frozenset((group[-1].kind, operation.kind)) in _APART
        )
        if apart and group:
            yield group
            group = []
        if operation.kind != "same":
            group.append(operation)
    if group:
        yield group


def _span(before: _Side, after: _Side, group: list[_Operation]) -> Replacement:
    """Return the replacement of a group of steps."""
    first, last = group[0], group[-1]
    start, out_start = before.edge(first.i), after.edge(first.j)
    end, out_end = before.edge(last.i2), after.edge(last.j2)
    if last.kind == "respace":
        # Only the space before that word changes; the word itself stays outside.
        end, out_end = before.words[last.i].body, after.words[last.j].body
    if len(group) > 1 or first.kind != "respace":
        while (
            start < end
            and out_start < out_end
            and before.text[start] == after.text[out_start]
            and before.text[start].isspace()
        ):
            start, out_start = start + 1, out_start + 1
    return start, end, after.text[out_start:out_end]
