"""A document as an editor reads it: its sentences, and the spans that no edit may touch.

Each sentence is read as one line, without its line breaks. Its edits are mapped back to the
document, and those that touch a protected span, a line break or a cut are dropped. For a network
that reads passages, a passage takes the place of the sentence.
docs/explanation/documents.md has the rules. It does not use the network.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from emendo.bundle.format import PASSAGE, SENTENCE
from emendo.inference.text_types import check_words
from emendo.text import (
    EditedText,
    drop_protected,
    judge_language,
    protected_spans,
    split_long,
)
from emendo.text.apostrophes import like_those_of
from emendo.text.edits import least_confidence
from emendo.text.headings import is_heading, keep_cells, keep_heading
from emendo.text.markup import MARKDOWN, PLAIN, read_markup, special_characters
from emendo.text.own_words import own_word_spans
from emendo.text.passages import join_passages
from emendo.text.segmentation import LINE_BREAK, split_block, split_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from emendo.text import Edit
    from emendo.text.annotated_text import AnnotatedText
    from emendo.text.markup import Markup
    from emendo.text.segmentation import Span

    LineEdits = Mapping[str, tuple[Edit, ...]]

# The distance from a cut within which the words beside it are searched.
_WORD_REACH = 40
# The longest sentence, in characters, whose language is cached.
_LONGEST_KNOWN = 500


class Sentence(NamedTuple):
    """A sentence of a document, or a passage of several, and the line that the network reads."""

    start: int
    end: int
    line: str
    breaks: tuple[int, ...]
    """The positions in the line where a space replaces a line break."""
    surplus: tuple[int, ...]
    """Characters of the document missing in the line, up to and including each break."""
    pieces: tuple[Span, ...]
    """The parts of the line that the network reads at once."""

    def place(self, position: int) -> int:
        """Return the position in the document of a position in the line."""
        passed = bisect_left(self.breaks, position)
        return self.start + position + (self.surplus[passed - 1] if passed else 0)

    def fixed(self) -> Iterator[Span]:
        """Yield the spans of the sentence's line breaks in the document."""
        for k in self.breaks:
            yield self.place(k), self.place(k + 1)

    def seams(self) -> Iterator[Span]:
        """Yield the words on both sides of each cut.

        A piece looks like a sentence, so the network may add a capital or a full stop that the
        whole sentence does not need.
        """
        for (start, cut), (_, end) in pairwise(self.pieces):
            before = self.line[start:cut].rstrip()
            after = self.line[cut:end].lstrip()
            # A piece may have no word, so these are sums of one length or none.
            first = start + len(before) - sum(map(len, before[-_WORD_REACH:].split()[-1:]))
            last = end - len(after) + sum(map(len, after[:_WORD_REACH].split()[:1]))
            yield self.place(first), self.place(last)

    @property
    def lines(self) -> list[str]:
        """What the network reads of it."""
        return [self.line[start:end] for start, end in self.pieces]


