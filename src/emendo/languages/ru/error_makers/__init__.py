"""What makes Russian errors that tables do not list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.languages.language import ErrorRules, words
from emendo.synthesis.marks import change_case, change_hyphen, change_mark, change_space, drop_mark
from emendo.synthesis.slips import Slips, add_comma, double_word, drop_comma, swap_neighbours

if TYPE_CHECKING:
    from emendo.synthesis.changes import Maker
    from emendo.synthesis.tables import ErrorTables

# Right and wrong letters: unstressed vowels, voiced and voiceless consonants, signs.
_CONFUSED = (
    *(("о", "а"), ("а", "о"), ("е", "и"), ("и", "е"), ("я", "е"), ("е", "я"), ("ы", "и")),
    *(("и", "ы"), ("тся", "ться"), ("ться", "тся"), ("нн", "н"), ("н", "нн"), ("сс", "с")),
    *(("лл", "л"), ("мм", "м"), ("пп", "п"), ("рр", "р"), ("тт", "т"), ("кк", "к"), ("ь", "")),
    *(("ъ", "ь"), ("ъ", ""), ("д", "т"), ("т", "д"), ("б", "п"), ("в", "ф"), ("з", "с")),
    *(("с", "з"), ("г", "к"), ("ж", "ш"), ("ш", "щ"), ("щ", "ш"), ("стн", "сн"), ("здн", "зн")),
    *(("чт", "шт"), ("го", "во"), ("э", "е"), ("й", "и"), ("ю", "у"), ("л", "ль"), ("т", "ть")),
)
_DOUBLED = words("и в не на я он с что а по это она к но они мы из у за от так")


def _makers(tables: ErrorTables) -> dict[str, Maker]:
    del tables
    return {
        "misspelling": Slips(_CONFUSED).misspell,
        "casing": change_case,
        "missing comma": drop_comma,
        "missing punctuation": drop_mark,
        "extra punctuation": add_comma(words("и или как в на с по для из у от к")),
        "wrong punctuation": change_mark,
        "hyphen": change_hyphen,
        "spacing": change_space,
        "word order": swap_neighbours,
        "doubled word": double_word(_DOUBLED),
    }


ERROR_RULES = ErrorRules(_makers, never_doubled=_DOUBLED)
