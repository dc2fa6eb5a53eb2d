"""Adjacent spans, for tokenizers that do not spell out the text they read."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def tile(
    view: str, offsets: Sequence[tuple[int, int]], surfaces: Sequence[bytes | None]
) -> tuple[list[int], list[bool]]:
    """Assign adjacent spans of a view to tokens that do not spell out its characters.

    Args:
        view: The text.
        offsets: Code-point spans, which may overlap and leave gaps.
        surfaces: What ADD would write for each token.

    Returns:
        Where each token ends, and whether it shares a character with the token before it.
    """
    ends: list[int] = []
    joined: list[bool] = []
    position = 0
    for k, ((start, end), surface) in enumerate(zip(offsets, surfaces, strict=True)):
        last = position
        # A token from the same character as the previous one gets an empty span.
        is_new = end > last
        is_space = bool(surface) and not (surface or b"").strip()
        if is_new and is_space and view[last].isspace():
            # A token of only white space gets the whole run, and nothing of the word after it.
            while position < len(view) and view[position].isspace():
                position += 1
        elif is_new:
            position = end
            after = k + 1
            while after < len(offsets) and offsets[after][0] < end:
                # A further part of the same letter.
                after += 1
            limit = offsets[after][0] if after < len(offsets) else len(view)
            while position < limit and unicodedata.category(view[position])[0] == "M":
                # A mark that the tokenizer composed into its letter stays with the letter.
                position += 1
        joined.append(k > 0 and (not is_new or (start < last and not is_space)))
        ends.append(position)
    return ends, joined
