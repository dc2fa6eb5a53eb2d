"""The edits of a document in the M2 format: sentence by sentence, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.languages import DEFAULT_LANGUAGE
from emendo.text.edits import Edit, apply_edits
from emendo.text.m2 import M2Edit, M2Sentence
from emendo.text.segmentation import split_paragraphs
from emendo.text.surrogates import SURROGATE
from emendo.text.words import split_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from emendo.text.edits import EditedText
    from emendo.text.words import Word


def m2_of_document(
    edited: EditedText,
    *,
    languages: Collection[str] = (DEFAULT_LANGUAGE,),
    by_paragraph: bool = False,
) -> Iterator[M2Sentence]:
    """Yield the sentences of a document with their edits, or its paragraphs.

    Words are separated from punctuation. M2 has only words, so an edit that changes only white
    space is left out.

    Args:
        edited: Its edits must be inside its sentences or paragraphs, like those of an `Editor`.
        languages: The editor's.
        by_paragraph: Whether edits may join sentences, so that only whole paragraphs have them.
    """
    pending = list(edited.edits)[::-1]
    paragraphs = split_paragraphs(edited.source, languages=languages)
    spans = (
        [(each[0][0], each[-1][1]) for each in paragraphs if each]
        if by_paragraph
        else [span for each in paragraphs for span in each]
    )
    for start, end in spans:
        own = []
        while pending and pending[-1].start <= end:
            edit = pending.pop()
            own.append(Edit(edit.start - start, edit.end - start, edit.replacement, type=edit.type))
        yield _sentence(edited.source[start:end], own)


def _sentence(source: str, edits: Sequence[Edit]) -> M2Sentence:
    tokens = _tokens(source)
    words = [word for word in split_words(source) if word.body < word.end]
    found = tuple(m2 for edit in edits if (m2 := _in_words(source, words, [edit])))
    sentence = M2Sentence(tokens, found)
    # Two edits of one word, or around one space, belong together.
    if sentence.corrected().split() != list(_tokens(apply_edits(source, edits))):
        whole = _in_words(source, words, edits)
        sentence = M2Sentence(tokens, (whole,) if whole else ())
    return sentence


def _in_words(source: str, words: Sequence[Word], edits: Sequence[Edit]) -> M2Edit | None:
    """Return edits as the shortest replacement of words; None if no word changes."""
    start, end = edits[0].start, edits[-1].end
    first = next((k for k, word in enumerate(words) if word.end >= start), len(words))
    last = max((k + 1 for k, word in enumerate(words) if word.body <= end), default=0)
    first = min(first, last)
    if first < last:
        start, end = min(start, words[first].body), max(end, words[last - 1].end)
    moved = [Edit(edit.start - start, edit.end - start, edit.replacement) for edit in edits]
    old = _tokens(source[start:end])
    new = _tokens(apply_edits(source[start:end], moved))
    if old == new:
        return None
    while old and new and old[-1] == new[-1]:
        old, new, last = old[:-1], new[:-1], last - 1
    while old and new and old[0] == new[0]:
        old, new, first = old[1:], new[1:], first + 1
    return M2Edit(first, last, edits[0].type, (" ".join(new),))


def _tokens(text: str) -> tuple[str, ...]:
    # Lone surrogates cannot be written to a text file.
    text = SURROGATE.sub("\ufffd", text)
    return tuple(text[word.body : word.end] for word in split_words(text) if word.body < word.end)
