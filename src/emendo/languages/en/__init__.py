"""English: sentence ends, words, errors, and words that identify it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from emendo.languages.en.confusables import CONFUSABLES
from emendo.languages.en.function_words import FUNCTION_WORDS, SHARED_WORDS
from emendo.languages.en.sentence_ends import SENTENCE_ENDS
from emendo.languages.language import ErrorRules, Language

if TYPE_CHECKING:
    from emendo.languages.word_tables import WordTables
    from emendo.languages.wording import Wording


def _word_tables() -> WordTables:
    from emendo.languages.en.words import read_tables

    return read_tables()


def _wording() -> Wording:
    from emendo.languages.en.wording import WORDING

    return WORDING


def _error_rules() -> ErrorRules:
    from emendo.languages.en.error_makers import ERROR_RULES

    return ERROR_RULES


LANGUAGE = Language(
    "en",
    "English",
    variants={
        "en-AU": "Australian",
        "en-CA": "Canadian",
        "en-GB": "GB",
        "en-NZ": "New Zealand",
        "en-US": "US",
        "en-ZA": "South African",
    },
    script="latin",
    function_words=FUNCTION_WORDS,
    shared_words=SHARED_WORDS,
    sentence_ends=SENTENCE_ENDS,
    confusables=CONFUSABLES,
    load_word_tables=_word_tables,
    load_wording=_wording,
    error_tables=Path(__file__).with_name("errors"),
    load_error_rules=_error_rules,
)
