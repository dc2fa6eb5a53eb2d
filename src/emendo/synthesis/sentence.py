"""A clean sentence for the makers of errors: its words, their positions and classes.

A word's class is estimated from its readings and its neighbours, with the tables for the types of
edits; there is no parser. This module only gives positions of words, never new text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from emendo.languages.word_tables import Reading, WordTables

START = "^"
"""The class before the first word."""
UNTOUCHABLE = "#"
"""The class of addresses and numbers, which no error touches."""
POSSESSIVE = "'"
"""The class of a noun in the possessive: John's."""

_TOKEN = re.compile(
    r"\s*(?:((?:https?://|www\.)\S+|\S+@\S+\.\w+|(?:[^\W\d_]\.){2,}|\w*[\d_]\w*(?:[.,:/-]\w*[\d_]\w*)*)"
    r"|([^\W\d_]+(?:['’‐-][^\W\d_]+)*['’]?)|(\S))"
)
_VERBAL = frozenset("VZDPG")
# Log-odds that each further reading of a word costs.
_RANK = 1.0


class Token(NamedTuple):
    """A word or a mark, with the white space before it."""

    start: int
    body: int
    end: int
    text: str
    lower: str
    """In lower case, with straight apostrophes."""
    tag: str
    """A letter of `WordTables`: of a closed class, or the tag of a reading."""
    lemma: str
    """The word of which it is a form; itself if unknown."""

    @property
    def is_word(self) -> bool:
        """Whether it consists of letters."""
        return self.text[0].isalpha() and self.tag != UNTOUCHABLE

    @property
    def is_name(self) -> bool:
        """Whether a capital shows that it is a name or an abbreviation."""
        return self.text[0].isupper() and self.tag == "?"


class Sentence(NamedTuple):
    """A clean sentence and its words."""

    text: str
    tokens: list[Token]

    def tag(self, index: int) -> str:
        """Return the class of a word; beyond the ends, `START` and a mark's."""
        if index < 0:
            return START
        return self.tokens[index].tag if index < len(self.tokens) else ","

    def lower(self, index: int) -> str:
        """Return a word in lower case; nothing beyond the ends."""
        return self.tokens[index].lower if 0 <= index < len(self.tokens) else ""


def read_sentence(text: str, tables: WordTables) -> Sentence:
    """Split a sentence into words and estimate the class of each."""
    parts = []
    for match in _TOKEN.finditer(text):
        group = match.lastindex or 3
        body = match.start(group)
        word = match[group]
        lower = word.lower().replace("’", "'")
        parts.append((match.start(), body, match.end(), word, lower, group))
    guesses = [_guess(part[3], part[4], part[5], i == 0, tables) for i, part in enumerate(parts)]
    tokens = []
    previous = START
    for i, (part, guess) in enumerate(zip(parts, guesses, strict=True)):
        tag, lemma = guess[0], part[4]
        if len(guess) > 1:
            following = guesses[i + 1][0] if i + 1 < len(parts) else ","
            reading = _choose(tables.readings(part[4]), previous, following, tables)
            tag, lemma = reading.tag, reading.lemma
        tokens.append(Token(*part[:5], tag, lemma))
        previous = tag
    return Sentence(text, tokens)


def _guess(word: str, lower: str, group: int, is_first: bool, tables: WordTables) -> str:
    """Return a word's class; two letters if its readings must be weighed."""
    if group != 2:
        return UNTOUCHABLE if group == 1 else ","
    if "'" in lower:
        return _guess_contraction(lower, tables)
    closed = tables.classes.get(lower)
    if closed is not None:
        return closed
    if word[0].isupper() and not is_first:
        return "?"
    readings = tables.readings(lower)
    if not readings:
        return "?"
    return readings[0].tag + ("+" if len(readings) > 1 or readings[0].lemma != lower else "")


def _guess_contraction(lower: str, tables: WordTables) -> str:
    contractions = tables.contractions
    match = contractions.pattern.match(lower) if contractions else None
    if contractions is None or match is None:
        return POSSESSIVE if lower.endswith("'") else "?"
    stem, ending = match.groups()
    if ending == contractions.negation:
        return contractions.stems.get(stem) or tables.word_class(stem)
    if ending == contractions.possessive and stem not in contractions.never_possessive:
        return POSSESSIVE
    return contractions.classes[ending]


def _choose(
    readings: tuple[Reading, ...], previous: str, following: str, tables: WordTables
) -> Reading:
    if len(readings) == 1:
        return readings[0]
    before = tables.before.get("e" if previous == POSSESSIVE else previous, {})
    after = tables.after.get(following, {})
    return max(
        readings,
        key=lambda r: before.get(r.tag, 0.0) + after.get(r.tag, 0.0) - _RANK * r.rank,
    )
