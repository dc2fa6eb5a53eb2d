"""From what a path collapsed to back to text: kept units are copied, the rest is an edit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from emendo.text.edits import EditedText, merge_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.text.pieces import Replacement
    from emendo.text.tokenization import SourceTokens, TextTokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")


def render(
    tokenizer: TextTokenizer, source: SourceTokens, ids: Sequence[int], origins: Sequence[int]
) -> EditedText:
    """Write the text of an output.

    Args:
        tokenizer: Knows what ADD writes.
        source: The text that was edited.
        ids: The output's tokens; ignored where `origins` names a source token.
        origins: For each output token, the source token KEEP copied, or -1 for ADD.

    Returns:
        The source with minimal edits. A stretch whose new bytes are no valid text, or that
        would touch a protected character, is left as it was; so is a text without any word.
    """
    if not source.is_readable:
        return EditedText(source.text)
    replacements = [
        (start, end, text)
        for start, end, new in _regions(tokenizer, source, ids, origins)
        if (text := _decode(new)) is not None and text != source.view[start:end]
    ]
    if not replacements:
        return EditedText(source.text)
    placed = [_place(source, replacement) for replacement in replacements]
    if source.is_protected:
        placed = [r for r in placed if not _SURROGATE.search(source.text[r[0] : r[1]])]
    return merge_edits(source.text, _without_outer_space(source, placed))


def _regions(
    tokenizer: TextTokenizer, source: SourceTokens, ids: Sequence[int], origins: Sequence[int]
) -> Iterator[tuple[int, int, bytes | None]]:
    """Yield (start, end, new bytes) in the view for every gap between units kept whole.

    The bytes are None where a control token would have to be written.
    """
    output = [
        (int(token), int(origin))
        for token, origin in zip(ids, origins, strict=True)
        if (source.ids[origin] if origin >= 0 else token) != tokenizer.rep_id
    ]
    done = k = 0
    new: bytearray | None = bytearray()
    while k < len(output):
        token, origin = output[k]
        unit = source.unit[origin] if origin >= 0 else -1
        if unit >= 0 and _is_whole(source, output, k):
            start, end = source.unit_spans[unit].tolist()
            yield done, start, None if new is None else bytes(new)
            done, new = end, bytearray()
            k += int(source.unit_sizes[unit])
            continue
        surface = tokenizer.surface(int(source.ids[origin]) if origin >= 0 else token)
        new = None if new is None or surface is None else new + surface
        k += 1
    yield done, int(source.unit_spans[-1, 1]), None if new is None else bytes(new)


def _is_whole(source: SourceTokens, output: Sequence[tuple[int, int]], k: int) -> bool:
    """Whether the output from token k on starts with all of a unit and nothing in between."""
    unit = source.unit[output[k][1]]
    size = int(source.unit_sizes[unit])
    origins = [origin for _, origin in output[k : k + size]]
    return len(set(origins)) == size and all(
        origin >= 0 and source.unit[origin] == unit for origin in origins
    )


def _decode(new: bytes | None) -> str | None:
    if new is None:
        return None
    try:
        return new.decode()
    except UnicodeDecodeError:
        return None


def _place(source: SourceTokens, replacement: Replacement) -> Replacement:
    """Move a replacement from the view to the text, where the first space is not there."""
    start, end, new = replacement
    shift = source.lead - 1
    if start == 0 == end:
        # Before the first word: the space that was not there now is, after what is new.
        return source.lead, source.lead, new + " "
    return max(start + shift, source.lead), end + shift, new


def _without_outer_space(
    source: SourceTokens, replacements: list[Replacement]
) -> list[Replacement]:
    """Widen replacements at both ends, so that the output gets no new outer white space."""
    text = source.text
    first, last = source.lead, source.lead + len(source.view) - 1
    replacements = list(replacements)
    while replacements and replacements[0][0] == first:
        start, end, new = replacements[0]
        new = new.lstrip()
        limit = replacements[1][0] if len(replacements) > 1 else last
        while not new and end < limit and text[end].isspace():
            end += 1
        replacements[0] = (start, end, new)
        if new or end < limit or len(replacements) == 1:
            break
        replacements[:2] = [(start, replacements[1][1], replacements[1][2])]
    while replacements and replacements[-1][1] == last:
        start, end, new = replacements[-1]
        new = new.rstrip()
        limit = replacements[-2][1] if len(replacements) > 1 else first
        while not new and start > limit and text[start - 1].isspace():
            start -= 1
        replacements[-1] = (start, end, new)
        if new or start > limit or len(replacements) == 1:
            break
        replacements[-2:] = [(replacements[-2][0], end, replacements[-2][2])]
    return replacements
