"""The origin of each output token, as in the paper's figure, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from emendo.ctc import BLANK, KEEP, greedy_paths
from emendo.ctc.alphabet import ADD_COLUMN, KEEP_COLUMN, count_slots, token_of
from emendo.inference.backend import Batch
from emendo.inference.slot_scoring import score_slots

if TYPE_CHECKING:
    from emendo.ctc import SlotScores
    from emendo.inference.backend import Backend
    from emendo.text import SourceTokens, TextTokenizer


class Link(NamedTuple):
    """An output token and the source token whose slot produced it."""

    source: int
    output: int
    is_kept: bool
    probability: float
    """Of the symbol at that slot."""


class Alignment(NamedTuple):
    """One pass over one sentence."""

    source: tuple[str, ...]
    output: tuple[str, ...]
    links: tuple[Link, ...]


def align(backend: Backend, tokenizer: TextTokenizer, sentence: str) -> Alignment:
    """Run the network once over a sentence and follow its best path."""
    source = tokenizer.encode(sentence)
    batch = Batch.of([source], tokenizer.pad_id)
    scores = score_slots(backend, batch, backend.run(batch))
    path = greedy_paths(scores)[0].tolist()
    upsampling = backend.alphabet.upsampling
    words = _word_probabilities(scores)
    source_texts = _source_texts(source)
    output: list[str] = []
    links: list[Link] = []
    last = BLANK
    for slot, symbol in enumerate(path[: count_slots(len(source), upsampling)]):
        token = token_of(slot, upsampling)
        label = int(source.keep_ids[token]) if symbol == KEEP else symbol
        if label in (BLANK, last):
            last = label
            continue
        last = label
        if label == tokenizer.rep_id:
            continue
        kept = symbol == KEEP
        text = source_texts[token] if kept else _surface(tokenizer, label)
        column = KEEP_COLUMN if kept else ADD_COLUMN
        chance = float(np.exp(scores.three_way[0, slot, column]))
        links.append(Link(token, len(output), kept, chance if kept else chance * words[slot]))
        output.append(text)
    return Alignment(tuple(source_texts), tuple(output), tuple(links))


def _word_probabilities(scores: SlotScores) -> dict[int, float]:
    best = np.exp(scores.top_scores[:, 0]) if len(scores.rows) else np.zeros(0)
    return dict(zip(scores.rows.tolist(), best.tolist(), strict=True))


def _source_texts(source: SourceTokens) -> list[str]:
    view = source.view.encode()
    return [view[start:end].decode(errors="replace") for start, end in source.spans.tolist()]


def _surface(tokenizer: TextTokenizer, label: int) -> str:
    return (tokenizer.surface(label) or b"").decode(errors="replace")
