"""What makes English errors that tables do not list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.languages.en.error_makers.articles import fit_article
from emendo.languages.en.error_makers.inflections import (
    change_number,
    change_tense,
    change_verb_form,
    make_disagree,
)
from emendo.languages.en.error_makers.word_order import change_order, double_word
from emendo.languages.language import ErrorRules, words
from emendo.synthesis.confusions import change_family
from emendo.synthesis.marks import (
    add_mark,
    change_case,
    change_hyphen,
    change_mark,
    change_space,
    drop_mark,
    misplace_apostrophe,
)
from emendo.synthesis.spelling import Speller

if TYPE_CHECKING:
    from emendo.synthesis.changes import Maker
    from emendo.synthesis.tables import ErrorTables


def _makers(tables: ErrorTables) -> dict[str, Maker]:
    return {
        "misspelling": Speller(tables).misspell,
        "casing": change_case,
        "missing punctuation": drop_mark,
        "extra punctuation": add_mark,
        "wrong punctuation": change_mark,
        "apostrophe": misplace_apostrophe,
        "hyphen": change_hyphen,
        "spacing": change_space,
        "agreement": make_disagree,
        "tense": change_tense,
        "verb form": change_verb_form,
        "noun number": change_number,
        "word form": lambda sentence, rng: change_family(sentence, tables, rng),
        "word order": change_order,
        "doubled word": double_word,
    }


ERROR_RULES = ErrorRules(
    _makers,
    fit=fit_article,
    never_doubled=words("the a an of to in and is for on with at are was"),
    endings=words("n't 's"),
)
