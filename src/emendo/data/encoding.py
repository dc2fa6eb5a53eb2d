"""Encodes pairs of texts for training; pairs that cannot be trained on are counted."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emendo.ctc.alphabet import count_slots, token_of
from emendo.errors import TokenizerError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from emendo.text import EditPair, SourceTokens, TargetTokens, TextTokenizer

EMPTY = "source has no words"
LONG_SOURCE = "source is longer than the encoder reads"
UNMAKEABLE = "target has characters that are in neither the source nor the vocabulary"
NO_PATH = "target does not fit the slots of the source"

_CHUNK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPair:
    """A source as the network reads it, and its target labels."""

    ids: NDArray[np.int64]
    """[N]"""
    keep_ids: NDArray[np.int64]
    """[N]"""
    labels: NDArray[np.int64]
    """[M]"""


@dataclass(frozen=True)
class PairEncoder:
    """Encodes pairs for one network, and counts those that it refuses."""

    tokenizer: TextTokenizer
    upsampling: int
    """T of the network."""
    max_tokens: int
    """Source tokens that its encoder reads."""

    def __post_init__(self) -> None:
        if not self.tokenizer.is_cased:
            raise TokenizerError(
                "this tokenizer does not distinguish upper and lower case, so a model trained with "
                "it could not correct capitals; use a cased encoder"
            )

    def encode(self, pairs: Iterable[EditPair], refused: Counter[str]) -> Iterator[EncodedPair]:
        """Yield the pairs that can be trained on; add the others to `refused`, by reason."""
        pairs = iter(pairs)
        while chunk := list(itertools.islice(pairs, _CHUNK)):
            sources = self.tokenizer.encode_many([pair.source for pair in chunk])
            targets = self.tokenizer.encode_targets([pair.target for pair in chunk], sources)
            for source, target in zip(sources, targets, strict=True):
                reason = self._refusal(source, target)
                if reason is None:
                    yield EncodedPair(source.ids, source.keep_ids, target.labels)
                else:
                    refused[reason] += 1

    def _refusal(self, source: SourceTokens, target: TargetTokens) -> str | None:
        if not source.is_readable:
            return EMPTY
        if len(source) > self.max_tokens:
            return LONG_SOURCE
        if target.unmakeable:
            return UNMAKEABLE
        if not has_path(source, target, self.upsampling, self.tokenizer.vocab_size):
            return NO_PATH
        return None


def has_path(source: SourceTokens, target: TargetTokens, upsampling: int, vocab_size: int) -> bool:
    """Whether the target's labels fit into T slots per token."""
    keep_ids = source.keep_ids.tolist()
    # The earliest possible place is best, since no label has an equal neighbour.
    slot, slots = 0, count_slots(len(keep_ids), upsampling)
    for label in target.labels.tolist():
        if label >= vocab_size:
            # Only KEEP can write it, so it must be at a token with that spelling.
            while slot < slots and keep_ids[token_of(slot, upsampling)] != label:
                slot += 1
        if slot >= slots:
            return False
        slot += 1
    return True
