"""Languages: one folder for each, named by its code; no other code names a language."""

from emendo.languages.language import ErrorRules, Language, SentenceEnds
from emendo.languages.loading import DEFAULT_LANGUAGE, known_languages, load_language

__all__ = [
    "DEFAULT_LANGUAGE",
    "ErrorRules",
    "Language",
    "SentenceEnds",
    "known_languages",
    "load_language",
]