class Document(NamedTuple):
    """A text, its sentences to edit, and its protected spans."""

    source: AnnotatedText
    """The text and its plain reading; positions of sentences and spans refer to the reading."""
    sentences: tuple[Sentence, ...]
    protected: tuple[Span, ...]
    special: frozenset[str] = frozenset()
    """Characters that would be markup if an edit introduced them."""
    unit: str = SENTENCE
    """What its `sentences` are: single sentences, or passages."""

    @property
    def lines(self) -> list[str]:
        """The lines that the network reads, each once."""
        return list(dict.fromkeys(line for each in self.sentences for line in each.lines))

    def place(self, edits: LineEdits) -> EditedText:
        """Apply the edits of its lines to the text."""
        placed = (self.place_sentence(sentence, edits) for sentence in self.sentences)
        found = tuple(edit for each in placed for edit in each)
        return EditedText(self.source.whole, found, least_confidence(found))

    def untouchable(self) -> list[Span]:
        """Return the spans that no edit touches: markup and protected text."""
        placed = (self.source.place(start, end) for start, end in self.protected)
        return sorted({*self.source.markup, *(span for span in placed if span[0] < span[1])})

    def place_sentence(self, sentence: Sentence, edits: LineEdits) -> tuple[Edit, ...]:
        """Return a sentence's edits in the text, without forbidden ones.

        The edits of a passage are made together or not at all: two sentences that are joined by
        only some of them are no longer English.
        """
        found = tuple(
            replace(
                edit,
                start=sentence.place(offset + edit.start),
                end=sentence.place(offset + edit.end),
            )
            for offset, end in sentence.pieces
            for edit in edits[sentence.line[offset:end]]
        )
        if not found:
            return ()
        # Not the quotes that the reading has in place of markup.
        span = (sentence.start, sentence.end)
        written = _prose(self.source.plain, span, self.source.stand_ins)
        edited = like_those_of(written, EditedText(self.source.plain, found))
        found = edited.edits
        # Only spans nearby, or the time would grow with sentences times spans.
        first = bisect_left(self.protected, (sentence.start,))
        last = bisect_left(self.protected, (sentence.end + 1,))
        near = self.protected[max(0, first - 1) : last]
        for spans in (sentence.fixed(), sentence.seams(), near):
            edited = drop_protected(edited, tuple(spans))
        edited = keep_cells(edited)
        is_passage = self.unit == PASSAGE
        if (
            edited.edits
            and not is_passage
            and is_heading(self.source.plain, sentence.start, sentence.end)
        ):
            edited = keep_heading(edited, sentence.start, sentence.end)
        made = self._onto_markup(edited.edits) if self.source.has_markup else edited.edits
        return () if is_passage and len(made) < len(found) else made

    def _onto_markup(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """Map edits of the reading to the text, without those that touch or introduce markup."""
        plain = (
            replace(
                edit,
                alternatives=tuple(
                    each for each in edit.alternatives if self.special.isdisjoint(each)
                ),
            )
            for edit in edits
            if self.special.isdisjoint(edit.replacement)
        )
        placed = (self.source.place_edit(edit) for edit in plain)
        edited = EditedText(self.source.whole, tuple(edit for edit in placed if edit))
        if not edited.edits:
            return ()
        # A letter after a command would extend its name. Only spans nearby, as above.
        markup = self.source.markup
        first = bisect_left(markup, (edited.edits[0].start,))
        last = bisect_left(markup, (edited.edits[-1].end + 1,))
        return drop_protected(edited, markup[max(0, first - 1) : last]).edits


class Source(NamedTuple):
    """A text whose markup and protected spans are known, but not yet its sentences."""

    annotated: AnnotatedText
    protected: tuple[Span, ...]
    special: frozenset[str]
    """As in `Document`."""

    def prose(self, span: Span) -> str:
        """Return the parts of a span of the reading that are not protected."""
        return _prose(self.annotated.plain, span, self.protected)


def read_source(
    text: str,
    *,
    markup: Markup = PLAIN,
    dictionary: Collection[str] = (),
    check: Callable[[], object] | None = None,
) -> Source:
    """Find the markup and the protected spans of a text.

    Args:
        text: Of any length, with any line ends.
        markup: The markup of the text, one of `MARKUPS`.
        dictionary: The user's own words, which are never edited.
        check: Called repeatedly; an exception that it raises ends the reading.

    Raises:
        TextTypeError: The dictionary is not a collection of words.
    """
    check_words(dictionary)
    check = check or _go_on
    annotated = read_markup(text, markup, check)
    check()
    own_words = own_word_spans(annotated.plain, dictionary)
    check()
    protected = protected_spans(
        annotated.plain,
        markdown=markup == MARKDOWN,
        spans=[*annotated.stand_ins, *own_words],
    )
    check()
    return Source(annotated, tuple(protected), special_characters(markup))


def read_document(  # noqa: PLR0913 - most have a default
    text: str,
    *,
    languages: Collection[str],
    max_tokens: int,
    count_tokens: Callable[[str], int],
    unit: str = SENTENCE,
    markup: Markup = PLAIN,
    dictionary: Collection[str] = (),
    check: Callable[[], object] | None = None,
) -> Document:
    """Find the sentences of a text to edit, or its passages.

    The arguments are those of `read_source` and `read_blocks`.
    """
    source = read_source(text, markup=markup, dictionary=dictionary, check=check)
    return read_blocks(
        source,
        languages=languages,
        max_tokens=max_tokens,
        count_tokens=count_tokens,
        unit=unit,
        check=check,
    )


def read_blocks(
    source: Source,
    blocks: Iterable[Span] | None = None,
    *,
    languages: Collection[str],
    max_tokens: int,
    count_tokens: Callable[[str], int],
    unit: str = SENTENCE,
    check: Callable[[], object] | None = None,
) -> Document:
    """Find the sentences of blocks to edit, or their passages.

    Args:
        source: The text.
        blocks: Those to read, in order (`split_blocks`); by default all.
        languages: Two-letter codes; sentences in others are left out.
        max_tokens: The most that the network reads at once; longer sentences are cut.
        count_tokens: Returns the number of tokens of a line.
        unit: What the network reads at once: "sentence" or "passage".
        check: Called repeatedly; an exception that it raises ends the reading.
    """
    check = check or _go_on
    text = source.annotated.plain
    wanted = tuple(languages)
    paragraphs = [
        split_block(text, block, languages=wanted)
        for block in (split_blocks(text) if blocks is None else blocks)
    ]
    spans = [span for paragraph in paragraphs for span in paragraph]
    check()
    prose = [source.prose(span) for span in spans]
    verdicts = []
    for words in prose:
        check()
        # Long ones seldom occur twice, and would fill the memory.
        judge = _judge if len(words) <= _LONGEST_KNOWN else judge_language
        verdicts.append(judge(words, wanted))

    def count(line: str) -> int:
        check()
        return count_tokens(line)

    chosen = [
        span
        for span, words, is_own in zip(spans, prose, _settled(verdicts), strict=True)
        if is_own and any(map(str.isalpha, words))
    ]
    if unit == PASSAGE:

        def count_span(start: int, end: int) -> int:
            return count(LINE_BREAK.sub(" ", text[start:end]))

        sentences = tuple(
            _read_sentence(text, span)
            for run in _runs(paragraphs, set(chosen))
            for span in join_passages(run, max_tokens, count_span)
        )
    else:
        sentences = tuple(_cut(_read_sentence(text, span), max_tokens, count) for span in chosen)
    return Document(source.annotated, sentences, source.protected, source.special, unit)


def _runs(paragraphs: Sequence[Sequence[Span]], chosen: Collection[Span]) -> Iterator[list[Span]]:
    """Yield chosen sentences that stand next to each other in a paragraph."""
    for paragraph in paragraphs:
        for is_chosen, run in groupby(paragraph, chosen.__contains__):
            if is_chosen:
                yield list(run)


def _read_sentence(text: str, span: Span) -> Sentence:
    start, end = span
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
    return Sentence(start, end, line, tuple(breaks), tuple(surplus), ((0, len(line)),))


def _cut(sentence: Sentence, max_tokens: int, count_tokens: Callable[[str], int]) -> Sentence:
    """Return a sentence with its pieces, several if it is too long."""
    # At most one token and one separator per byte, plus the edges: most need no count.
    if 2 * len(sentence.line.encode("utf-8", "surrogatepass")) + 4 <= max_tokens:
        return sentence
    return sentence._replace(pieces=tuple(split_long(sentence.line, max_tokens, count_tokens)))


def _prose(text: str, span: Span, protected: Sequence[Span]) -> str:
    """Return the parts of a sentence that are not protected."""
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


def _go_on() -> None:
    """Do nothing; the default for `check`."""


@lru_cache(maxsize=4096)
def _judge(words: str, languages: tuple[str, ...]) -> bool | None:
    """Judge a sentence, cached, because an open document is read at every keystroke."""
    return judge_language(words, languages)


def _settled(verdicts: Sequence[bool | None]) -> list[bool]:
    """Decide for sentences whose language is unclear, by the sentences around them."""
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
