"""The frame of an HTML page that is one file: nothing to download, no script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def html_page(title: str, parts: Iterable[str], *, style: str) -> str:
    """Return a page.

    Args:
        title: As plain text.
        parts: The body, as HTML.
        style: CSS.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
