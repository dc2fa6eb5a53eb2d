"""quire-grammar, rules and model: pip install "quire-grammar[model]" (Python 3.11 or later)."""

from __future__ import annotations

from importlib.metadata import version as package_version
from typing import TYPE_CHECKING

from emendo.text.edits import Edit
from peers.suggestions import take_suggestions

if TYPE_CHECKING:
    from collections.abc import Callable


def connect() -> Callable[[list[str]], list[str]]:
    """Return quire-grammar with its default rules and its model."""
    try:
        # If its model cannot be loaded, it runs without it and gives no warning.
        import quire_grammar_model  # noqa: F401
        from quire_grammar import check
        from quire_grammar.model import predict
    except ImportError:
        raise SystemExit(
            'quire-grammar or its model is not installed: pip install "quire-grammar[model]"'
        ) from None
    if not predict("She have an dog."):
        raise SystemExit("quire-grammar's model is installed but finds nothing: is it complete?")

    def suggestions(text: str):
        for found in check(text):
            if found.suggestions:
                yield Edit(found.start, found.end, found.suggestions[0])

    return lambda texts: [take_suggestions(text, suggestions(text)) for text in texts]


def version() -> str:
    """Return the versions of the rules and the model."""
    names = ("quire-grammar", "quire-grammar-model")
    return ", ".join(f"{name} {package_version(name)}" for name in names)
