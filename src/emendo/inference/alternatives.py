"""Other replacements for an edit, from the likeliest outputs of a sentence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import ADD_COLUMN, BLANK_COLUMN, KEEP_COLUMN, per_slot, token_of
from emendo.ctc.beam import Candidate, Hypothesis, search_beam
from emendo.inference.confidence import change_window
from emendo.labels import NO_LABEL
from emendo.text import EditedText, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.inference.confidence import Decoded
    from emendo.text import Edit, TextTokenizer

    Floats = NDArray[np.floating]

WIDTH = 8
"""Outputs compared for each sentence."""
LEAST = math.log(0.03)
"""How likely an output must be for its words to be listed, against the likeliest: slots are filled
independently, so that less likely outputs mix words of several good ones (*was went*)."""


def with_alternatives(
    backend: Backend,
    tokenizer: TextTokenizer,
    decoded: Sequence[Decoded],
    output: NetworkOutput,
    three_way: Floats,
) -> list[EditedText]:
    """Return sentences whose edits list other replacements of the same span, likeliest first."""
    windows = [
        change_window(each.path, len(each.source), backend.alphabet.upsampling) for each in decoded
    ]
    found = beam_outputs(backend, decoded, windows, output, three_way, width=WIDTH)
    return [
        _listed(
            each.edited,
            [
                render(tokenizer, each.source, other.output.labels, other.output.origins)
                for other in _likely(outputs)
            ],
        )
        for each, outputs in zip(decoded, found, strict=True)
    ]


def beam_outputs(
    backend: Backend,
    decoded: Sequence[Decoded],
    windows: Sequence[NDArray[np.int64]],
    output: NetworkOutput,
    three_way: Floats,
    *,
    width: int,
) -> list[list[Hypothesis]]:
    """Return the likeliest outputs of each sentence, best first.

    Args:
        backend: Looks up words.
        decoded: Sentences of one batch.
        windows: The slots of each sentence at which words are looked up; elsewhere only KEEP and
            BLANK emit.
        output: The network's output for the batch.
        three_way: [B, S, 3] log-probabilities, without any bias.
        width: Outputs compared for each sentence.
    """
    T = backend.alphabet.upsampling
    S = three_way.shape[1]
    rows = np.concatenate(
        [each.row * S + window for each, window in zip(decoded, windows, strict=True)]
    )
    keep_ids = [per_slot(each.source.keep_ids, T) for each in decoded]
    own = np.concatenate([ids[window] for ids, window in zip(keep_ids, windows, strict=True)])
    states = output.states.reshape(-1, output.states.shape[-1])[rows]
    words = backend.look_up(states, own[:, None])
    results, done = [], 0
    for each, window, ids in zip(decoded, windows, keep_ids, strict=True):
        part = slice(done, done + len(window))
        done += len(window)
        candidates = _candidates(
            three_way[each.row, : len(ids)],
            ids,
            T,
            window,
            words.top_ids[part],
            words.top_scores[part],
            words.label_scores[part, 0],
        )
        blank = three_way[each.row, : len(ids), BLANK_COLUMN].tolist()
        results.append(search_beam(blank, candidates, width=width))
    return results


def _likely(found: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Leave out outputs that are far less likely than the first."""
    return [each for each in found if each.score >= found[0].score + LEAST]


def _candidates(
    three_way: Floats,
    keep_ids: NDArray[np.int64],
    T: int,
    window: NDArray[np.int64],
    top_ids: NDArray[np.int64],
    top_scores: Floats,
    own_scores: Floats,
) -> list[list[Candidate]]:
    """Return the candidates of each slot: its own token, and in the window a few words."""
    place = {slot: number for number, slot in enumerate(window.tolist())}
    result = []
    for slot, own in enumerate(keep_ids.tolist()):
        keep, add = float(three_way[slot, KEEP_COLUMN]), float(three_way[slot, ADD_COLUMN])
        number = place.get(slot)
        if own != NO_LABEL and number is not None:
            keep = float(np.logaddexp(keep, add + own_scores[number]))
        found = [] if own == NO_LABEL else [Candidate(own, keep, token_of(slot, T))]
        if number is not None:
            found += [
                Candidate(token, add + score, -1)
                for token, score in zip(
                    top_ids[number].tolist(), top_scores[number].tolist(), strict=True
                )
                if token != own
            ]
        result.append(found)
    return result


def _listed(edited: EditedText, others: Sequence[EditedText]) -> EditedText:
    """Collect what other outputs have in place of each edit."""

    def list_for(edit: Edit) -> tuple[str, ...]:
        found = dict.fromkeys(
            text for other in others if (text := other.in_place_of(edit)) is not None
        )
        found.pop(edit.replacement, None)
        # Not changing the text is always possible, so it is not listed.
        found.pop(edited.source[edit.start : edit.end], None)
        return tuple(found)

    return EditedText(
        edited.source,
        tuple(replace(edit, alternatives=list_for(edit)) for edit in edited.edits),
    )
