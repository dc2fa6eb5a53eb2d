"""Finds languages by their codes: the folders beside this file, then those of `recognised.py`."""

from __future__ import annotations

import pkgutil
from functools import cache, lru_cache
from importlib import import_module

from emendo.languages.language import Language

DEFAULT_LANGUAGE = "en"
"""The default language of texts and models."""
_PACKAGE = "emendo.languages"


# Clients can name any code, but only a few are in use.
@lru_cache(maxsize=256)
def load_language(code: str) -> Language:
    """Return a language; one without a folder may have only its code.

    Args:
        code: Two letters, or three.
    """
    if code in _folders():
        language = import_module(f"{_PACKAGE}.{code}").LANGUAGE
        assert isinstance(language, Language)
        assert language.code == code, f"the folder of {language.code!r} is named {code!r}"
        return language
    from emendo.languages.recognised import RECOGNISED

    return RECOGNISED.get(code) or Language(code)


@cache
def known_languages() -> tuple[Language, ...]:
    """Return all languages with any data."""
    from emendo.languages.recognised import RECOGNISED

    return tuple(load_language(code) for code in sorted({*_folders(), *RECOGNISED}))


@cache
def _folders() -> frozenset[str]:
    path = import_module(_PACKAGE).__path__
    return frozenset(module.name for module in pkgutil.iter_modules(path) if module.ispkg)
