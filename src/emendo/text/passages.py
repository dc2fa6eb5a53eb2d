"""Joins sentences that stand next to each other into passages that a network reads at once.

A passage is two or more sentences of one paragraph. Sentences are taken in order, as many as fit,
so a change never moves the borders of the passages before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from emendo.text.segmentation import Span


def join_passages(
    paragraph: Iterable[Span], max_tokens: int, count: Callable[[int, int], int]
) -> Iterator[Span]:
    """Yield the passages of a paragraph.

    A sentence that has no neighbour, or that fits together with none, is in no passage.

    Args:
        paragraph: The spans of adjacent sentences, in order.
        max_tokens: Tokens that the network reads at once.
        count: Returns the tokens of a span of the text, edges included.
    """
    start: int | None = None
    end = sentences = 0
    for first, last in paragraph:
        if start is not None and count(start, last) <= max_tokens:
            end, sentences = last, sentences + 1
            continue
        if start is not None and sentences > 1:
            yield start, end
        start, end, sentences = first, last, 1
    if start is not None and sentences > 1:
        yield start, end
