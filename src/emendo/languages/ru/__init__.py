"""Russian: sentence ends, errors, and words that identify it."""

from __future__ import annotations

from pathlib import Path

from emendo.languages.language import ErrorRules, Language
from emendo.languages.ru.function_words import FUNCTION_WORDS
from emendo.languages.ru.sentence_ends import SENTENCE_ENDS


def _error_rules() -> ErrorRules:
    from emendo.languages.ru.error_makers import ERROR_RULES

    return ERROR_RULES


LANGUAGE = Language(
    "ru",
    "Russian",
    variants={"ru-RU": "Russia"},
    script="cyrillic",
    letters="ыэъё",
    function_words=FUNCTION_WORDS,
    sentence_ends=SENTENCE_ENDS,
    # Those of English are fitted with another network, and make its confidences nearly equal.
    candidate_weights=(2.43, 0.16, 0.17, 0.35, -1.56, 0.0, 0.0),
    error_tables=Path(__file__).with_name("errors"),
    load_error_rules=_error_rules,
)
