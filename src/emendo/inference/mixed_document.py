"""A text whose paragraphs are read by different editors."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from emendo.text import EditedText
from emendo.text.edits import least_confidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from emendo.inference.document import Document, Sentence
    from emendo.text import Edit
    from emendo.text.annotated_text import AnnotatedText
    from emendo.text.segmentation import Span


class Line(NamedTuple):
    """A line, and the number of the editor that reads it: two may read the same differently."""

    text: str
    model: int


class ModelSentence(NamedTuple):
    """A sentence, and the number of the editor that reads it."""

    model: int
    sentence: Sentence

    @property
    def start(self) -> int:
        """Where it starts in the text, without markup."""
        return self.sentence.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.sentence.end

    @property
    def lines(self) -> list[Line]:
        """What the network reads of it."""
        return [Line(line, self.model) for line in self.sentence.lines]


class MixedDocument:
    """A text and its sentences, in the order of the text."""

    def __init__(self, documents: Sequence[Document], languages: Sequence[str]) -> None:
        """Join what editors have read.

        Args:
            documents: What each has read; no sentence is in two of them.
            languages: The language of each editor, in which its edits are explained.
        """
        self._documents = documents
        self._languages = languages

    @property
    def source(self) -> AnnotatedText:
        """The text and its plain reading."""
        return self._documents[0].source

    @cached_property
    def sentences(self) -> tuple[ModelSentence, ...]:
        """The sentences to edit."""
        found = [
            ModelSentence(model, sentence)
            for model, document in enumerate(self._documents)
            for sentence in document.sentences
        ]
        if sum(bool(document.sentences) for document in self._documents) > 1:
            found.sort(key=lambda each: each.start)
        return tuple(found)

    @property
    def lines(self) -> list[Line]:
        """The lines that the networks read, each once."""
        return list(dict.fromkeys(line for each in self.sentences for line in each.lines))

    @property
    def main_model(self) -> int:
        """The number of the editor that reads most characters; the first if none reads any."""
        sizes = [sum(s.end - s.start for s in each.sentences) for each in self._documents]
        return sizes.index(max(sizes))

    def language(self, sentence: ModelSentence) -> str:
        """Return the language of the editor that reads a sentence; "" if it has none."""
        return self._languages[sentence.model]

    def span(self, sentence: ModelSentence) -> Span:
        """Return the place of a sentence in the text, with its markup."""
        return self.source.place(sentence.start, sentence.end)

    def language_at(self, position: int) -> str | None:
        """Return the language of the sentence around a position of the plain reading, if any."""
        k = bisect_right(self.sentences, position, key=lambda each: each.start) - 1
        if k < 0 or self.sentences[k].end < position:
            return None
        return self.language(self.sentences[k])

    def place(self, edits: Mapping[Line, tuple[Edit, ...]]) -> EditedText:
        """Apply the edits of its lines to the text."""
        found = tuple(edit for _, each in self.placed(edits) for edit in each)
        return EditedText(self.source.whole, found, least_confidence(found))

    def placed(
        self, edits: Mapping[Line, tuple[Edit, ...]]
    ) -> Iterator[tuple[ModelSentence, tuple[Edit, ...]]]:
        """Yield each sentence with its edits in the text."""
        for each in self.sentences:
            yield each, self.place_sentence(each, edits)

    def place_sentence(
        self, sentence: ModelSentence, edits: Mapping[Line, tuple[Edit, ...]]
    ) -> tuple[Edit, ...]:
        """Return a sentence's edits in the text, without forbidden ones."""
        own = {line.text: edits[line] for line in sentence.lines}
        return self._documents[sentence.model].place_sentence(sentence.sentence, own)

    def untouchable(self) -> list[tuple[int, int]]:
        """Return the spans that no edit touches: markup and protected text."""
        return self._documents[0].untouchable()
