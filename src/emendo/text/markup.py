"""The markup of a document: plain text, Markdown, LaTeX or HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from emendo.errors import ConfigError
from emendo.text.annotated_text import AnnotatedText

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import PurePath

Markup = Literal["plain", "markdown", "latex", "html"]
MARKUPS: tuple[Markup, ...] = get_args(Markup)
PLAIN: Final = "plain"
MARKDOWN: Final = "markdown"
LATEX: Final = "latex"
HTML: Final = "html"

_BY_MARKUP: dict[Markup, tuple[str, ...]] = {
    MARKDOWN: (".md", ".markdown", ".mdx"),
    LATEX: (".tex", ".ltx", ".latex"),
    HTML: (".html", ".htm", ".xhtml"),
}
_SUFFIXES = {suffix: markup for markup, suffixes in _BY_MARKUP.items() for suffix in suffixes}

_SPECIAL: dict[Markup, frozenset[str]] = {
    LATEX: frozenset("\\{}$&#^_~%[]*"),
    HTML: frozenset("<>&"),
}


def markup_of(path: PurePath) -> Markup:
    """Return the markup of a file by its name."""
    return _SUFFIXES.get(path.suffix.lower(), PLAIN)


def read_markup(
    text: str, markup: Markup, check: Callable[[], object] | None = None
) -> AnnotatedText:
    """Return the plain reading of a document.

    Markdown is read as it is written; `protected_spans` returns its protected parts.

    Args:
        text: The document.
        markup: One of `MARKUPS`.
        check: Called repeatedly; an exception that it raises ends the reading.

    Raises:
        ConfigError: There is no such markup.
        MissingExtraError: LaTeX needs a package that is not installed.
    """
    if markup == LATEX:
        from emendo.text.latex_markup import read_latex

        return read_latex(text, check)
    if markup == HTML:
        from emendo.text.html_markup import read_html

        return read_html(text, check)
    if markup not in MARKUPS:
        raise ConfigError(f"there is no markup {markup!r}; choose one of {', '.join(MARKUPS)}")
    return AnnotatedText.of(text)


def special_characters(markup: Markup) -> frozenset[str]:
    """Return the characters that would be markup if an edit introduced them."""
    return _SPECIAL.get(markup, frozenset())
