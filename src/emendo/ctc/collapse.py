"""The definition of a path's output. Everything else must agree with this file.

In this order: KEEP becomes the label of its slot's source token; equal consecutive labels
merge; BLANK is dropped. (docs/explanation/copy-aware-ctc.md, equation 1.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from emendo.ctc.alphabet import BLANK, KEEP, token_of
from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence


class Output(NamedTuple):
    """The output of a path."""

    labels: tuple[int, ...]
    """The labels: vocabulary ids, or the entry of `keep_ids` for a kept token."""
    origins: tuple[int, ...]
    """For each label the first source token that KEEP copied, or -1 if none."""


def collapse(path: Sequence[int], keep_ids: Sequence[int], upsampling: int) -> Output | None:
    """Return the output of a path, or None if it keeps an edge, which is impossible.

    Args:
        path: [S] symbols: tokens, KEEP, BLANK.
        keep_ids: [N] the label KEEP stands for at each source token.
        upsampling: T, slots for each source token.
    """
    labels: list[int] = []
    origins: list[int] = []
    last = BLANK
    for slot, symbol in enumerate(path):
        token = token_of(slot, upsampling)
        label = keep_ids[token] if symbol == KEEP else symbol
        if symbol == KEEP and label == NO_LABEL:
            return None
        if label not in (BLANK, last):
            labels.append(label)
            origins.append(-1)
        if symbol == KEEP and origins[-1] < 0:
            origins[-1] = token
        last = label
    return Output(tuple(labels), tuple(origins))
