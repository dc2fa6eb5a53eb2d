"""The tokens of a text with their characters, and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from emendo.text.surrogates import SURROGATE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SourceTokens:
    """A text as the network reads it, with everything needed to restore the text.

    The *view* is the text without outer white space, after one virtual space: the first word is
    read as if after a space, like any other. Lone surrogates appear as U+FFFD.
    """

    text: str
    """The text itself, including outer white space."""
    view: str
    """What the tokens were read from."""
    lead: int
    """Code points of outer white space before the view's first real character."""
    ids: IntArray
    """[N] What the encoder reads: `<s>`, the tokens with `<rep>` between equals, `</s>`."""
    keep_ids: IntArray
    """[N] The label that KEEP stands for; NO_LABEL at the edges."""
    spans: IntArray
    """[N, 2] UTF-8 byte spans in the view; edges and `<rep>` are empty."""
    unit: IntArray
    """[N] Number of the unit, the tokens that share characters; -1 for edges and `<rep>`."""
    unit_spans: IntArray
    """[units, 2] Code-point spans in the view."""
    unit_sizes: IntArray
    """[units] Tokens in each unit."""
    spellings: dict[tuple[int, bytes, int], int]
    """Labels for source spellings that ADD cannot write: (id, bytes, place in unit) to label."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_readable(self) -> bool:
        """Whether there is anything in it to edit."""
        return len(self.unit_spans) > 0

    @property
    def is_protected(self) -> bool:
        """Whether the text has characters that no edit may touch: lone surrogates."""
        return SURROGATE.search(self.text) is not None


@dataclass(frozen=True, eq=False)
class TargetTokens:
    """The labels of a target text, given its source."""

    labels: IntArray
    """[M] Vocabulary ids, and ids beyond the vocabulary for spellings only KEEP can produce."""
    unmakeable: int
    """Tokens whose characters neither the source nor ADD can produce: not trainable if any."""
