"""From pairs of texts to what a network trains on; what cannot be trained on is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emendo.errors import TokenizerError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from emendo.text import EditPair, SourceTokens, TextTokenizer

TOO_LONG = "target does not fit the slots"
UNMAKEABLE = "target has characters that neither the source nor the vocabulary can give"
EMPTY = "source has no words"


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """A source as the network reads it, and the labels it should give."""

    source: SourceTokens
    labels: NDArray[np.int64]
    """[M]"""


def encode_pair(
    pair: EditPair, tokenizer: TextTokenizer, upsampling: int
) -> tuple[EncodedPair | None, str | None]:
    """Encode a pair, or give the reason why it cannot be trained on."""
    source = tokenizer.encode(pair.source)
    if not source.is_readable:
        return None, EMPTY
    target = tokenizer.encode_target(pair.target, source)
    if target.unmakeable:
        return None, UNMAKEABLE
    # Labels never have equal neighbours, so one slot each is enough.
    if len(target.labels) > len(source) * upsampling:
        return None, TOO_LONG
    return EncodedPair(source, target.labels), None


def encode_pairs(
    pairs: Iterable[EditPair], tokenizer: TextTokenizer, upsampling: int
) -> tuple[list[EncodedPair], Counter[str]]:
    """Encode pairs; return those that can be trained on, and the others counted by reason.

    Raises:
        TokenizerError: The tokenizer lower-cases, so no capital letter could ever be learned.
    """
    if not tokenizer.is_cased:
        raise TokenizerError(
            "this tokenizer does not tell upper from lower case, so a model trained with it could "
            "not correct capitals; take a cased encoder"
        )
    encoded: list[EncodedPair] = []
    refused: Counter[str] = Counter()
    for pair in pairs:
        result, reason = encode_pair(pair, tokenizer, upsampling)
        if result is not None:
            encoded.append(result)
        if reason is not None:
            refused[reason] += 1
    return encoded, refused
