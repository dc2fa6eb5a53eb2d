"""Languages as LanguageTool's clients name them: codes, variants, and which is meant."""

from __future__ import annotations

import re
from typing import NamedTuple

_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}")
_NAMES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hy": "Armenian",
    "it": "Italian", "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "nl": "Dutch",
    "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
_VARIANTS = {
    "en": {
        "en-AU": "Australian", "en-CA": "Canadian", "en-GB": "GB", "en-NZ": "New Zealand",
        "en-US": "US", "en-ZA": "South African",
    },
    "de": {"de-AT": "Austria", "de-CH": "Swiss", "de-DE": "Germany"},
    "fr": {"fr-FR": "France"},
    "es": {"es-ES": "Spain"},
    "pt": {"pt-BR": "Brazil", "pt-PT": "Portugal"},
    "nl": {"nl-NL": "Netherlands"},
    "ru": {"ru-RU": "Russia"},
    "uk": {"uk-UA": "Ukraine"},
    "pl": {"pl-PL": "Poland"},
    "it": {"it-IT": "Italy"},
}  # fmt: skip


class Language(NamedTuple):
    """A language, perhaps as one country writes it."""

    name: str
    code: str
    """Two letters, or three."""
    long_code: str

    @classmethod
    def parse(cls, code: str) -> Language | None:
        """Read a code such as `en` or `en-GB`; None is what no language has."""
        if not _CODE.fullmatch(code):
            return None
        base, *rest = re.split("[-_]", code)
        base = base.lower()
        long_code = "-".join([base, *(part.upper() if len(part) == 2 else part for part in rest)])
        name = _NAMES.get(base, base)
        variant = _VARIANTS.get(base, {}).get(long_code)
        return cls(f"{name} ({variant})" if variant else name, base, long_code)


def list_languages(codes: tuple[str, ...]) -> list[Language]:
    """Return languages and their variants by name."""
    found = []
    for code in codes:
        for each in (code, *_VARIANTS.get(code, ())):
            language = Language.parse(each)
            if language:
                found.append(language)
    return sorted(found)
