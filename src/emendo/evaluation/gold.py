"""A test set: sources and their corrections, as texts or as annotated edits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from emendo.errors import FormatError
from emendo.text.m2 import M2Sentence, read_m2

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_Sentence = TypeVar("_Sentence", str, M2Sentence)


@dataclass(frozen=True)
class GoldSet:
    """Sentences with references; every sentence has at least one."""

    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    """For each sentence, the correction of each annotator."""
    annotated: tuple[M2Sentence, ...] | None = None
    """The edits, if annotators gave them."""

    @cached_property
    def sentences(self) -> tuple[M2Sentence, ...]:
        """The annotated edits, or those ERRANT finds between sources and references."""
        if self.annotated is not None:
            return self.annotated
        from emendo.evaluation.errant_edits import annotate_references

        return tuple(annotate_references(self.sources, self.references))

    def spread(self, count: int) -> GoldSet:
        """Return a number of sentences at equal distances, or all if there are fewer."""
        every = len(self.sources)
        return self.take(
            [k * every // count for k in range(count)] if count < every else range(every)
        )

    def take(self, rows: Sequence[int]) -> GoldSet:
        """Return the sentences of some rows."""
        return GoldSet(
            tuple(self.sources[row] for row in rows),
            tuple(self.references[row] for row in rows),
            tuple(self.annotated[row] for row in rows) if self.annotated else None,
        )

    def check_length(self, hypotheses: Sequence[str], name: str) -> None:
        """Raise `FormatError` unless there is one hypothesis for each sentence."""
        if len(hypotheses) != len(self.sources):
            raise FormatError(
                f"{name} has {len(hypotheses):,} sentences, the test set {len(self.sources):,}: "
                "they must match line by line, including unchanged sentences"
            )


def read_gold(source: Path | None, references: Sequence[Path]) -> GoldSet:
    """Read a test set: one M2 file, or a file of sources and one or more of references.

    Raises:
        FormatError: Files are missing, empty, or do not fit together.
    """
    if not references:
        raise FormatError("there is no reference; give --reference")
    if len(references) == 1 and _is_m2(references[0]):
        gold = gold_from_m2(read_annotated(references[0]))
        if source is not None and [" ".join(s.split()) for s in read_lines(source)] != [
            *gold.sources
        ]:
            raise FormatError(
                f"the S lines of {references[0]} are not the sentences of {source}: "
                "leave --source out, the M2 file has them"
            )
        return gold
    if any(map(_is_m2, references)):
        raise FormatError("give one M2 file, or text files, as references; not both")
    if source is None:
        raise FormatError("references that are plain text need --source")
    sources = _read_sentences(source)
    columns = [read_lines(path) for path in references]
    for path, column in zip(references, columns, strict=True):
        if len(column) != len(sources):
            raise FormatError(
                f"{path} has {len(column):,} lines, {source} has {len(sources):,}: "
                "they must match line by line"
            )
    return GoldSet(tuple(sources), tuple(zip(*columns, strict=True)))


def read_clean(source: Path, *, with_blank: bool = True) -> GoldSet:
    """Read clean text: sentences that should not change.

    Args:
        source: One sentence on each line.
        with_blank: Whether blank lines are kept, so that lines can be compared with an output.

    Raises:
        FormatError: The file has no sentences.
    """
    sources = _read_sentences(source)
    if not with_blank:
        sources = [text for text in sources if text.strip()]
        if not sources:
            raise FormatError(f"{source} has only blank lines")
    return GoldSet(tuple(sources), tuple((text,) for text in sources))


def joined(sets: Sequence[GoldSet]) -> tuple[GoldSet, list[range]]:
    """Return several sets as one, and the rows of each."""
    rows, done = [], 0
    for each in sets:
        rows.append(range(done, done + len(each.sources)))
        done += len(each.sources)
    whole = GoldSet(
        tuple(source for each in sets for source in each.sources),
        tuple(of for each in sets for of in each.references),
        tuple(sentence for each in sets for sentence in each.sentences),
    )
    return whole, rows


def gold_from_m2(sentences: Iterable[M2Sentence]) -> GoldSet:
    """Return annotated sentences as a test set."""
    annotated = tuple(sentences)
    return GoldSet(
        tuple(" ".join(sentence.tokens) for sentence in annotated),
        tuple(
            tuple(sentence.corrected(annotator) for annotator in sentence.annotators)
            for sentence in annotated
        ),
        annotated,
    )


def read_annotated(path: Path) -> list[M2Sentence]:
    """Read an M2 file.

    Raises:
        FormatError: It is not M2, or has no sentences; the message has the file and the line.
    """
    lines = read_lines(path)
    try:
        sentences = list(read_m2(lines))
    except FormatError as error:
        raise FormatError(f"{path}, {error}") from error
    return _require_some(sentences, path)


def read_lines(path: Path) -> list[str]:
    """Read a file with one sentence per line; only a line feed ends a line.

    Raises:
        FormatError: It is not UTF-8.
    """
    try:
        # Some editors put a byte-order mark at the start: it is not part of the first word.
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text: {error}") from error
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _read_sentences(path: Path) -> list[str]:
    return _require_some(read_lines(path), path)


def _require_some(sentences: list[_Sentence], path: Path) -> list[_Sentence]:
    if not sentences:
        raise FormatError(f"{path} has no sentences")
    return sentences


def _is_m2(path: Path) -> bool:
    return path.suffix.lower() == ".m2"
