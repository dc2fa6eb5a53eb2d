"""The data of a language for the types of edits: closed classes, and readings of words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

TAGS = "NSVZDPGJCR"
# More words than any author's texts have; limits the memory of a long-running service.
_MAX_CACHED = 50_000


class Reading(NamedTuple):
    """One reading of a word: a form of `lemma`, of class `tag`.

    Tags: N noun, S its plural, V verb, Z its third person, D its past, P its participle,
    G its -ing form, J adjective, C comparative or superlative, R adverb.
    """

    lemma: str
    tag: str
    rank: int
    """0 for the most frequent class of the word, then 1, 2, …"""


class Contractions(NamedTuple):
    """The contractions with an apostrophe, in lower case, with straight apostrophes."""

    pattern: re.Pattern[str]
    """Two groups: what a contraction is short for starts with the first and ends with the other."""
    classes: Mapping[str, str]
    """The letter of `WordTables.classes` for an ending."""
    stems: Mapping[str, str]
    """That of words which change before a negation: ca of can't."""
    possessive: str
    """The ending that also marks a possessive."""
    never_possessive: frozenset[str]
    """Words that have no possessive: before them the ending is a verb."""
    negation: str


@dataclass(frozen=True)
class WordTables:
    """The words of one language."""

    classes: Mapping[str, str]
    """Words of closed classes, and the letter of each.

    a article, e possessive or demonstrative, d other determiner, w relative pronoun, i pronoun
    as a subject, o other personal pronoun, z indefinite pronoun, p preposition, y one that also
    belongs to verbs, t mark of the infinitive, k subordinating and c co-ordinating conjunction,
    m modal, b be, h have, x do, n not, q question word, r adverb, u number.
    """
    read: Callable[[str], tuple[Reading, ...]]
    """Readings of a lower-case word as noun, verb, adjective or adverb; () if unknown."""
    person_forms: tuple[frozenset[str], ...] = ()
    """Forms of one verb that differ only in person or number, and have the same tag."""
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For a class of word: log-odds of each tag of the word after it."""
    after: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For a class of word: log-odds of each tag of the word before it."""
    contractions: Contractions | None = None
    possessive_marks: tuple[str, ...] = ()
    """The ending of a possessive."""
    plural_ending: str = ""
    """The ending of a regular plural; "" if there is none."""
    gerund_ending: str = ""
    past_ending: str = ""
    """Endings by which verbs are recognised among unknown words."""
    clause_words: frozenset[str] = frozenset()
    """Relative pronouns that are conjunctions after a verb."""
    _readings: dict[str, tuple[Reading, ...]] = field(default_factory=dict, repr=False)

    def readings(self, word: str) -> tuple[Reading, ...]:
        """Return `read(word)`, cached."""
        found = self._readings.get(word)
        if found is None:
            if len(self._readings) >= _MAX_CACHED:
                self._readings.clear()
            found = self._readings[word] = self.read(word)
        return found

    def word_class(self, word: str) -> str:
        """Return the letter of a closed class, else the tag of the likeliest reading.

        A word that is neither is "?", and a token that is not a word is ",".
        """
        letter = self.classes.get(word)
        if letter is None:
            readings = self.readings(word)
            unknown = "?" if word[:1].isalnum() else ","
            letter = readings[0].tag if readings else unknown
        return letter
