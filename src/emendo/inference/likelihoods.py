"""The likelihoods of given outputs of a sentence, all from one pass over it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import ADD_COLUMN, BLANK_COLUMN, KEEP_COLUMN, per_slot
from emendo.ctc.likelihood import log_likelihoods
from emendo.inference.backend import pad_right

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.text import SourceTokens

    Floats = NDArray[np.floating]
    Ints = NDArray[np.int64]
    _Asked = tuple["Question", tuple[Floats, Floats], Ints]
    """A question, its emissions, and one of its outputs."""

_NO_ID = -1
# Numbers of a table: all slots and labels of the outputs that are summed together. 16 MB.
_MOST_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class Question:
    """Outputs of one sentence to score, and the slots at which words are looked up."""

    row: int
    """The sentence's place in the batch."""
    source: SourceTokens
    outputs: Sequence[Ints]
    """The labels of each output."""
    slots: Ints
    """Slots at which words are looked up; elsewhere only KEEP and BLANK emit."""

    @cached_property
    def distinct(self) -> Ints:
        """All labels of the outputs, sorted."""
        # Not np.unique, which imports numpy.ma: 17 ms before the first edit.
        found = {label for output in self.outputs for label in output.tolist()}
        return np.array(sorted(found), dtype=np.int64)

    def emissions(self, three_way: Floats, words: Floats, upsampling: int) -> tuple[Floats, Floats]:
        """Return [S] log P of BLANK and [S, L] log P' of each distinct label.

        Args:
            three_way: [S or more, 3] log P of KEEP, BLANK and ADD.
            words: [slots, L or more] log P of the labels, given ADD.
            upsampling: Slots of each token.
        """
        keep_ids = per_slot(self.source.keep_ids, upsampling)
        three_way = three_way[: len(keep_ids)].astype(np.float64)
        add = np.full((len(keep_ids), len(self.distinct)), -np.inf)
        add[self.slots] = words[:, : len(self.distinct)] + three_way[self.slots, ADD_COLUMN, None]
        is_kept = keep_ids[:, None] == self.distinct
        keep = np.where(is_kept, three_way[:, KEEP_COLUMN, None], -np.inf)
        return three_way[:, BLANK_COLUMN], np.logaddexp(add, keep)


def likelihoods(
    backend: Backend, questions: Sequence[Question], output: NetworkOutput, three_way: Floats
) -> list[list[float]]:
    """Return log P of every output of every question.

    Args:
        backend: Looks up words.
        questions: About sentences of one batch.
        output: The network's output for the batch.
        three_way: [B, S, 3] log-probabilities, without any bias.
    """
    alphabet = backend.alphabet
    S = three_way.shape[1]
    rows = np.concatenate([question.row * S + question.slots for question in questions])
    # A label beyond the vocabulary is a character that only KEEP can produce.
    ids = [np.where(q.distinct < alphabet.vocab_size, q.distinct, _NO_ID) for q in questions]
    owner = np.repeat(np.arange(len(questions)), [len(q.slots) for q in questions])
    states = output.states.reshape(-1, output.states.shape[-1])[rows]
    asked = pad_right(ids, _NO_ID)[owner]
    words = backend.look_up(states, asked).label_scores if len(rows) else np.zeros(asked.shape)

    tables, done = [], 0
    for question in questions:
        part = words[done : done + len(question.slots)]
        tables.append(question.emissions(three_way[question.row], part, alphabet.upsampling))
        done += len(question.slots)
    asked_of = [
        (question, table, labels)
        for question, table in zip(questions, tables, strict=True)
        for labels in question.outputs
    ]
    found = (value for group in _groups(asked_of) for value in _forward(group))
    return [[next(found) for _ in question.outputs] for question in questions]


def _groups(asked: Sequence[_Asked]) -> Iterator[Sequence[_Asked]]:
    """Yield outputs whose tables are not too large together, in order."""
    start = slots = longest = 0
    for k, (_, (blank, _), labels) in enumerate(asked):
        slots, longest = max(slots, len(blank)), max(longest, len(labels))
        if k > start and (k + 1 - start) * slots * longest > _MOST_CELLS:
            yield asked[start:k]
            start, slots, longest = k, len(blank), len(labels)
    yield asked[start:]


def _forward(asked: Sequence[_Asked]) -> list[float]:
    """Return log P of each output."""
    outputs = [labels for *_, labels in asked]
    S = max(len(blank) for _, (blank, _), _ in asked)
    M = max(*map(len, outputs), 1)
    blank = np.full((len(outputs), S), -np.inf)
    emissions = np.full((len(outputs), S, M), -np.inf)
    slots = np.zeros(len(outputs), dtype=np.int64)
    for k, (question, (own_blank, own_labels), labels) in enumerate(asked):
        columns = np.searchsorted(question.distinct, labels)
        slots[k] = len(own_blank)
        blank[k, : slots[k]] = own_blank
        emissions[k, : slots[k], : len(labels)] = own_labels[:, columns]
    lengths = np.array([len(labels) for labels in outputs])
    found = log_likelihoods(blank, emissions, pad_right(outputs, _NO_ID), slots, lengths)
    return [float(value) for value in found]
