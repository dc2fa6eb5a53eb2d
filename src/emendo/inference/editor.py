"""A document in, its edits out: sentence by sentence, around everything that is not to be touched.

Each sentence is read as one line, whatever its line breaks; edits are laid back onto the document,
and those that touch a protected span or a line break are dropped. docs/explanation/documents.md
has the rules.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from emendo.bundle.format import BALANCED
from emendo.bundle.levels import EVERYTHING, Level
from emendo.errors import RequestError
from emendo.inference.sentence_cache import SentenceCache
from emendo.text import (
    EditedText,
    drop_protected,
    judge_language,
    protected_spans,
    split_long,
    split_sentences,
)
from emendo.text.segmentation import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from emendo.inference.alignment import Alignment
    from emendo.inference.sentence_editor import SentenceEditor
    from emendo.text import Edit
    from emendo.text.segmentation import Span

# How far from a cut the words beside it are looked for.
_WORD_REACH = 40
# Sentences between two reports of progress: many, so that batches are of like lengths.
_AT_ONCE = 512


class _Sentence(NamedTuple):
    """A sentence of a document, and the one line that the network reads of it."""

    start: int
    line: str
    breaks: tuple[int, ...]
    """Where in the line a space stands for a line break."""
    surplus: tuple[int, ...]
    """Characters of the document that the line lacks, up to and with each break."""
    pieces: tuple[Span, ...]
    """The parts of the line that the network reads at once."""

    def place(self, position: int) -> int:
        """Return where in the document a position of the line lies."""
        passed = bisect_left(self.breaks, position)
        return self.start + position + (self.surplus[passed - 1] if passed else 0)

    def fixed(self) -> Iterator[Span]:
        """Yield the spans of the document that hold the sentence together: its line breaks."""
        for k in self.breaks:
            yield self.place(k), self.place(k + 1)

    def seams(self) -> Iterator[Span]:
        """Yield the words on both sides of each cut.

        A piece looks like a sentence; the capital and the full stop that it seems to lack
        are none that the sentence lacks.
        """
        for (_, cut), _ in pairwise(self.pieces):
            before = self.line[max(0, cut - _WORD_REACH) : cut]
            after = self.line[cut : cut + _WORD_REACH]
            first = before.split()[-1] if before.strip() else before
            space = len(after) - len(after.lstrip())
            last = after.split()[0] if after.strip() else ""
            yield self.place(cut - len(first)), self.place(cut + space + len(last))


class Editor:
    """Edits whole documents, and single sentences, with one network."""

    def __init__(
        self,
        sentence_editor: SentenceEditor,
        *,
        languages: Collection[str] = ("en",),
        levels: Mapping[str, Level] | None = None,
        default_level: str = BALANCED,
        cache_size: int = 10_000,
    ) -> None:
        """Put an editor of sentences to work on documents.

        Args:
            sentence_editor: Edits the sentences.
            languages: Two-letter codes of the languages it knows; sentences in others are left
                as they are.
            levels: How willing it may be to change text, by name.
            default_level: The one that is taken unless another is asked for.
            cache_size: Sentences whose edits are remembered; 0 remembers none.
        """
        self._sentence_editor = sentence_editor
        self._languages = tuple(languages)
        self.levels: Mapping[str, Level] = levels or {BALANCED: EVERYTHING}
        self.default_level = default_level
        self._cache = SentenceCache(cache_size)
        self._level(default_level)

    def edit(
        self,
        text: str,
        *,
        level: str | Level | None = None,
        markdown: bool = False,
        dictionary: Collection[str] = (),
    ) -> EditedText:
        """Edit a document; only sentences that were not seen lately are run.

        Args:
            text: Of any length, with any line ends.
            level: A name among `levels` or a level of your own; by default the default one.
            markdown: Whether it is Markdown, with code and link targets that are never edited.
            dictionary: The user's own words, which are never edited.
        """
        return self.edit_many([text], level=level, markdown=markdown, dictionary=dictionary)[0]

    def edit_many(
        self,
        texts: Sequence[str],
        *,
        level: str | Level | None = None,
        markdown: bool = False,
        dictionary: Collection[str] = (),
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[EditedText]:
        """Edit documents, their sentences side by side.

        Args:
            texts: The documents.
            level: As for `edit`.
            markdown: As for `edit`.
            dictionary: As for `edit`.
            on_progress: Called now and then with the sentences done and those there are.
        """
        words = frozenset(dictionary)
        protected = [protected_spans(text, markdown=markdown, words=words) for text in texts]
        documents = [
            list(self._sentences(text, spans)) for text, spans in zip(texts, protected, strict=True)
        ]
        lines = dict.fromkeys(
            sentence.line[start:end]
            for sentences in documents
            for sentence in sentences
            for start, end in sentence.pieces
        )
        edits = self._edit_lines(lines, self._level(level), on_progress)
        return [
            drop_protected(EditedText(text, tuple(_placed(text, sentences, edits))), spans)
            for text, sentences, spans in zip(texts, documents, protected, strict=True)
        ]

    def edit_sentences(
        self, sentences: Sequence[str], *, level: str | Level | None = None
    ) -> list[EditedText]:
        """Edit sentences as they stand: nothing is split, protected, judged or remembered."""
        return self._sentence_editor.edit_sentences(sentences, self._level(level))

    def align(self, sentence: str) -> Alignment:
        """Return where each token of one pass over a sentence comes from."""
        return self._sentence_editor.align(sentence)

    def _level(self, level: str | Level | None) -> Level:
        if isinstance(level, Level):
            return level
        name = self.default_level if level is None else level
        if name not in self.levels:
            raise RequestError(f"there is no level {name!r}; there is {', '.join(self.levels)}")
        return self.levels[name]

    def _edit_lines(
        self,
        lines: Collection[str],
        level: Level,
        on_progress: Callable[[int, int], object] | None,
    ) -> dict[str, tuple[Edit, ...]]:
        known = self._cache.look_up(level, lines)
        missing = [line for line in lines if line not in known]
        for start in range(0, len(missing), _AT_ONCE):
            if on_progress:
                on_progress(len(known), len(lines))
            results = self._sentence_editor.edit_sentences(missing[start : start + _AT_ONCE], level)
            new = {edited.source: edited.edits for edited in results}
            self._cache.remember(level, new)
            known |= new
        if on_progress:
            on_progress(len(known), len(lines))
        return known

    def _sentences(self, text: str, protected: Sequence[Span]) -> Iterator[_Sentence]:
        """Yield the sentences of a document that are to be edited."""
        spans = split_sentences(text)
        prose = [_prose(text, span, protected) for span in spans]
        verdicts = [judge_language(words, self._languages) for words in prose]
        for (start, end), words, is_own in zip(spans, prose, _settled(verdicts), strict=True):
            if is_own and any(map(str.isalpha, words)):
                yield self._sentence(text, start, end)

    def _sentence(self, text: str, start: int, end: int) -> _Sentence:
        parts: list[str] = []
        breaks: list[int] = []
        surplus: list[int] = []
        done, length = start, 0
        for match in LINE_BREAK.finditer(text, start, end):
            parts += (text[done : match.start()], " ")
            length += match.start() - done
            breaks.append(length)
            length += 1
            done = match.end()
            surplus.append(done - start - length)
        line = "".join((*parts, text[done:end]))
        pieces: Sequence[Span] = ((0, len(line)),)
        # At most a token a byte, with a separator before each, and the edges: most need no count.
        most = 2 * len(line.encode("utf-8", "surrogatepass")) + 4
        if most > self._sentence_editor.max_tokens:
            pieces = split_long(
                line, self._sentence_editor.max_tokens, self._sentence_editor.count_tokens
            )
        return _Sentence(start, line, tuple(breaks), tuple(surplus), tuple(pieces))


def _prose(text: str, span: Span, protected: Sequence[Span]) -> str:
    """Return what of a sentence is not protected."""
    start, end = span
    k = bisect_left(protected, (start, start))
    if k and protected[k - 1][1] > start:
        k -= 1
    parts = []
    while k < len(protected) and protected[k][0] < end:
        parts.append(text[start : max(start, protected[k][0])])
        start = max(start, protected[k][1])
        k += 1
    parts.append(text[start:end])
    return " ".join(parts)


def _settled(verdicts: Sequence[bool | None]) -> list[bool]:
    """Decide for sentences whose language cannot be told: among strangers they are strangers."""
    ahead: list[bool | None] = []
    following: bool | None = None
    for verdict in reversed(verdicts):
        ahead.append(following)
        following = following if verdict is None else verdict
    settled = []
    before: bool | None = None
    for verdict, after in zip(verdicts, reversed(ahead), strict=True):
        sides = {side for side in (before, after) if side is not None}
        settled.append(sides != {False} if verdict is None else verdict)
        before = before if verdict is None else verdict
    return settled


def _placed(
    text: str, sentences: Sequence[_Sentence], edits: dict[str, tuple[Edit, ...]]
) -> Iterator[Edit]:
    """Yield the edits of sentences in the document, without those that cross a line or a cut."""
    for sentence in sentences:
        found = tuple(
            replace(
                edit,
                start=sentence.place(offset + edit.start),
                end=sentence.place(offset + edit.end),
            )
            for offset, end in sentence.pieces
            for edit in edits[sentence.line[offset:end]]
        )
        if found:
            kept = drop_protected(EditedText(text, found), list(sentence.fixed()))
            yield from drop_protected(kept, list(sentence.seams())).edits
