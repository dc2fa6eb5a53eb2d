"""Languages as LanguageTool's clients name them: codes and variants."""

from __future__ import annotations

import re
from typing import NamedTuple

from emendo.languages import load_language

_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,7}")


class Language(NamedTuple):
    """A language, perhaps as one country writes it."""

    name: str
    code: str
    """Two letters, or three."""
    long_code: str

    @classmethod
    def parse(cls, code: str) -> Language | None:
        """Read a code such as `en` or `en-GB`; None if it is not a language code."""
        if not _CODE.fullmatch(code):
            return None
        base, *rest = re.split("[-_]", code)
        base = base.lower()
        long_code = "-".join([base, *(part.upper() if len(part) == 2 else part for part in rest)])
        known = load_language(base)
        name = known.name or base
        variant = known.variants.get(long_code)
        return cls(f"{name} ({variant})" if variant else name, base, long_code)


def list_languages(codes: tuple[str, ...]) -> list[Language]:
    """Return languages and their variants by name."""
    found = []
    for code in codes:
        for each in (code, *load_language(code).variants):
            language = Language.parse(each)
            if language:
                found.append(language)
    return sorted(found)
