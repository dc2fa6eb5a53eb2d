"""The network's confidence in each edit: the odds against undoing this edit alone.

CTC gives P(y | x) of any y from one set of emissions, so comparing P(with the edit) and P(without
it) needs no further pass (docs/explanation/copy-aware-ctc.md, equation 8). Edits that are made
together have the probability of the whole output (equation 8a). Words are looked up only near
changes; elsewhere only KEEP and BLANK emit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import BLANK, KEEP, per_slot, per_token, slots_of
from emendo.inference.likelihoods import Question, likelihoods
from emendo.text import EditedText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.text import SourceTokens, TextTokenizer

    Floats = NDArray[np.floating]
    Ints = NDArray[np.int64]

REACH = 2
"""Source tokens on each side of a change at whose slots words are looked up."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """A sentence, the path chosen for it, and the result."""

    source: SourceTokens
    path: Ints
    """[S] symbols."""
    labels: tuple[int, ...]
    """The collapse of the path."""
    edited: EditedText
    row: int
    """Its place in the batch."""


def with_confidence(
    backend: Backend,
    tokenizer: TextTokenizer,
    decoded: Sequence[Decoded],
    output: NetworkOutput,
    three_way: Floats,
    *,
    reach: int | None = REACH,
    together: bool = False,
) -> list[EditedText]:
    """Return sentences with the confidence of every edit, and of all edits together.

    Args:
        backend: Looks up words.
        tokenizer: Reads the texts without an edit.
        decoded: Sentences of one batch that have edits.
        output: The network's output for the batch.
        three_way: [B, S, 3] log-probabilities, without any bias.
        reach: Tokens around a change at which words are looked up; None is all of them.
        together: Whether the edits of a sentence are made together or not at all.
    """
    upsampling = backend.alphabet.upsampling
    questions = [
        _question(tokenizer, each, upsampling, reach, is_whole=together) for each in decoded
    ]
    found = likelihoods(backend, questions, output, three_way)
    results = []
    for each, question, (own, canonical, nothing, *without) in zip(
        decoded, questions, found, strict=True
    ):
        # The path's own spelling of the output and the tokenizer's give the same text.
        is_canonical = np.array_equal(question.outputs[0], question.outputs[1])
        chosen = own if is_canonical else np.logaddexp(own, canonical)
        if together:
            sure = float(np.exp(min(0.0, chosen)))
            confidences = [sure] * len(each.edited.edits)
        else:
            sure = _odds(chosen, nothing)
            confidences = [_odds(chosen, other) for other in without]
        edits = tuple(
            replace(edit, confidence=confidence)
            for edit, confidence in zip(each.edited.edits, confidences, strict=True)
        )
        results.append(EditedText(each.edited.source, edits, sure))
    return results


def _odds(chosen: float, other: float) -> float:
    """Return P(chosen) / (P(chosen) + P(other)), or a half if both are impossible."""
    if np.isneginf(chosen) and np.isneginf(other):
        return 0.5
    return float(1 / (1 + np.exp(np.clip(other - chosen, -700, 700))))


def _question(
    tokenizer: TextTokenizer,
    decoded: Decoded,
    upsampling: int,
    reach: int | None,
    *,
    is_whole: bool,
) -> Question:
    """Return the outputs to score: in both spellings, the source, and without each edit.

    If only the whole output counts, the last group is left out.
    """
    source, edited = decoded.source, decoded.edited
    without = [
        EditedText(edited.source, tuple(e for e in edited.edits if e is not edit)).text
        for edit in (() if is_whole else edited.edits)
    ]
    texts = [edited.text, edited.source, *without]
    targets = tokenizer.encode_targets(texts, [source] * len(texts))
    own = np.array(decoded.labels, dtype=np.int64)
    slots = change_window(decoded.path, len(source), upsampling, reach)
    return Question(decoded.row, source, [own, *(target.labels for target in targets)], slots)


def change_window(path: Ints, tokens: int, upsampling: int, reach: int | None = REACH) -> Ints:
    """Return the slots of the tokens near a change; without a reach, all of them."""
    if reach is None:
        return slots_of(0, tokens, upsampling)
    slots = per_token(path, tokens, upsampling)
    changed = ((slots != KEEP) & (slots != BLANK)).any(axis=1) | (slots == BLANK).all(axis=1)
    # The edges are blank when nothing is inserted there.
    for edge in (0, tokens - 1):
        changed[edge] = (slots[edge] != BLANK).any()
    near = changed.copy()
    for distance in range(1, reach + 1):
        near[distance:] |= changed[:-distance]
        near[:-distance] |= changed[distance:]
    return np.flatnonzero(per_slot(near, upsampling))
