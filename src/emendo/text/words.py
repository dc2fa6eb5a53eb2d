"""Word boundaries in any text, on which edits are placed.

A word here is a unit that a reader would mark: letters and digits with what is joined to them
(apostrophes, hyphens, combining marks), one ideograph, or one punctuation mark. It does not
depend on languages or tokenizers.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# Between two letters or digits these belong to the word: don't, well-known, naïve‐looking.
_LETTER_JOINERS = frozenset("'’ʼ-‐‑·")
# Between two digits these belong to the number: 3.14, 10,000, 12:30.
_DIGIT_JOINERS = frozenset(".,:'’")
# Scripts written without spaces: a run is not a word, so each character is separate.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x30FF),  # CJK radicals, Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x9FFF),  # CJK ideographs
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0x20000, 0x3FFFF),  # CJK extensions
)
_ZERO_WIDTH_JOINER = "\u200d"
_LONGEST_ENDING = 4
# The same rules for text with only these characters: most English text, ten times as fast.
_ASCII_WORD = re.compile(
    r"\s*([A-Za-z0-9_]+(?:(?:['\-](?=[A-Za-z0-9])|(?<=[0-9])[.,:](?=[0-9]))[A-Za-z0-9_]+)*|\S|\Z)"
)


class Word(NamedTuple):
    """One word and the white space before it, as code-point positions.

    White space at the very end of a text is a last, empty `Word`.
    """

    start: int
    """Where the white space before the word starts."""
    body: int
    """Where the word itself starts."""
    end: int
    """Where the word ends."""


def is_extending(char: str) -> bool:
    """Whether `char` belongs to the character before it: marks, joiners, skin tones."""
    return (
        unicodedata.category(char)[0] == "M"
        or char in "\u200c\u200d"
        or 0x1F3FB <= ord(char) <= 0x1F3FF
    )


def _is_unspaced(char: str) -> bool:
    code = ord(char)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


def _body_end(text: str, position: int) -> int:
    """Return the end of the word whose first character is at `position`."""
    end = position + 1
    solid = text[position].isalnum() or text[position] == "_"
    if _is_unspaced(text[position]):
        solid = False
    while end < len(text):
        char = text[end]
        if is_extending(char):
            end += 1
        elif text[end - 1] == _ZERO_WIDTH_JOINER and not char.isspace():
            # A joiner joins what follows: family emoji are one character to a reader.
            end += 1
        elif solid and (char.isalnum() or char == "_") and not _is_unspaced(char):
            end += 1
        elif solid and _joins(text, end):
            end += 2
        else:
            break
    return end


def _joins(text: str, position: int) -> bool:
    """Whether the character at `position` joins its two neighbours into one word."""
    if position + 1 >= len(text) or not text[position + 1].isalnum():
        return False
    if _is_unspaced(text[position + 1]):
        return False
    if text[position] in _LETTER_JOINERS:
        return True
    return (
        text[position] in _DIGIT_JOINERS
        and text[position - 1].isdigit()
        and text[position + 1].isdigit()
    )


def is_ending(text: str, start: int, end: int) -> bool:
    """Whether a short word follows a full stop without a space, like a file's ending."""
    is_short = end - start <= _LONGEST_ENDING
    return is_short and text[start - 1 : start] == "." and text[start - 2 : start - 1].isalnum()


def split_words(text: str) -> list[Word]:
    """Split a text into words that tile it: `"".join(text[w.start:w.end])` is the text."""
    if text.isascii():
        found = (match.span(1) + match.span() for match in _ASCII_WORD.finditer(text))
        return [Word(start, body, end) for body, _, start, end in found if start < end]
    return _split_any(text)


def _split_any(text: str) -> list[Word]:
    words: list[Word] = []
    start = 0
    while start < len(text):
        body = start
        while body < len(text) and text[body].isspace():
            body += 1
        end = _body_end(text, body) if body < len(text) else body
        words.append(Word(start, body, end))
        start = end
    return words
