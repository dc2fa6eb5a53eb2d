"""What makes Russian errors that tables do not list."""

from __future__ import annotations

from emendo.languages.language import ErrorRules, words
from emendo.synthesis.slips import slip_makers

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
_AFTER_COMMA = words("и или как в на с по для из у от к")

ERROR_RULES = ErrorRules(
    lambda _: slip_makers(_CONFUSED, doubled=_DOUBLED, after_comma=_AFTER_COMMA),
    never_doubled=_DOUBLED,
)
