"""Harper, through its Python binding: pip install harper-py."""

from __future__ import annotations

from importlib.metadata import version as package_version
from typing import TYPE_CHECKING

from emendo.text.edits import Edit
from peers.suggestions import take_suggestions

if TYPE_CHECKING:
    from collections.abc import Callable


def connect(dialect: str = "american") -> Callable[[list[str]], list[str]]:
    """Return Harper with its default rules: the first suggestion of every lint."""
    try:
        from harper import Dialect, Linter, SuggestionKind
    except ImportError:
        raise SystemExit("Harper is not installed: pip install harper-py") from None
    linter = Linter(dialect=Dialect[dialect.upper()])

    def suggestions(text: str):
        for lint in linter.lint(text, language="plaintext"):
            if lint.suggestions:
                first = lint.suggestions[0]
                start, end = lint.span.start, lint.span.end
                if first.kind == SuggestionKind.INSERT_AFTER:
                    start = end
                yield Edit(start, end, first.replacement_text)

    return lambda texts: [take_suggestions(text, suggestions(text)) for text in texts]


def version() -> str:
    """Return the version of the binding, which determines that of Harper."""
    return f"harper-py {package_version('harper-py')}"
