"""From pairs of texts to what a network trains on; what cannot be trained on is counted."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emendo.errors import TokenizerError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from emendo.text import EditPair, SourceTokens, TargetTokens, TextTokenizer

EMPTY = "source has no words"
LONG_SOURCE = "source is longer than the encoder reads"
UNMAKEABLE = "target has characters that neither the source nor the vocabulary can give"
NO_PATH = "target does not fit the slots of the source"

_CHUNK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPair:
    """A source as the network reads it, and the labels it should give."""

    ids: NDArray[np.int64]
    """[N]"""
    keep_ids: NDArray[np.int64]
    """[N]"""
    labels: NDArray[np.int64]
    """[M]"""


@dataclass(frozen=True)
class PairEncoder:
    """Encodes pairs for one network, and counts those it has to refuse."""

    tokenizer: TextTokenizer
    upsampling: int
    """T of the network."""
    max_tokens: int
    """Source tokens that its encoder reads."""

    def __post_init__(self) -> None:
        if not self.tokenizer.is_cased:
            raise TokenizerError(
                "this tokenizer does not tell upper from lower case, so a model trained with it "
                "could not correct capitals; take a cased encoder"
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
        if not self._has_path(source.keep_ids.tolist(), target.labels.tolist()):
            return NO_PATH
        return None

    def _has_path(self, keep_ids: Sequence[int], labels: Sequence[int]) -> bool:
        """Lay labels out as early as they can stand, which is best: none has an equal neighbour."""
        slot, slots = 0, len(keep_ids) * self.upsampling
        for label in labels:
            if label >= self.tokenizer.vocab_size:
                # Only KEEP can write it, so it must stand at a token with that spelling.
                while slot < slots and keep_ids[slot // self.upsampling] != label:
                    slot += 1
            if slot >= slots:
                return False
            slot += 1
        return True
