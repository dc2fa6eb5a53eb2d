"""What a system made of each sentence, read from a text file or from JSON lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.errors import EditError, FormatError
from emendo.evaluation.gold import read_lines
from emendo.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from pathlib import Path


class ScoredEdit(NamedTuple):
    """An edit, in characters of the source, and how sure the system is of it."""

    edit: Edit
    confidence: float


class OutputSentence(NamedTuple):
    """A system's version of one sentence, with its edits if it tells them."""

    source: str
    edits: tuple[ScoredEdit, ...]

    def at(self, threshold: float) -> str:
        """Return the sentence with only the edits that are at least this sure."""
        return apply_edits(self.source, [e.edit for e in self.edits if e.confidence >= threshold])


@dataclass(frozen=True)
class SystemOutput:
    """A system's output on a test set."""

    name: str
    hypotheses: tuple[str, ...]
    sentences: tuple[OutputSentence, ...] | None = None
    """With edits and confidences, where the file has them."""


def read_output(path: Path) -> SystemOutput:
    """Read one sentence a line, or `.jsonl` with one object a sentence.

    An object has `text`, the output; and, for analyses over confidence, `source` and `edits`, a
    list of objects with `start`, `end` (code points of the source), `replacement`, `confidence`.

    Raises:
        FormatError: A line is not such an object, or its edits do not give its text.
    """
    name = path.name.removesuffix(path.suffix)
    lines = read_lines(path)
    if path.suffix != ".jsonl":
        return SystemOutput(name, tuple(lines))
    hypotheses, sentences = [], []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            hypotheses.append(str(entry["text"]))
            if "edits" in entry:
                sentences.append(_read_sentence(entry))
        except (ValueError, KeyError, TypeError, EditError) as error:
            raise FormatError(
                f"{path}, line {number}: not an output sentence ({error!r}); see "
                "`emendo analyze --help` for the fields"
            ) from error
    with_edits = len(sentences) == len(hypotheses)
    return SystemOutput(name, tuple(hypotheses), tuple(sentences) if with_edits else None)


def _read_sentence(entry: dict[str, Any]) -> OutputSentence:
    edits = tuple(
        ScoredEdit(Edit(e["start"], e["end"], e["replacement"]), float(e["confidence"]))
        for e in entry["edits"]
    )
    sentence = OutputSentence(entry["source"], edits)
    if sentence.at(float("-inf")) != entry["text"]:
        raise FormatError("applying the edits to the source does not give the text")
    return sentence
