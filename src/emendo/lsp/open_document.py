"""A document that is open in the editor, kept as the editor has it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lsprotocol.types import TextDocumentContentChangePartial

from emendo.lsp.positions import Lines
from emendo.text.markup import HTML, LATEX, MARKDOWN, Markup, markup_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsprotocol.types import TextDocumentContentChangeEvent, TextDocumentItem

# What editors call them.
_LANGUAGES: dict[str, Markup] = {
    **dict.fromkeys(("markdown", "mdx", "quarto", "rmd"), MARKDOWN),
    **dict.fromkeys(("latex", "tex", "plaintex"), LATEX),
    **dict.fromkeys(("html", "xhtml"), HTML),
}


class OpenDocument:
    """A text, its version, and what it is written in."""

    def __init__(self, item: TextDocumentItem, encoding: str) -> None:
        self.uri = item.uri
        self.version = item.version
        # The editor knows; where it does not, the name tells.
        self.markup = _LANGUAGES.get(item.language_id.lower()) or markup_of(
            PurePosixPath(unquote(urlsplit(item.uri).path))
        )
        self._encoding = encoding
        self.text = item.text
        self.lines = Lines(item.text, encoding)

    def change(self, version: int, changes: Iterable[TextDocumentContentChangeEvent]) -> None:
        """Take over what was changed, in order."""
        for change in changes:
            if isinstance(change, TextDocumentContentChangePartial):
                start, end = self.lines.span(change.range)
                text = self.text[:start] + change.text + self.text[max(start, end) :]
            else:
                text = change.text
            self.text = text
            self.lines = Lines(text, self._encoding)
        self.version = version
