"""Unknown words: a list offers similar known words, and the network chooses by the context.

The list has no context, and the network writes words in pieces, so it may cut "vilage" to
"v". A candidate c for a word of the sentence x is rated by

    gain(c) = log P(x with c | x) - log P(x | x)
    ease(c) = log P(w with c | w with c) - log P(w | w)

and by its letters. The gain shows how likely the network is to write c. The ease shows how likely
it is to leave c unchanged. w is a window of x, the words near c: each candidate needs a pass over
it. docs/decisions/0023-unknown-words.md has the figures.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from emendo.ctc.alphabet import slots_of
from emendo.inference.likelihoods import Question, likelihoods
from emendo.text import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.text import EditedText, SourceTokens, TextTokenizer
    from emendo.text.near_words import NearWords, UnknownWord

# Tokens on each side of a word at whose slots it can be written.
_REACH = 1
# Candidates of a word for which the ease is computed, a short pass each: at most this many, and
# none whose rank without the ease is this far below the best.
_READ, _FAR = 4, 7.0
# The window: at most this many words and characters on each side.
_WORDS_BESIDE, _CHARACTERS_BESIDE = 6, 48
_WORD = re.compile(r"\S+")
_PLURAL = re.compile("e?s")
# One letter weighs as much as this much gain.
_LETTER = 3.0
_LEAST_GAIN = -30.0
# Corrections below this are not made.
_LEAST = 0.3
# The usual weights of the inputs of a confidence, fitted by experiments/unknown_words.py.
_WEIGHTS = (1.7, 0.19, 0.32, 0.21, -1.63, -1.07, -2.27)


@dataclass(frozen=True)
class Candidate:
    """A word in place of an unknown one."""

    text: str
    letters: int
    """How many are between them."""
    gain: float
    ease: float = 0.0

    @property
    def rank(self) -> float:
        """Orders the candidates of a word."""
        return self.gain + 2 * self.ease - _LETTER * self.letters

    def inputs(self, unknown: str) -> list[float]:
        """Return the values that determine its confidence for an unknown word."""
        # Many words that are in no list are right: compounds, and plurals of listed words.
        is_split = " " in self.text
        old, new = unknown.lower(), self.text.lower()
        is_singular = old.startswith(new) and _PLURAL.fullmatch(old, len(new)) is not None
        return [
            1.0,
            min(max(self.gain, -30.0), 5.0),
            min(max(self.ease, -5.0), 15.0),
            float(min(len(unknown) - 7, 4)),
            float(self.letters),
            float(is_split),
            float(is_singular),
        ]

    def confidence(self, unknown: str, weights: Sequence[float] = _WEIGHTS) -> float:
        """Return the probability that it is the intended word."""
        odds = sum(map(mul, weights, self.inputs(unknown)))
        return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True)
class Doubt:
    """An unknown word of a text, and its candidates."""

    text: str
    word: UnknownWord
    candidates: tuple[Candidate, ...]
    weights: tuple[float, ...] = _WEIGHTS
    """Of the inputs of a confidence."""

    @cached_property
    def readings(self) -> list[str]:
        """The window as it is, and with each candidate in place of the word."""
        word, end = self.word, self.word.end
        starts = [found.start() for found in _WORD.finditer(self.text, 0, word.start)]
        first = min(
            (k for k in starts[-_WORDS_BESIDE:] if k >= word.start - _CHARACTERS_BESIDE),
            default=word.start,
        )
        ends = [found.end() for found in islice(_WORD.finditer(self.text, end), _WORDS_BESIDE)]
        last = max((k for k in ends if k <= end + _CHARACTERS_BESIDE), default=end)
        before, after = self.text[first : word.start], self.text[end:last]
        old = self.text[word.start : end]
        return [before + new + after for new in (old, *(each.text for each in self.candidates))]

    def settle(self, likelihoods: Sequence[float]) -> Edit | None:
        """Return the best correction, unless the word stays.

        Args:
            likelihoods: The log-likelihood of each reading that it stays unchanged.
        """
        now, *then = likelihoods
        rated = (
            replace(each, ease=likelihood - now)
            for each, likelihood in zip(self.candidates, then, strict=True)
        )
        best = max(rated, key=lambda candidate: candidate.rank)
        old = self.text[self.word.start : self.word.end]
        confidence = best.confidence(old, self.weights)
        if confidence < _LEAST:
            return None
        return Edit(
            self.word.start, self.word.end, best.text, confidence=confidence, is_listed=True
        )


def doubts(
    backend: Backend,
    tokenizer: TextTokenizer,
    near: NearWords,
    sources: Sequence[SourceTokens],
    edited: Sequence[EditedText],
    output: NetworkOutput,
    three_way: NDArray[np.floating],
) -> Iterator[Doubt]:
    """Yield the unknown words of a batch, with rated candidates.

    Args:
        backend: Looks up words.
        tokenizer: Reads the texts with candidates.
        near: Finds unknown words and candidates.
        sources: The sentences of the batch.
        edited: The network's edits of them; its own words are candidates, too.
        output: The network's output for the batch.
        three_way: [B, S, 3] log-probabilities, without any bias.
    """
    questions, words = [], []
    for row, source in enumerate(sources):
        for word in near.unknown(source.text):
            offered = dict(word.near)
            own = edited[row].in_place_of(Edit(word.start, word.end, ""))
            # With a space it is several words, which the list offers together.
            if own and own == own.strip() and own in near.known:
                old = source.text[word.start : word.end]
                offered.setdefault(own, near.distance(old, own))
            before, after = source.text[: word.start], source.text[word.end :]
            texts = [source.text, *(before + text + after for text in offered)]
            targets = tokenizer.encode_targets(texts, [source] * len(texts))
            slots = _slots_at(source, word.start, word.end, backend.alphabet.upsampling)
            questions.append(Question(row, source, [target.labels for target in targets], slots))
            words.append((word, offered))
    if not questions:
        return
    found = likelihoods(backend, questions, output, three_way)
    for question, (word, offered), (now, *then) in zip(questions, words, found, strict=True):
        candidates = (
            Candidate(text, letters, likelihood - now)
            for (text, letters), likelihood in zip(offered.items(), then, strict=True)
        )
        likely = [each for each in candidates if each.gain > _LEAST_GAIN]
        likely.sort(key=lambda candidate: -candidate.rank)
        near_best = [each for each in likely[:_READ] if each.rank >= likely[0].rank - _FAR]
        if near_best:
            text = question.source.text
            yield Doubt(text, word, tuple(near_best), near.weights or _WEIGHTS)


def kept_likelihoods(
    backend: Backend,
    tokenizer: TextTokenizer,
    sources: Sequence[SourceTokens],
    output: NetworkOutput,
    three_way: NDArray[np.floating],
) -> list[float]:
    """Return the likelihoods that sentences of a batch stay unchanged."""
    targets = tokenizer.encode_targets([source.text for source in sources], sources)
    nowhere = np.zeros(0, dtype=np.int64)
    questions = [
        Question(row, source, [target.labels], nowhere)
        for row, (source, target) in enumerate(zip(sources, targets, strict=True))
    ]
    return [found for (found,) in likelihoods(backend, questions, output, three_way)]


def _slots_at(source: SourceTokens, start: int, end: int, upsampling: int) -> NDArray[np.int64]:
    """Return the slots of the tokens that make up a span, and of those beside it."""
    # The view has a virtual space instead of the text's outer white space.
    shift = 1 - source.lead
    is_inside = (source.unit_spans[:, 0] < end + shift) & (start + shift < source.unit_spans[:, 1])
    # Edges belong to no unit.
    inside = np.flatnonzero((source.unit >= 0) & is_inside[source.unit]).tolist()
    first, last = max(inside[0] - _REACH, 0), min(inside[-1] + _REACH, len(source) - 1)
    return slots_of(first, last + 1, upsampling)
