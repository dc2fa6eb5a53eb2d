"""The method by brute force and plain loops: slow, short, and the reference for all tests.

All functions read one sentence's `table`, [S, V+2] log-probabilities with the columns of
`Alphabet.columns`.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import BLANK, KEEP, Alphabet, count_slots, token_of
from emendo.ctc.collapse import collapse
from emendo.labels import NO_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Labels = tuple[int, ...]
    Table = NDArray[np.floating]


@lru_cache(maxsize=512)
def paths_by_output(
    alphabet: Alphabet, keep_ids: tuple[int, ...]
) -> dict[Labels, NDArray[np.int64]]:
    """Enumerate every path of a source and group them by their output.

    Args:
        alphabet: The symbols.
        keep_ids: [N] the label KEEP stands for.

    Returns:
        For each reachable output, the [paths, S] that denote it.
    """
    symbols = [*range(alphabet.vocab_size), KEEP, BLANK]
    found: dict[Labels, list[tuple[int, ...]]] = {}
    for path in itertools.product(symbols, repeat=count_slots(len(keep_ids), alphabet.upsampling)):
        output = collapse(path, keep_ids, alphabet.upsampling)
        if output is not None:
            found.setdefault(output.labels, []).append(path)
    return {labels: np.array(paths, dtype=np.int64) for labels, paths in found.items()}


def enumerated_log_likelihood(
    table: Table, keep_ids: Sequence[int], labels: Sequence[int], alphabet: Alphabet
) -> float:
    """Return log P(labels | source) as the sum over all paths (equation 2)."""
    paths = paths_by_output(alphabet, tuple(keep_ids)).get(tuple(labels))
    if paths is None:
        return float("-inf")
    scores = table[np.arange(len(table)), alphabet.columns(paths)].sum(axis=-1)
    return float(np.logaddexp.reduce(scores))


def enumerated_best_score(
    table: Table, keep_ids: Sequence[int], labels: Sequence[int], alphabet: Alphabet
) -> float:
    """Return the score of the best folded path that denotes the labels."""
    paths = paths_by_output(alphabet, tuple(keep_ids)).get(tuple(labels))
    if paths is None:
        return float("-inf")
    slot_labels = alphabet.slot_keep_ids(np.array(keep_ids))
    resolved = np.where(paths == KEEP, slot_labels, paths)
    return max(
        sum(folded_emission(table, keep_ids, alphabet, s, label) for s, label in enumerate(path))
        for path in {tuple(path) for path in resolved.tolist()}
    )


def folded_emission(
    table: Table, keep_ids: Sequence[int], alphabet: Alphabet, slot: int, label: int
) -> float:
    """Return log P'(label at slot): the token's own mass and KEEP's, where KEEP gives it."""
    if label == BLANK:
        return float(table[slot, alphabet.vocab_size + 1])
    own = table[slot, label] if label < alphabet.vocab_size else -np.inf
    keep_id = keep_ids[token_of(slot, alphabet.upsampling)]
    if label != keep_id or keep_id == NO_LABEL:
        return float(own)
    return float(np.logaddexp(own, table[slot, alphabet.vocab_size]))


def forward_log_likelihood(
    table: Table, keep_ids: Sequence[int], labels: Sequence[int], alphabet: Alphabet
) -> float:
    """Return log P(labels | source) by the forward recursion, one cell at a time."""
    states = _states(labels)
    score = _start(states)
    for slot in range(len(table)):
        last, score = score, []
        for state, label in enumerate(states):
            before = np.logaddexp.reduce([last[k] for k in _before(states, state)])
            score.append(before + folded_emission(table, keep_ids, alphabet, slot, label))
    return float(np.logaddexp.reduce(score[-2:]))


def viterbi(
    table: Table, keep_ids: Sequence[int], labels: Sequence[int], alphabet: Alphabet
) -> tuple[float, list[int] | None]:
    """Return the score and the labels, slot by slot, of the best folded path, if there is one."""
    states = _states(labels)
    score = _start(states)
    came_from: list[list[int]] = []
    for slot in range(len(table)):
        last, score = score, []
        came_from.append([])
        for state, label in enumerate(states):
            before = max(_before(states, state), key=lambda k: last[k])
            came_from[slot].append(before)
            score.append(last[before] + folded_emission(table, keep_ids, alphabet, slot, label))
    ends = range(len(states))[-2:]
    state = max(ends, key=lambda k: score[k])
    best = float(score[state])
    if best == -np.inf:
        return best, None
    path: list[int] = []
    for slot in reversed(range(len(table))):
        path.append(states[state])
        state = came_from[slot][state]
    return best, path[::-1]


def greedy(table: Table, keep_ids: Sequence[int], alphabet: Alphabet) -> list[int]:
    """Return the best label of every slot over folded emissions, with no shortcut."""
    path: list[int] = []
    for slot in range(len(table)):
        keep_id = keep_ids[token_of(slot, alphabet.upsampling)]
        labels = {BLANK, *range(alphabet.vocab_size)} | ({keep_id} - {NO_LABEL})
        path.append(max(labels, key=lambda x: folded_emission(table, keep_ids, alphabet, slot, x)))
    return path


def _states(labels: Sequence[int]) -> list[int]:
    """Return the states of the recursion: a blank before, between and after the labels."""
    return [BLANK, *itertools.chain.from_iterable((label, BLANK) for label in labels)]


def _start(states: list[int]) -> list[float]:
    """Return the scores before the first slot, where all mass is in state 0."""
    return [-np.inf if state else 0.0 for state in range(len(states))]


def _before(states: list[int], state: int) -> list[int]:
    """Return the states that may come before a state; the first label is one step from state 0."""
    before = [state, state - 1] if state else [0]
    if state > 1 and states[state] not in (BLANK, states[state - 2]):
        before.append(state - 2)
    return before
