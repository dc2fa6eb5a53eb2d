"""A system's output for each sentence, read from a text file or from JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.errors import FormatError
from emendo.evaluation.gold import read_lines
from emendo.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.evaluation.gold import GoldSet


class ScoredEdit(NamedTuple):
    """An edit, in characters of the source, with the system's confidence."""

    edit: Edit
    confidence: float
    """Between 0 and 1."""


class OutputSentence(NamedTuple):
    """A system's version of one sentence, with its edits if the file has them."""

    source: str
    edits: tuple[ScoredEdit, ...]

    def at(self, threshold: float) -> str:
        """Return the sentence with only the edits of at least this confidence."""
        return apply_edits(self.source, [e.edit for e in self.edits if e.confidence >= threshold])


@dataclass(frozen=True)
class SystemOutput:
    """A system's output on a test set."""

    name: str
    hypotheses: tuple[str, ...]
    sentences: tuple[OutputSentence, ...] | None = None
    """With edits and confidences, where the file has them."""


def read_outputs(paths: Sequence[Path], gold: GoldSet) -> list[SystemOutput]:
    """Read several outputs; files with the same name are distinguished by their folders."""
    outputs = [read_output(path, gold) for path in paths]
    return [
        replace(output, name=name)
        for output, name in zip(outputs, _distinct_names(paths), strict=True)
    ]


def read_output(path: Path, gold: GoldSet) -> SystemOutput:
    """Read one sentence per line, or `.jsonl` with one object per sentence.

    An object has `text`, the output; and, for analyses over confidence, `source` and `edits`, a
    list of objects with `start`, `end` (code points of the source), `replacement`, `confidence`.

    Raises:
        FormatError: A line is not such an object, its edits do not give its text, or the file
            does not fit the test set.
    """
    lines = read_lines(path)
    gold.check_length(lines, str(path))
    name = _without_suffix(path)
    if path.suffix.lower() != ".jsonl":
        return SystemOutput(name, tuple(lines))
    entries = []
    for number, (line, source) in enumerate(zip(lines, gold.sources, strict=True), 1):
        try:
            entries.append(_read_entry(line, source))
        except ValueError as error:
            raise FormatError(
                f"{path}, line {number}: {error}; `emendo analyze --help` has the fields"
            ) from error
    sentences = [sentence for _, sentence in entries if sentence is not None]
    if 0 < len(sentences) < len(entries):
        first = [sentence for _, sentence in entries].index(None) + 1
        raise FormatError(
            f"{path}, line {first}: no `edits`, but other lines have them; give them on all or none"
        )
    return SystemOutput(name, tuple(text for text, _ in entries), tuple(sentences) or None)


def _read_entry(line: str, source: str) -> tuple[str, OutputSentence | None]:
    """Return a line's text and, if it has edits, the sentence with them."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON ({error.msg})") from error
    text: str = _field(entry, "text", "a string", str)
    has_edits = "edits" in entry
    if has_edits or "source" in entry:
        own: str = _field(entry, "source", "a string", str)
        if own.split() != source.split():
            raise FormatError("`source` is not this line of the test set")
    if not has_edits:
        return text, None
    sentence = OutputSentence(own, tuple(map(_read_edit, _field(entry, "edits", "a list", list))))
    if apply_edits(sentence.source, [each.edit for each in sentence.edits]) != text:
        raise FormatError("applying the edits to the source does not give the text")
    return text, sentence


def _read_edit(entry: object) -> ScoredEdit:
    confidence = _field(entry, "confidence", "a number", int, float)
    # Not-a-number is not between them either.
    if not 0 <= confidence <= 1:
        raise FormatError(f"confidence {confidence} is not between 0 and 1")
    edit = Edit(
        _field(entry, "start", "a whole number", int),
        _field(entry, "end", "a whole number", int),
        _field(entry, "replacement", "a string", str),
    )
    return ScoredEdit(edit, float(confidence))


def _field(entry: object, name: str, described: str, *kinds: type) -> Any:  # noqa: ANN401
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, kinds):
        raise FormatError(f"`{name}` must be {described}")
    return value


def _distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return file names, with as many folders as needed to distinguish them."""
    names = [_without_suffix(path) for path in paths]
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        uses = Counter(names)
        names = [
            str(Path(*path.parts[-depth:])) if uses[name] > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
    return names


def _without_suffix(path: Path) -> str:
    # Nothing but the format's own: run.1 and run.2 are two systems.
    return path.stem if path.suffix.lower() in {".txt", ".jsonl"} else path.name
