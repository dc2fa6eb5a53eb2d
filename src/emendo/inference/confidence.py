"""How sure the network is of each edit: the odds against undoing this edit alone.

CTC gives P(y | x) of any y from one set of emissions, so P(with the edit) against P(without it)
needs no further pass (docs/explanation/copy-aware-ctc.md, equation 8). Words are looked up near
changes only; elsewhere nothing but KEEP and BLANK emits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import ADD_COLUMN, BLANK, BLANK_COLUMN, KEEP, KEEP_COLUMN
from emendo.ctc.likelihood import log_likelihoods
from emendo.inference.backend import pad_right
from emendo.text import EditedText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.text import SourceTokens, TextTokenizer

    Floats = NDArray[np.floating]
    Ints = NDArray[np.int64]

REACH = 2
"""Source tokens on each side of a change at whose slots words may stand."""
_NO_ID = -1


@dataclass(frozen=True, eq=False)
class Decoded:
    """A sentence, the path chosen for it, and what came of it."""

    source: SourceTokens
    path: Ints
    """[S] symbols."""
    labels: tuple[int, ...]
    """What the path collapsed to."""
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
) -> list[EditedText]:
    """Return sentences with the confidence of every edit, and of all edits together.

    Args:
        backend: Looks up words.
        tokenizer: Reads the texts without an edit.
        decoded: Sentences of one batch that have edits.
        output: What the network said about the batch.
        three_way: [B, S, 3] log-probabilities, without any bias.
        reach: Tokens around a change whose slots may hold words; None is the whole sentence.
    """
    questions = [_Question(tokenizer, each, backend.alphabet.upsampling, reach) for each in decoded]
    S = three_way.shape[1]
    rows = np.concatenate(
        [each.row * S + q.slots for each, q in zip(decoded, questions, strict=True)]
    )
    asked = pad_right([q.ids for q in questions], _NO_ID)
    owner = np.repeat(np.arange(len(questions)), [len(q.slots) for q in questions])
    states = output.states.reshape(-1, output.states.shape[-1])[rows]
    words = backend.look_up(states, asked[owner]).label_scores

    tables, done = [], 0
    for each, question in zip(decoded, questions, strict=True):
        count = len(question.slots)
        tables.append(question.emissions(three_way[each.row], words[done : done + count]))
        done += count
    likelihoods = iter(_likelihoods(questions, tables))
    results = []
    for each, question in zip(decoded, questions, strict=True):
        # The path's own spelling of the output and the tokenizer's print the same text.
        own, canonical, nothing, *without = (next(likelihoods) for _ in question.outputs)
        chosen = own if question.is_canonical else np.logaddexp(own, canonical)
        edits = tuple(
            replace(edit, confidence=_odds(chosen, other))
            for edit, other in zip(each.edited.edits, without, strict=True)
        )
        results.append(EditedText(each.edited.source, edits, _odds(chosen, nothing)))
    return results


def _odds(chosen: float, other: float) -> float:
    """Return P(chosen) / (P(chosen) + P(other)); a half where neither can be."""
    if np.isneginf(chosen) and np.isneginf(other):
        return 0.5
    return float(1 / (1 + np.exp(np.clip(other - chosen, -700, 700))))


class _Question:
    """The outputs of one sentence whose likelihoods are wanted, and where words may stand."""

    def __init__(
        self, tokenizer: TextTokenizer, decoded: Decoded, upsampling: int, reach: int | None
    ) -> None:
        source, edited = decoded.source, decoded.edited
        without = [
            EditedText(edited.source, tuple(e for e in edited.edits if e is not edit)).text
            for edit in edited.edits
        ]
        texts = [edited.text, edited.source, *without]
        targets = tokenizer.encode_targets(texts, [source] * len(texts))
        labels = [target.labels for target in targets]
        own = np.array(decoded.labels, dtype=np.int64)
        self.outputs: list[Ints] = [own, *labels]
        self.is_canonical = np.array_equal(own, labels[0])
        # Not np.unique, which brings in numpy.ma: 17 ms before the first edit.
        distinct = {label for output in self.outputs for label in output.tolist()}
        self.distinct = np.array(sorted(distinct), dtype=np.int64)
        self.ids = np.where(self.distinct < tokenizer.vocab_size, self.distinct, _NO_ID)
        self._keep_ids = np.repeat(source.keep_ids, upsampling)
        self.slots = change_window(decoded.path, len(source), upsampling, reach)

    def emissions(self, three_way: Floats, words: Floats) -> tuple[Floats, Floats]:
        """Return [S] log P of BLANK and [S, L] log P' of each distinct label."""
        S = len(self._keep_ids)
        three_way = three_way[:S].astype(np.float64)
        add = np.full((S, len(self.distinct)), -np.inf)
        add[self.slots] = words[:, : len(self.distinct)] + three_way[self.slots, ADD_COLUMN, None]
        is_kept = self._keep_ids[:, None] == self.distinct
        keep = np.where(is_kept, three_way[:, KEEP_COLUMN, None], -np.inf)
        return three_way[:, BLANK_COLUMN], np.logaddexp(add, keep)


def change_window(path: Ints, tokens: int, upsampling: int, reach: int | None = REACH) -> Ints:
    """Return the slots of the tokens near a change; without a reach, all of them."""
    if reach is None:
        return np.arange(tokens * upsampling)
    slots = path[: tokens * upsampling].reshape(tokens, upsampling)
    changed = ((slots != KEEP) & (slots != BLANK)).any(axis=1) | (slots == BLANK).all(axis=1)
    # The edges are blank when nothing is inserted there.
    for edge in (0, tokens - 1):
        changed[edge] = (slots[edge] != BLANK).any()
    near = changed.copy()
    for distance in range(1, reach + 1):
        near[distance:] |= changed[:-distance]
        near[:-distance] |= changed[distance:]
    return np.flatnonzero(np.repeat(near, upsampling))


def _likelihoods(
    questions: Sequence[_Question], tables: Sequence[tuple[Floats, Floats]]
) -> list[float]:
    """Return log P of every output of every question, in order."""
    outputs = [labels for question in questions for labels in question.outputs]
    S = max(len(blank) for blank, _ in tables)
    M = max(*map(len, outputs), 1)
    blank = np.full((len(outputs), S), -np.inf)
    emissions = np.full((len(outputs), S, M), -np.inf)
    slots = np.zeros(len(outputs), dtype=np.int64)
    k = 0
    for question, (own_blank, own_labels) in zip(questions, tables, strict=True):
        for labels in question.outputs:
            columns = np.searchsorted(question.distinct, labels)
            slots[k] = len(own_blank)
            blank[k, : slots[k]] = own_blank
            emissions[k, : slots[k], : len(labels)] = own_labels[:, columns]
            k += 1
    lengths = np.array([len(labels) for labels in outputs])
    found = log_likelihoods(blank, emissions, pad_right(outputs, _NO_ID), slots, lengths)
    return [float(value) for value in found]
