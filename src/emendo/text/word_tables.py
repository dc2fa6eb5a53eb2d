"""What the types of edits need to know of a language: its closed classes, and readings of words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TAGS = "NSVZDPGJCR"
# More words than any text of one author has; a service that never ends must not grow without one.
_MAX_CACHED = 50_000


class Reading(NamedTuple):
    """What one word can be: a form of `lemma`, of class `tag`.

    Tags: N noun, S its plural, V verb, Z its third person, D its past, P its participle,
    G its -ing form, J adjective, C comparative or superlative, R adverb.
    """

    lemma: str
    tag: str
    rank: int
    """0 for the most frequent class of the word, then 1, 2, …"""


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
    """Readings of a lower-case word as noun, verb, adjective or adverb; () if it is no word."""
    person_forms: tuple[frozenset[str], ...] = ()
    """Forms of one verb that differ in person or number only, and not by a tag."""
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For a class of word: log-odds of each tag of the word after it."""
    after: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For a class of word: log-odds of each tag of the word before it."""
    _readings: dict[str, tuple[Reading, ...]] = field(default_factory=dict, repr=False)

    def readings(self, word: str) -> tuple[Reading, ...]:
        """Return `read(word)`, remembered."""
        found = self._readings.get(word)
        if found is None:
            if len(self._readings) >= _MAX_CACHED:
                self._readings.clear()
            found = self._readings[word] = self.read(word)
        return found

    def word_class(self, word: str) -> str:
        """Return the letter of a closed class, else the tag of the likeliest reading.

        A word that is neither is "?", and what is no word is ",".
        """
        letter = self.classes.get(word)
        if letter is None:
            readings = self.readings(word)
            unknown = "?" if word[:1].isalnum() else ","
            letter = readings[0].tag if readings else unknown
        return letter
