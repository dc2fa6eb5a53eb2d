"""Checks that exported graphs make the same edits as the network, on real text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emendo.errors import ExportError
from emendo.inference import Batch, SentenceEditor
from emendo.inference.slot_scoring import three_way_log_probs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.inference import Backend
    from emendo.text import TextTokenizer

TEXTS = (
    "She like going to the the cinema in friday , but I does not .",
    "I look forward to hear from you soon.",
    "There is many reason why informations are importent nowadays.",
    "This sentence is fine as it is.",
    'He said: "I have\'nt seen him since 3 years", and leaved.',
    "Alot of people thinks that its to expensive (about $1,000.50)!",
    "Yesterday we go at the beach 😀 and have swimmed in see.",
    "Über die Straße läuft ein Hund; это хорошая собака, 中国人 日本語.",
    "http://example.org/a?b=c&d=e and name@example.org stay.",
    "Despite of the rain,we decided too continue our trip.",
    "It depend of what you means by  that .",
    "One of the most important thing in the life is the health.",
)
"""Used if no texts are given."""
# Rounding errors in single precision are far below this.
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Agreement:
    """How two backends compare on the same texts."""

    texts: int
    edited: int
    """Texts that the reference edits."""
    same: int
    """Texts with exactly the same edits."""
    difference: float
    """The largest between two three-way probabilities."""

    @property
    def share(self) -> float:
        """Texts with the same edits, of all."""
        return self.same / max(1, self.texts)


def compare_backends(
    reference: Backend, exported: Backend, tokenizer: TextTokenizer, texts: Sequence[str]
) -> Agreement:
    """Edit texts with both."""
    expected, found = (
        SentenceEditor(backend, tokenizer).edit_sentences(texts)
        for backend in (reference, exported)
    )
    return Agreement(
        texts=len(texts),
        edited=sum(bool(edited.edits) for edited in expected),
        same=sum(a.edits == b.edits for a, b in zip(expected, found, strict=True)),
        difference=max(
            (_difference(reference, exported, tokenizer, text) for text in texts), default=0.0
        ),
    )


def check_parity(
    reference: Backend, exported: Backend, tokenizer: TextTokenizer, texts: Sequence[str]
) -> Agreement:
    """Edit texts with both, which must make the same edits.

    Raises:
        ExportError: They do not.
    """
    agreement = compare_backends(reference, exported, tokenizer, texts)
    if agreement.same < agreement.texts or not agreement.difference < _TOLERANCE:
        raise ExportError(
            f"the exported graphs edit {agreement.texts - agreement.same} of {agreement.texts} "
            f"texts differently from the network, with probabilities up to "
            f"{agreement.difference:.2g} apart: nothing was written. Please report the versions of "
            "torch, onnxscript and onnxruntime"
        )
    return agreement


def _difference(
    reference: Backend, exported: Backend, tokenizer: TextTokenizer, text: str
) -> float:
    source = tokenizer.encode(text)
    if not source.is_readable or len(source) > reference.max_tokens:
        return 0.0
    batch = Batch.of([source], tokenizer.pad_id)
    slot_keep_ids = reference.alphabet.slot_keep_ids(batch.keep_ids)
    one, other = (
        np.exp(three_way_log_probs(backend.run(batch).three_way, slot_keep_ids))
        for backend in (reference, exported)
    )
    return float(np.abs(one - other).max())
