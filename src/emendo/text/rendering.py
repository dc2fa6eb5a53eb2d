"""Turns a collapsed path into text: kept units are copied, the rest is edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.text.edits import EditedText, merge_edits
from emendo.text.surrogates import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.text.pieces import Replacement
    from emendo.text.tokenization import TextTokenizer
    from emendo.text.tokens import SourceTokens


def render(
    tokenizer: TextTokenizer,
    source: SourceTokens,
    labels: Sequence[int],
    origins: Sequence[int],
    *,
    together: bool = False,
) -> EditedText:
    """Write the text of an output.

    Args:
        tokenizer: Gives the text that ADD writes.
        source: The text that was edited.
        labels: The output.
        origins: For each label, the source token that KEEP copied, or -1 for ADD.
        together: Whether to change nothing if any stretch cannot be changed.

    Returns:
        The source with minimal edits. A stretch whose new bytes are not valid text, or that
        would split a character or touch a protected one, is not changed; nor is a text without
        words.
    """
    if not source.is_readable:
        return EditedText(source.text)
    regions = _regions(tokenizer, source, labels, origins)
    read = [(start, end, _decode(new)) for start, end, new in regions]
    replacements = [
        (start, end, text)
        for start, end, text in read
        if text is not None and text != source.view[start:end]
    ]
    if not replacements:
        return EditedText(source.text)
    placed = [_place(source, replacement) for replacement in replacements]
    if source.is_protected:
        placed = [r for r in placed if not SURROGATE.search(source.text[r[0] : r[1]])]
    is_partial = len(placed) < len(replacements) or any(text is None for _, _, text in read)
    if together and is_partial:
        return EditedText(source.text)
    return merge_edits(source.text, _without_outer_space(source, placed))


def _regions(
    tokenizer: TextTokenizer, source: SourceTokens, labels: Sequence[int], origins: Sequence[int]
) -> Iterator[tuple[int, int, bytes | None]]:
    """Yield (start, end, new bytes) in the view for every gap between units kept whole.

    The bytes are None where they cannot be written.
    """
    output = [
        (int(label), int(origin))
        for label, origin in zip(labels, origins, strict=True)
        # Separators are written as nothing, kept or added.
        if (source.unit[origin] >= 0 if origin >= 0 else label != tokenizer.rep_id)
    ]
    done = k = 0
    parts: list[bytes | None] = []
    while k < len(output):
        label, origin = output[k]
        unit = int(source.unit[origin]) if origin >= 0 else -1
        size = int(source.unit_sizes[unit]) if unit >= 0 else 1
        run = output[k : k + size]
        if unit >= 0 and [origin for _, origin in run] == _tokens(source, unit, origin, size):
            start, end = source.unit_spans[unit].tolist()
            yield done, start, _join(parts)
            done, parts = end, []
            k += size
            continue
        if label < tokenizer.vocab_size:
            parts.append(tokenizer.surface(label))
            k += 1
        elif [label for label, _ in run] == source.keep_ids[source.unit == unit].tolist():
            # A whole spelling, but collected from several places.
            start, end = source.unit_spans[unit].tolist()
            parts.append(source.view[start:end].encode())
            k += size
        else:
            # A part of a character that only KEEP can write.
            parts.append(None)
            k += 1
    yield done, int(source.unit_spans[-1, 1]), _join(parts)


def _tokens(source: SourceTokens, unit: int, first: int, size: int) -> list[int]:
    """Return the tokens of a unit from `first` on: all of them, if that is its first."""
    tokens: list[int] = []
    token = first
    # Separators may be between them.
    while len(tokens) < size and source.unit[token] in (unit, -1):
        if source.unit[token] == unit:
            tokens.append(token)
        token += 1
        if token == len(source):
            break
    return tokens


def _join(parts: Sequence[bytes | None]) -> bytes | None:
    known = [part for part in parts if part is not None]
    return b"".join(known) if len(known) == len(parts) else None


def _decode(new: bytes | None) -> str | None:
    if new is None:
        return None
    try:
        return new.decode()
    except UnicodeDecodeError:
        return None


def _place(source: SourceTokens, replacement: Replacement) -> Replacement:
    """Move a replacement from the view to the text, which lacks the virtual first space."""
    start, end, new = replacement
    shift = source.lead - 1
    if start == 0 == end:
        # Before the first word: the virtual space becomes real, after the new text.
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
