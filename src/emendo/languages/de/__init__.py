"""German: sentence ends, errors, and words that identify it."""

from __future__ import annotations

from pathlib import Path

from emendo.languages.de.function_words import FUNCTION_WORDS
from emendo.languages.de.sentence_ends import SENTENCE_ENDS
from emendo.languages.language import ErrorRules, Language


def _error_rules() -> ErrorRules:
    from emendo.languages.de.error_makers import ERROR_RULES

    return ERROR_RULES


LANGUAGE = Language(
    "de",
    "German",
    variants={"de-AT": "Austria", "de-CH": "Swiss", "de-DE": "Germany"},
    script="latin",
    letters="ßäöü",
    function_words=FUNCTION_WORDS,
    sentence_ends=SENTENCE_ENDS,
    nouns_have_capitals=True,
    compound_links=("", "s", "es", "n", "en", "er", "e"),
    error_tables=Path(__file__).with_name("errors"),
    load_error_rules=_error_rules,
)
