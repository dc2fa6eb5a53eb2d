"""An alignment as SVG: source above, output below, kept tokens green, width by probability."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emendo.inference.alignment import Alignment

_CHARACTER, _GAP, _PADDING, _HEIGHT = 9.0, 14.0, 16.0, 150.0
_TOP, _BOTTOM = 30.0, 130.0
_KEPT, _ADDED = "#1a7f37", "#bc4c00"


def draw_alignment(alignment: Alignment) -> str:
    """Return the drawing as the text of an SVG file."""
    above, width_above = _places(alignment.source)
    below, width_below = _places(alignment.output)
    width = max(width_above, width_below)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {_HEIGHT:.0f}" '
        f'width="{width:.0f}" height="{_HEIGHT:.0f}" font-family="ui-monospace, monospace" '
        'font-size="15" role="img">',
        f"<title>{escape(''.join(alignment.source).strip())}</title>",
        f'<rect width="{width:.0f}" height="{_HEIGHT:.0f}" fill="#ffffff"/>',
    ]
    for link in alignment.links:
        colour = _KEPT if link.is_kept else _ADDED
        parts.append(
            f'<line x1="{above[link.source]:.1f}" y1="{_TOP + 8:.0f}" '
            f'x2="{below[link.output]:.1f}" y2="{_BOTTOM - 18:.0f}" stroke="{colour}" '
            f'stroke-width="{0.5 + 3.5 * link.probability:.2f}" stroke-linecap="round" '
            'opacity="0.75"/>'
        )
    kept = {link.source for link in alignment.links if link.is_kept}
    for number, text in enumerate(alignment.source):
        colour = "#1f2328" if number in kept or not text.strip() else "#8c959f"
        parts.append(_word(text, above[number], _TOP, colour))
    for link in alignment.links:
        colour = _KEPT if link.is_kept else _ADDED
        parts.append(_word(alignment.output[link.output], below[link.output], _BOTTOM, colour))
    return "\n".join([*parts, "</svg>\n"])


def _places(texts: tuple[str, ...]) -> tuple[list[float], float]:
    """Return the middle of each token, and where the row ends."""
    places, x = [], _PADDING
    for text in texts:
        width = max(len(text.strip()), 1) * _CHARACTER
        places.append(x + width / 2)
        x += width + _GAP
    return places, x - _GAP + _PADDING


def _word(text: str, x: float, y: float, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.0f}" text-anchor="middle" fill="{colour}">'
        f"{escape(text.strip())}</text>"
    )
