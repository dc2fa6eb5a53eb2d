"""A document as an editor reads it: its sentences, and what of it no edit may touch.

Each sentence is read as one line, whatever its line breaks; its edits are laid back onto the
document, and those that touch a protected span, a line break or a cut are dropped.
docs/explanation/documents.md has the rules. It knows nothing of networks.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from emendo.text import (
    EditedText,
    drop_protected,
    judge_language,
    protected_spans,
    split_long,
    split_sentences,
)
from emendo.text.edits import least_confidence
from emendo.text.headings import is_heading, keep_heading
from emendo.text.markup import MARKDOWN, PLAIN, read_markup, special_characters
from emendo.text.own_words import own_word_spans
from emendo.text.segmentation import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from emendo.text import Edit
    from emendo.text.annotated_text import AnnotatedText
    from emendo.text.markup import Markup
    from emendo.text.segmentation import Span

    LineEdits = Mapping[str, tuple[Edit, ...]]

# How far from a cut the words beside it are looked for.
_WORD_REACH = 40
# Characters of a sentence whose language is remembered.
_LONGEST_KNOWN = 500


class Sentence(NamedTuple):
    """A sentence of a document, and the one line that the network reads of it."""

    start: int
    end: int
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

    @property
    def lines(self) -> list[str]:
        """What the network reads of it."""
        return [self.line[start:end] for start, end in self.pieces]


class Document(NamedTuple):
    """A text, the sentences of it that are to be edited, and the spans that are not."""

    source: AnnotatedText
    """The text, and what is read of it, which sentences and spans refer to."""
    sentences: tuple[Sentence, ...]
    protected: tuple[Span, ...]
    special: frozenset[str] = frozenset()
    """Characters that would be markup if an edit brought them in."""

    @property
    def lines(self) -> list[str]:
        """What the network reads of it, each line once."""
        return list(dict.fromkeys(line for each in self.sentences for line in each.lines))

    def place(self, edits: LineEdits) -> EditedText:
        """Lay the edits of its lines onto the text."""
        placed = (self.place_sentence(sentence, edits) for sentence in self.sentences)
        found = tuple(edit for each in placed for edit in each)
        return EditedText(self.source.whole, found, least_confidence(found))

    def untouchable(self) -> list[Span]:
        """Return the spans of the text that no edit touches: markup, and what is protected."""
        placed = (self.source.place(start, end) for start, end in self.protected)
        return sorted({*self.source.markup, *(span for span in placed if span[0] < span[1])})

    def place_sentence(self, sentence: Sentence, edits: LineEdits) -> tuple[Edit, ...]:
        """Return a sentence's edits in the text, without those that may not be made."""
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
        edited = EditedText(self.source.plain, found)
        # Only what is near, or the time would grow with sentences times spans.
        first = bisect_left(self.protected, (sentence.start,))
        last = bisect_left(self.protected, (sentence.end + 1,))
        near = self.protected[max(0, first - 1) : last]
        for spans in (sentence.fixed(), sentence.seams(), near):
            edited = drop_protected(edited, tuple(spans))
        if edited.edits and is_heading(self.source.plain, sentence.start, sentence.end):
            edited = keep_heading(edited, sentence.start, sentence.end)
        return self._onto_markup(edited.edits) if self.source.has_markup else edited.edits

    def _onto_markup(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """Lay edits of what is read onto the text, but none that meets markup or brings it in."""
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
        # A letter behind a command would lengthen its name. Only what is near, as above.
        markup = self.source.markup
        first = bisect_left(markup, (edited.edits[0].start,))
        last = bisect_left(markup, (edited.edits[-1].end + 1,))
        return drop_protected(edited, markup[max(0, first - 1) : last]).edits


def read_document(
    text: str,
    *,
    languages: Collection[str],
    max_tokens: int,
    count_tokens: Callable[[str], int],
    markup: Markup = PLAIN,
    dictionary: Collection[str] = (),
    check: Callable[[], object] | None = None,
) -> Document:
    """Find the sentences of a text that are to be edited.

    Args:
        text: Of any length, with any line ends.
        languages: Two-letter codes; sentences in others are left out.
        max_tokens: What the network reads at once; longer sentences are cut.
        count_tokens: Says how many tokens a line has.
        markup: What it is written in, one of `MARKUPS`.
        dictionary: The user's own words, which are never edited.
        check: Called again and again; what it raises ends the reading.
    """
    check = check or _go_on
    source = read_markup(text, markup)
    check()
    text = source.plain
    own_words = own_word_spans(text, dictionary)
    check()
    protected = protected_spans(
        text,
        markdown=markup == MARKDOWN,
        spans=[*source.stand_ins, *own_words],
    )
    check()
    wanted = tuple(languages)
    spans = split_sentences(text, languages=wanted)
    check()
    prose = [_prose(text, span, protected) for span in spans]
    verdicts = []
    for words in prose:
        check()
        # Long ones are seldom seen twice, and would fill the memory.
        judge = _judge if len(words) <= _LONGEST_KNOWN else judge_language
        verdicts.append(judge(words, wanted))

    def count(line: str) -> int:
        check()
        return count_tokens(line)

    sentences = tuple(
        _read_sentence(text, span, max_tokens, count)
        for span, words, is_own in zip(spans, prose, _settled(verdicts), strict=True)
        if is_own and any(map(str.isalpha, words))
    )
    return Document(source, sentences, tuple(protected), special_characters(markup))


def _read_sentence(
    text: str, span: Span, max_tokens: int, count_tokens: Callable[[str], int]
) -> Sentence:
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
    pieces: Sequence[Span] = ((0, len(line)),)
    # At most a token a byte, with a separator before each, and the edges: most need no count.
    if 2 * len(line.encode("utf-8", "surrogatepass")) + 4 > max_tokens:
        pieces = split_long(line, max_tokens, count_tokens)
    return Sentence(start, end, line, tuple(breaks), tuple(surplus), tuple(pieces))


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


def _go_on() -> None:
    """Do as `check` does where nobody asks for an end."""


@lru_cache(maxsize=4096)
def _judge(words: str, languages: tuple[str, ...]) -> bool | None:
    """Judge a sentence; a document that is being written is read at every keystroke."""
    return judge_language(words, languages)


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
