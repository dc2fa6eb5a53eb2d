"""What can be done about findings: correct one, all of a kind or all, learn a word, look away.

Every change names the version of the document it is made for, so that an editor refuses it once
the document has changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Command,
    OptionalVersionedTextDocumentIdentifier,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lsprotocol.types import Diagnostic, Range

    from emendo.lsp.findings import Finding, Findings

ADD_WORD = "emendo.addWord"
IGNORE = "emendo.ignore"
FIX_ALL = f"{CodeActionKind.SourceFixAll.value}.emendo"
KINDS = (CodeActionKind.QuickFix.value, FIX_ALL)

# Kinds of edits whose old word may be right but unknown.
_MAY_BE_UNKNOWN = frozenset(("spelling", "casing", "word choice", "other"))
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_LONGEST = 40


def code_actions(
    findings: Findings, place: Range, only: Sequence[str] | None, *, with_versions: bool
) -> list[CodeAction]:
    """Return what can be done at a place.

    Args:
        findings: What was found in the document as it is now.
        place: A selection or a cursor.
        only: The kinds of actions that are wanted; None is all.
        with_versions: Whether the client knows changes that name a version.
    """
    writer = _Writer(findings, with_versions=with_versions)
    actions: list[CodeAction] = []
    if _wants(only, CodeActionKind.QuickFix.value):
        shown = findings.diagnostics()
        start, end = findings.lines.span(place)
        for finding, diagnostic in zip(findings.all, shown, strict=True):
            if finding.touches(start, end):
                actions += writer.quick_fixes(finding, diagnostic)
    if findings.all and _wants(only, FIX_ALL):
        title = f"emendo: correct all ({len(findings.all)})"
        actions.append(CodeAction(title, kind=FIX_ALL, edit=writer.change(findings.all)))
    return actions


def _wants(only: Sequence[str] | None, kind: str) -> bool:
    # "source" is wanted means that "source.fixAll" is.
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


class _Writer:
    """Writes actions for one version of a document."""

    def __init__(self, findings: Findings, *, with_versions: bool) -> None:
        self._findings = findings
        self._with_versions = with_versions

    def quick_fixes(self, finding: Finding, diagnostic: Diagnostic) -> Iterator[CodeAction]:
        """Yield the actions for one finding, the best first."""
        kind = CodeActionKind.QuickFix
        edit = finding.edit
        old = self._findings.text[edit.start : edit.end]
        for number, new in enumerate(dict.fromkeys((edit.replacement, *edit.alternatives))):
            yield CodeAction(
                _title(old, new),
                kind=kind,
                diagnostics=[diagnostic],
                is_preferred=number == 0,
                edit=self._workspace_edit([self._text_edit(finding, new)]),
            )
        same = [each for each in self._findings.all if each.code == finding.code]
        if len(same) > 1:
            yield CodeAction(
                f"Correct all {len(same)} of this kind ({edit.type})",
                kind=kind,
                diagnostics=[diagnostic],
                edit=self.change(same),
            )
        if edit.type in _MAY_BE_UNKNOWN and _WORD.fullmatch(old):
            title = f"Add “{old}” to the dictionary"
            yield CodeAction(
                title,
                kind=kind,
                diagnostics=[diagnostic],
                command=Command(title, ADD_WORD, arguments=[old]),
            )
        title = "Ignore this here"
        yield CodeAction(
            title,
            kind=kind,
            diagnostics=[diagnostic],
            command=Command(title, IGNORE, arguments=[self._findings.uri, list(finding.signature)]),
        )

    def change(self, findings: Iterable[Finding]) -> WorkspaceEdit:
        """Return a change that makes all these edits."""
        return self._workspace_edit(
            [self._text_edit(each, each.edit.replacement) for each in findings]
        )

    def _text_edit(self, finding: Finding, new: str) -> TextEdit:
        lines = self._findings.lines
        return TextEdit(lines.range(finding.edit.start, finding.edit.end), new)

    def _workspace_edit(self, edits: list[TextEdit]) -> WorkspaceEdit:
        if not self._with_versions:
            return WorkspaceEdit(changes={self._findings.uri: edits})
        named = OptionalVersionedTextDocumentIdentifier(
            uri=self._findings.uri, version=self._findings.version
        )
        return WorkspaceEdit(document_changes=[TextDocumentEdit(named, list(edits))])


def _title(old: str, new: str) -> str:
    if not old.strip() and not new.strip():
        return "Correct the space"
    if not new.strip():
        return f"Remove {_quoted(old)}"
    if not old.strip():
        return f"Insert {_quoted(new)}"
    return f"Replace {_quoted(old)} by {_quoted(new)}"


def _quoted(text: str) -> str:
    shown = " ".join(text.split())
    return f"“{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}”"
