"""What was found in one version of a document, and how it is shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol.types import Diagnostic, DiagnosticSeverity

from emendo.text.explanations import explain
from emendo.text.word_beside import widen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.inference.mixed_document import MixedDocument
    from emendo.lsp.positions import Lines
    from emendo.text import Edit
    from emendo.text.segmentation import Span

SOURCE = "emendo"
# The least confidence for each severity. No edit is certain enough to be an error.
_WARNING, _INFORMATION = 0.9, 0.6
_REACH = 30


class Finding(NamedTuple):
    """An edit, and the span that shows it."""

    edit: Edit
    start: int
    end: int
    message: str
    signature: tuple[str, ...]
    """What makes it the same finding after the document has changed elsewhere."""

    @property
    def code(self) -> str:
        """Return the name of its kind."""
        return self.edit.type.replace(" ", "-")

    def touches(self, start: int, end: int) -> bool:
        """Whether it is meant by a selection, or by a cursor."""
        return self.start <= end and self.end >= start


class Findings(NamedTuple):
    """All that was found in a version of a document."""

    uri: str
    version: int
    text: str
    lines: Lines
    all: tuple[Finding, ...]

    def diagnostics(self) -> list[Diagnostic]:
        """Return them as the protocol has them."""
        return [
            Diagnostic(
                range=self.lines.range(each.start, each.end),
                message=each.message,
                severity=_severity(each.edit.confidence),
                code=each.code,
                source=SOURCE,
            )
            for each in self.all
        ]


def find(document: MixedDocument, edits: Iterable[tuple[Edit, str]]) -> Iterator[Finding]:
    """Yield the findings of edits of a document, each with its language."""
    source = document.source
    untouchable: list[Span] | None = None
    for edit, language in edits:
        start, end = edit.start, edit.end
        if start == end:
            if untouchable is None:
                untouchable = document.untouchable()
            start, end = _shown(source.whole, start, untouchable)
        before = source.whole[max(0, edit.start - _REACH) : edit.start].split()[-1:]
        after = source.whole[edit.end : edit.end + _REACH].split()[:1]
        old = source.whole[edit.start : edit.end]
        signature = (*before, "|", old, "|", edit.replacement, "|", *after)
        message = explain(source.plain, source.read_edit(edit), language=language)
        yield Finding(edit, start, end, message, signature)


def _shown(text: str, position: int, untouchable: list[Span]) -> Span:
    """Return the word beside an insertion, which has no width of its own."""
    k = bisect_right(untouchable, (position, position))
    left = max((end for _, end in untouchable[max(0, k - 2) : k] if end <= position), default=0)
    following = bisect_left(untouchable, (position,))
    right = untouchable[following][0] if following < len(untouchable) else len(text)
    return widen(text, position, position, left=left, right=right) or (position, position)


def _severity(confidence: float) -> DiagnosticSeverity:
    if confidence >= _WARNING:
        return DiagnosticSeverity.Warning
    if confidence >= _INFORMATION:
        return DiagnosticSeverity.Information
    return DiagnosticSeverity.Hint
