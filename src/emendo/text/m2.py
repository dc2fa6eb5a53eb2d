"""The M2 format: tokenised sentences with the edits of one or more annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import FormatError
from emendo.text.pairs import EditPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Annotations that change nothing: no error, an error nobody could correct (two spellings).
_NO_CHANGE = frozenset({"noop", "UNK", "Um"})
_NONE = "-NONE-"


class M2Edit(NamedTuple):
    """One annotation: tokens [start, end) become any one of the corrections."""

    start: int
    end: int
    type: str
    corrections: tuple[str, ...]
    annotator: int = 0

    @property
    def is_change(self) -> bool:
        """Whether it changes the sentence at all."""
        return self.type not in _NO_CHANGE and self.start >= 0


class M2Sentence(NamedTuple):
    """A sentence, split at white space, with every annotator's edits."""

    tokens: tuple[str, ...]
    edits: tuple[M2Edit, ...] = ()

    @property
    def annotators(self) -> tuple[int, ...]:
        """The annotators; a sentence without a line was left unchanged by annotator 0."""
        return tuple(sorted({edit.annotator for edit in self.edits})) or (0,)

    def corrected(self, annotator: int = 0) -> str:
        """Return one annotator's correction, with the first alternatives."""
        output = list(self.tokens)
        changes = [e for e in self.edits if e.annotator == annotator and e.is_change]
        # From the right, so that positions stay valid; insertions at one place keep their order.
        for edit in sorted(changes, key=lambda e: (e.start, e.end))[::-1]:
            output[edit.start : edit.end] = edit.corrections[0].split()
        return " ".join(output)

    def pair(self, annotator: int = 0) -> EditPair:
        """Return the sentence and one annotator's correction."""
        return EditPair(" ".join(self.tokens), self.corrected(annotator))

    def format(self) -> str:
        """Return the block as in an M2 file, including the blank line after it."""
        lines = [f"S {' '.join(self.tokens)}"]
        for edit in self.edits:
            lines.append(
                f"A {edit.start} {edit.end}|||{edit.type}|||"
                f"{'||'.join(c or _NONE for c in edit.corrections)}"
                f"|||REQUIRED|||{_NONE}|||{edit.annotator}"
            )
        return "\n".join(lines) + "\n\n"


def read_m2(lines: Iterable[str]) -> Iterator[M2Sentence]:
    """Read the sentences of an M2 file.

    Raises:
        FormatError: A line is neither S, A nor blank, or is malformed; the message names it.
    """
    tokens: tuple[str, ...] | None = None
    edits: list[M2Edit] = []
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if line == "S" or line.startswith("S "):
            if tokens is not None:
                yield M2Sentence(tokens, tuple(edits))
            tokens, edits = tuple(line[2:].split()), []
        elif line.startswith("A ") and tokens is not None:
            edits.append(_read_edit(line, number, len(tokens)))
        elif line.strip():
            raise FormatError(
                f"line {number}: expected S, then A lines, then a blank, found {line[:60]!r}"
            )
    if tokens is not None:
        yield M2Sentence(tokens, tuple(edits))


def _read_edit(line: str, number: int, length: int) -> M2Edit:
    fields = line[2:].split("|||")
    try:
        start, end = map(int, fields[0].split())
        kind, corrections, annotator = fields[1], fields[2], int(fields[-1])
    except (ValueError, IndexError) as error:
        raise FormatError(
            f"line {number}: expected A start end|||type|||correction|||…|||annotator, "
            f"found {line[:60]!r}"
        ) from error
    if not (start == end == -1 or 0 <= start <= end <= length):
        raise FormatError(f"line {number}: {start} {end} is outside a sentence of {length} tokens")
    options = tuple("" if c == _NONE else c for c in corrections.split("||"))
    return M2Edit(start, end, kind, options, annotator)
