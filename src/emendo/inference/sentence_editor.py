"""Edits sentences: prepare, run, finish, and repeat until nothing changes.

This is the only place that uses both text and probabilities. It works with any engine.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from emendo.bundle.levels import EVERYTHING, Level
from emendo.ctc import collapse, greedy_paths
from emendo.ctc.alphabet import count_slots
from emendo.errors import ConfigError, ServerError
from emendo.inference.alignment import align
from emendo.inference.alternatives import with_alternatives
from emendo.inference.backend import Batch
from emendo.inference.calibration import Calibration
from emendo.inference.confidence import Decoded, with_confidence
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.inference.spelling import doubts, kept_likelihoods
from emendo.inference.steps import run_steps
from emendo.inference.text_types import check_texts
from emendo.languages import DEFAULT_LANGUAGE, load_language
from emendo.text import EditedText, edit_type, render
from emendo.text.edits import least_confidence
from emendo.text.near_words import NearWords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from emendo.inference.alignment import Alignment
    from emendo.inference.backend import Backend, NetworkOutput
    from emendo.inference.spelling import Doubt
    from emendo.inference.steps import Steps
    from emendo.text import Edit, SourceTokens, TextTokenizer
    from emendo.text.known_words import KnownWords
    from emendo.text.misspellings import Misspellings
    from emendo.text.segmentation import Span

_logger = logging.getLogger(__name__)

# The limit of a batch for sentences times the square of the longest one's tokens, with which the
# memory of attention grows. One long piece may reach it, short sentences never do.
_MAX_SQUARE = 192 * 192
# Used as a key in place of a bias, for texts with their unknown words corrected.
_SPELLING = math.inf


class SentenceEditor:
    """Edits sentences with a network."""

    def __init__(  # noqa: PLR0913 - each has a default
        self,
        backend: Backend,
        tokenizer: TextTokenizer,
        *,
        rounds: int = 2,
        batch_tokens: int = 4096,
        confidences: bool = True,
        alternatives: bool = False,
        language: str = DEFAULT_LANGUAGE,
        misspellings: Misspellings | None = None,
        known_words: KnownWords | None = None,
        calibration: Calibration | None = None,
        together: bool = False,
        on_batch: Callable[[Batch], object] | None = None,
    ) -> None:
        """Combine a network and its tokenizer.

        Args:
            backend: Runs the network.
            tokenizer: The network's own.
            rounds: How often a sentence may be edited; it is finished earlier if a round
                changes nothing.
            batch_tokens: Source tokens in one batch, including padding.
            confidences: Whether edits have a confidence; a level with a threshold needs it.
            alternatives: Whether edits list other replacements; the backend must look up more
                than one word for a slot.
            language: The language for the types of edits.
            misspellings: Corrected first, if the level's thresholds allow it; the network
                reads the result and does not change those words.
            known_words: The words that the network may write in addition to those of the
                sentence; edits with others are not made. Unknown words of the sentence are
                corrected to similar known words that the network rates as likely.
            calibration: Maps the network's confidences to the share of such edits that are right.
            together: Whether the edits of a text are made together or not at all. All of them
                then have the confidence of the whole output.
            on_batch: Called with each batch before it is run, for statistics.
        """
        if rounds < 1:
            raise ConfigError(f"rounds is {rounds}; it must be at least 1")
        self._backend = backend
        self._tokenizer = tokenizer
        self._rounds = rounds
        self._batch_tokens = batch_tokens
        self._confidences = confidences
        self._alternatives = alternatives
        self._language = language
        self._misspellings = misspellings
        self._known_words = known_words
        self._near_words = _near_words(known_words, language) if known_words else None
        self._calibration = calibration or Calibration()
        self._together = together
        self.on_batch = on_batch

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that the network reads at once."""
        return self._backend.max_tokens

    def count_tokens(self, sentence: str) -> int:
        """Return the source tokens of a sentence, edges included."""
        return len(self._tokenizer.encode(sentence))

    def align(self, sentence: str) -> Alignment:
        """Return the alignment of one pass over a sentence."""
        return align(self._backend, self._tokenizer, sentence)

    def edit_sentences(
        self, sentences: Sequence[str], level: Level = EVERYTHING
    ) -> list[EditedText]:
        """Edit sentences, each on its own and without splitting.

        In a sentence longer than the network can read, only known misspellings are corrected, with
        a warning in the log.

        Args:
            sentences: Any number of them.
            level: The level; by default every edit of the best path is made.
        """
        return self.edit_at_levels(sentences, [level])[0]

    def edit_at_levels(
        self,
        sentences: Sequence[str],
        levels: Sequence[Level],
        known: dict[tuple[float, str], EditedText] | None = None,
    ) -> list[list[EditedText]]:
        """Edit sentences at several levels; a text that occurs at several of them is run once.

        Args:
            sentences: As for `edit_sentences`.
            levels: Any number of them.
            known: The results of one round by text and bias from earlier calls; this call adds
                its own.

        Returns:
            The result of `edit_sentences` for each level.
        """
        return run_steps(self.steps_at_levels(sentences, levels, known))

    def steps_at_levels(
        self,
        sentences: Sequence[str],
        levels: Sequence[Level],
        known: dict[tuple[float, str], EditedText] | None = None,
    ) -> Steps[list[list[EditedText]]]:
        """Do the work of `edit_at_levels` in steps."""
        check_texts(sentences)
        if not self._confidences and any(level.needs_confidences for level in levels):
            raise ConfigError("a level with thresholds needs confidences")
        # The only part of a level that affects the network; thresholds are applied to its edits.
        biases = list(dict.fromkeys(level.keep_bias for level in levels))
        known = {} if known is None else known
        spelt = yield from self._spelt(sentences, biases, known)
        results = [[self._filtered(level, each) for each in spelt] for level in levels]
        # For these words, the lists are more reliable than the network, even if the level leaves
        # out their corrections: without this, the network may write "us" for "weckend".
        settled = [
            [_settled(made, whole) for made, whole in zip(found, spelt, strict=True)]
            for found in results
        ]
        pending = [list(range(len(spelt))) for _ in levels]
        for _ in range(self._rounds):
            wanted = (
                found[k].text for found, rows in zip(results, pending, strict=True) for k in rows
            )
            missing = [
                text
                for text in dict.fromkeys(wanted)
                if any((bias, text) not in known for bias in biases)
            ]
            for bias, edited in zip(
                biases, (yield from self._edit_once(missing, biases)), strict=True
            ):
                known.update(((bias, each.source), each) for each in edited)
            for n, (level, found) in enumerate(zip(levels, results, strict=True)):
                later = {
                    k: self._later(
                        level, found[k], known[level.keep_bias, found[k].text], settled[n][k]
                    )
                    for k in pending[n]
                }
                for k, each in later.items():
                    found[k] = found[k].then(each)
                    settled[n][k] = each.moved(settled[n][k])
                # Another round would not change a sentence at a fixed point.
                pending[n] = [k for k, each in later.items() if each.edits]
            if not any(pending):
                break
        return [[self._typed(edited) for edited in found] for found in results]

    def _later(
        self, level: Level, before: EditedText, proposed: EditedText, settled: Sequence[Span]
    ) -> EditedText:
        """Return the edits of a round that a level makes.

        Args:
            level: The level.
            before: The edits of earlier rounds, and of the lists of words.
            proposed: The edits that the network proposes in this round.
            settled: Places that stay as they are.
        """
        if not proposed.edits:
            return proposed
        able = proposed.beside(settled).edits
        others = _beside(before, proposed, able) if level.support else None
        return self._filtered(level, proposed, others).beside(settled)

    def _filtered(
        self, level: Level, edited: EditedText, others: Sequence[float] | None = None
    ) -> EditedText:
        """Leave out the edits that a level does not make."""
        made = level.filter(edited, others)
        is_partial = len(made.edits) < len(edited.edits)
        return EditedText(edited.source) if self._together and is_partial else made

    def _spelt(
        self,
        sentences: Sequence[str],
        biases: Sequence[float],
        known: dict[tuple[float, str], EditedText],
    ) -> Steps[list[EditedText]]:
        """Correct known misspellings, then unknown words."""
        spell = self._misspellings.correct if self._misspellings else EditedText
        spelt = [self._typed(spell(sentence)) for sentence in sentences]
        if not self._near_words:
            return spelt
        new = dict.fromkeys(e.text for e in spelt if (_SPELLING, e.text) not in known)
        known.update((yield from self._respelt(list(new), biases, known)))
        return [each.then(known[_SPELLING, each.text]) for each in spelt]

    def _respelt(
        self,
        texts: Sequence[str],
        biases: Sequence[float],
        known: dict[tuple[float, str], EditedText],
    ) -> Steps[dict[tuple[float, str], EditedText]]:
        """Return texts with their unknown words corrected; the network's results are then known."""
        assert self._near_words
        unsure: list[Doubt] = []
        doubtful = [text for text in texts if any(True for _ in self._near_words.unknown(text))]
        for members, batch in self._batches(doubtful):
            yield
            output = self._run(batch)
            for bias in biases:
                finished = self.finish(members, batch, output, bias)
                known.update(((bias, each.source), each) for each in finished)
            three_way = self._three_way(batch, output)
            # Without a bias, whatever the levels are: all of them share the result.
            own = [each.edited for each in self._decode(members, batch, output, 0.0)]
            unsure += doubts(
                self._backend, self._tokenizer, self._near_words, members, own, output, three_way
            )
        # Each reading once, even if several words and candidates lead to it.
        asked = dict.fromkeys(reading for doubt in unsure for reading in doubt.readings)
        kept: dict[str, float] = {}
        for members, batch in self._batches(list(asked)):
            yield
            output = self._run(batch)
            three_way = self._three_way(batch, output)
            found = kept_likelihoods(self._backend, self._tokenizer, members, output, three_way)
            kept.update(zip((source.text for source in members), found, strict=True))
        edits: dict[str, list[Edit]] = {text: [] for text in texts}
        for doubt in unsure:
            # A reading longer than the network can read was not run.
            if all(reading in kept for reading in doubt.readings):
                edit = doubt.settle([kept[reading] for reading in doubt.readings])
                edits[doubt.text] += [edit] if edit else []
        return {
            (_SPELLING, text): self._calibrated(
                EditedText(text, tuple(found), least_confidence(found))
            )
            for text, found in edits.items()
        }

    def _typed(self, edited: EditedText) -> EditedText:
        """Name the kind of every edit."""
        return replace(
            edited,
            edits=tuple(
                replace(edit, type=edit_type(edited.source, edit, language=self._language))
                for edit in edited.edits
            ),
        )

    def _edit_once(
        self, texts: Sequence[str], biases: Sequence[float]
    ) -> Steps[list[list[EditedText]]]:
        """Edit texts in one round, with each of several biases."""
        results = [{text: EditedText(text) for text in texts} for _ in biases]
        for members, batch in self._batches(texts):
            yield
            output = self._run(batch)
            for bias, found in zip(biases, results, strict=True):
                finished = self.finish(members, batch, output, bias)
                found.update((edited.source, edited) for edited in finished)
        return [[found[text] for text in texts] for found in results]

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[SourceTokens], Batch]]:
        """Yield batches of texts of similar length."""
        sources = self._tokenizer.encode_many(texts)
        for chosen in self._grouped(sources):
            members = [sources[k] for k in chosen]
            yield members, self.prepare(members)

    def _run(self, batch: Batch) -> NetworkOutput:
        if self.on_batch:
            self.on_batch(batch)
        return self._backend.run(batch)

    def _grouped(self, sources: Sequence[SourceTokens]) -> Iterator[list[int]]:
        """Group sentences of similar length, to reduce padding."""
        readable = [k for k, source in enumerate(sources) if source.is_readable]
        order = sorted(readable, key=lambda k: len(sources[k]))
        while order and len(sources[order[-1]]) > self._backend.max_tokens:
            _logger.warning(
                "a sentence of %d tokens is not changed: the network reads at most %d at once",
                len(sources[order.pop()]),
                self._backend.max_tokens,
            )
        batch: list[int] = []
        for k in order:
            tokens = (len(batch) + 1) * len(sources[k])
            if batch and (tokens > self._batch_tokens or tokens * len(sources[k]) > _MAX_SQUARE):
                yield batch
                batch = []
            batch.append(k)
        if batch:
            yield batch

    def prepare(self, sources: Sequence[SourceTokens]) -> Batch:
        """Pad sentences into a batch for the backend."""
        return Batch.of(sources, self._tokenizer.pad_id)

    def finish(
        self,
        sources: Sequence[SourceTokens],
        batch: Batch,
        output: NetworkOutput,
        keep_bias: float = 0.0,
    ) -> list[EditedText]:
        """Turn the network's output into edits."""
        decoded = list(self._decode(sources, batch, output, keep_bias))
        results = [each.edited for each in decoded]
        changed = [each for each in decoded if each.edited.edits]
        if changed and self._confidences:
            for each, edited in zip(changed, self._weighed(changed, batch, output), strict=True):
                results[each.row] = edited
        for each in changed:
            results[each.row] = self._allowed(results[each.row])
        return results

    def _decode(
        self,
        sources: Sequence[SourceTokens],
        batch: Batch,
        output: NetworkOutput,
        keep_bias: float,
    ) -> Iterator[Decoded]:
        """Yield the best path of each sentence, and its edits without confidences."""
        upsampling = self._backend.alphabet.upsampling
        scores = score_slots(self._backend, batch, output, keep_bias=keep_bias)
        for row, (source, path) in enumerate(zip(sources, greedy_paths(scores), strict=True)):
            slots = path[: count_slots(len(source), upsampling)]
            found = collapse(slots.tolist(), source.keep_ids.tolist(), upsampling)
            if found is None:
                raise ServerError("the backend kept a token that KEEP cannot copy")
            edited = render(
                self._tokenizer, source, found.labels, found.origins, together=self._together
            )
            yield Decoded(source, slots, found.labels, edited, row)

    def _allowed(self, edited: EditedText) -> EditedText:
        """Leave out edits with unknown words, and type and calibrate the others."""
        if self._known_words:
            edited = self._known_words.only_words(edited)
        return self._calibrated(edited)

    def _calibrated(self, edited: EditedText) -> EditedText:
        edited = self._typed(edited)
        if not self._confidences:
            return edited
        return replace(edited, edits=tuple(map(self._calibration.apply, edited.edits)))

    def _three_way(self, batch: Batch, output: NetworkOutput) -> NDArray[np.floating]:
        """Return [B, S, 3] log P of KEEP, BLANK and ADD, without any bias."""
        slot_keep_ids = self._backend.alphabet.slot_keep_ids(batch.keep_ids)
        return three_way_log_probs(output.three_way, slot_keep_ids)

    def _weighed(
        self, changed: Sequence[Decoded], batch: Batch, output: NetworkOutput
    ) -> list[EditedText]:
        """Add confidences to the edits, and other replacements if requested."""
        three_way = self._three_way(batch, output)
        # Another word in one place could leave half a fusion.
        if self._alternatives and not self._together:
            listed = with_alternatives(self._backend, self._tokenizer, changed, output, three_way)
            changed = [
                replace(each, edited=edited) for each, edited in zip(changed, listed, strict=True)
            ]
        return with_confidence(
            self._backend,
            self._tokenizer,
            changed,
            output,
            three_way,
            together=self._together,
        )


def _beside(before: EditedText, proposed: EditedText, able: Sequence[Edit]) -> list[float]:
    """Return, for each proposed edit, the sum of the confidences of the other edits.

    Args:
        before: The edits that were made, but an edit that revises one of them is no second mistake.
        proposed: The edits of this round.
        able: Those that can be made.
    """
    made = list(zip(before.written(), before.edits, strict=True))
    return [
        sum(other.confidence for other in able if other is not edit)
        + sum(
            other.confidence
            for (start, end), other in made
            if not (edit.start < end and start < edit.end)
        )
        for edit in proposed.edits
    ]


def _settled(made: EditedText, whole: EditedText) -> list[Span]:
    """Return the places of all corrections, made or left out, in a text with those made."""
    left_out = [(edit.start, edit.end) for edit in whole.edits if edit not in made.edits]
    return [*made.written(), *made.moved(left_out)]


def _near_words(known: KnownWords, code: str) -> NearWords:
    language = load_language(code)
    return NearWords(
        known,
        nouns_have_capitals=language.nouns_have_capitals,
        compound_links=language.compound_links,
        letters=language.letters,
        weights=language.candidate_weights,
    )
