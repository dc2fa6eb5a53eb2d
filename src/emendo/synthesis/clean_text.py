"""Selects sentences to write errors into; others are counted by reason.

A sentence becomes a target, so it must be correct: complete, prose, without remains of markup, and
without obvious errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from emendo.languages import DEFAULT_LANGUAGE, load_language
from emendo.text import is_in, split_sentences

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterator

SHORT = "sentence has too few words"
LONG = "sentence has too many words"
MARKUP = "sentence has markup, code or an address"
NO_PROSE = "sentence does not look like prose"
UNFINISHED = "sentence does not start or end as one"
UNPAIRED = "sentence has an unpaired quote or bracket"
TOKENISED = "sentence has spaces before punctuation marks"
FOREIGN = "sentence is in another language"
WRONG = "sentence has a known misspelling or a doubled word"

_MIN_WORDS, _MAX_WORDS, _MAX_CHARACTERS = 3, 80, 600
_MARKUP = re.compile(
    r"[`<>{}\\|^~=\[\]_\t\ufffd\u2190-\u2bff\U0001f000-\U0001faff]|https?:|www\.|&[a-z]+;|''|\*\*|\w\.(?:com|org|net|html?|php)\b|\#\w|__"
)
_ENDS = re.compile(r"[.!?…][\"'”’)]*\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PAIRS = (("(", ")"), ("“", "”"))
# The share of letters among all characters except spaces.
_MIN_LETTERS = 0.75
_I = ("I", "I'", "I’")


class CleanText:
    """Finds sentences in lines of clean text."""

    def __init__(self, language: str = DEFAULT_LANGUAGE, *, misspellings: frozenset[str]) -> None:
        """Set the language and the known misspellings.

        Args:
            language: Sentences that are clearly in another one are refused.
            misspellings: In lower case. A sentence with one of them is refused.
        """
        self._languages = (language,)
        self._misspellings = misspellings
        known = load_language(language)
        rules = known.load_error_rules() if known.load_error_rules else None
        self._spaced = _spaced(rules.endings if rules else ())
        self._doubled = _doubled(rules.never_doubled if rules else ())

    def sentences(self, line: str, refused: Counter[str]) -> Iterator[str]:
        """Yield the sentences of a line that pass; add the others to `refused`, by reason."""
        for start, end in split_sentences(line, languages=self._languages):
            sentence = line[start:end]
            reason = self._refusal(sentence)
            if reason is None:
                yield sentence
            else:
                refused[reason] += 1

    def _refusal(self, text: str) -> str | None:
        words = _WORD.findall(text)
        looks = (
            (len(words) < _MIN_WORDS, SHORT),
            (len(words) > _MAX_WORDS or len(text) > _MAX_CHARACTERS, LONG),
            (_MARKUP.search(text) is not None, MARKUP),
            (self._spaced.search(text) is not None, TOKENISED),
            (not _starts(text) or _ENDS.search(text) is None, UNFINISHED),
            (not _is_prose(text, words), NO_PROSE),
            (not _is_paired(text), UNPAIRED),
        )
        for found, reason in looks:
            if found:
                return reason
        if self._doubled.search(text) or not self._misspellings.isdisjoint(words):
            return WRONG
        return None if is_in(text, self._languages) else FOREIGN


def _spaced(endings: Collection[str]) -> re.Pattern[str]:
    """Find marks, and endings of words, that have a space before them."""
    apart = (re.escape(each).replace("'", "['’]") for each in sorted(endings))
    return re.compile("|".join((r"\s[,.;:?!](?:\s|\Z)", *(f" {each}\\b" for each in apart))))


def _doubled(words: Collection[str]) -> re.Pattern[str]:
    """Find doubled words."""
    if not words:
        return re.compile(r"(?!)")
    return re.compile(rf"\b({'|'.join(map(re.escape, sorted(words)))}) \1\b", re.IGNORECASE)


def _starts(text: str) -> bool:
    first = text.lstrip("\"'“‘(")[:1]
    return first.isupper() or first.isdigit() or first in ("$", "£", "€")


def _is_prose(text: str, words: list[str]) -> bool:
    letters = sum(map(len, words))
    # The first word and I have capitals in any prose.
    small = 1 + sum(word.islower() or word[:2] in _I for word in words[1:])
    return letters >= _MIN_LETTERS * (len(text) - text.count(" ")) and 2 * small >= len(words)


def _is_paired(text: str) -> bool:
    return text.count('"') % 2 == 0 and all(text.count(a) == text.count(b) for a, b in _PAIRS)
