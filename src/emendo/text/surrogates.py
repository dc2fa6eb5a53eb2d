"""Lone surrogates: halves of UTF-16 pairs, which are not characters and are never edited."""

from __future__ import annotations

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def segments(text: str) -> list[tuple[int, int]]:
    """Return the spans of text before, between and after lone surrogates."""
    cuts = [match.start() for match in SURROGATE.finditer(text)]
    return list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True))
