"""The data of one language.

Most fields are plain words. Data that takes long to read is a function that is called on first use.
docs/how-to/add-a-language.md describes what each part is used for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING

from emendo.languages.word_tables import WordTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from emendo.languages.wording import Wording
    from emendo.synthesis.changes import Maker
    from emendo.synthesis.tables import ErrorTables

_NO_TABLES = WordTables({}, lambda _: ())


def words(text: str) -> frozenset[str]:
    """Return the words of a list, separated by white space."""
    return frozenset(text.split())


@dataclass(frozen=True)
class SentenceEnds:
    """Abbreviations, and the words that show whether they end a sentence; in lower case."""

    never_last: frozenset[str] = frozenset()
    """Abbreviations that something always follows: a name, a number, an example."""
    before_number: frozenset[str] = frozenset()
    """Abbreviations before a number, words or letters elsewhere: "No. 5", but "No. Never."."""
    rarely_last: frozenset[str] = frozenset()
    """Abbreviations that end a sentence if a word follows that often starts sentences."""
    starters: frozenset[str] = frozenset()
    """Words that often start sentences; after an abbreviation they start a new one."""
    before_ordinal: frozenset[str] = frozenset()
    """Words before an ordinal number that is written with a full stop: "am 3. Oktober"."""
    after_ordinal: frozenset[str] = frozenset()
    """Words after such a number."""
    closing_letters: frozenset[str] = frozenset()
    """Second letters of spaced abbreviations that may end a sentence: "и т. д."."""

    @classmethod
    def of(cls, languages: Iterable[Language]) -> SentenceEnds:
        """Return those of several languages together."""
        return reduce(cls._joined, (language.sentence_ends for language in languages), cls())

    def _joined(self, other: SentenceEnds) -> SentenceEnds:
        names = (each.name for each in fields(self))
        return SentenceEnds(**{name: getattr(self, name) | getattr(other, name) for name in names})


@dataclass(frozen=True)
class ErrorRules:
    """The rules that write errors into clean text, besides the tables of errors."""

    makers: Callable[[ErrorTables], Mapping[str, Maker]]
    """Given the tables, the makers of errors for the kinds that need more than tables."""
    fit: Callable[[str, str], str] = lambda word, _: word
    """Given a word and the next one, the form of the word there: a, an."""
    never_doubled: frozenset[str] = frozenset()
    """Function words that are an error if they are doubled."""
    endings: frozenset[str] = frozenset()
    """Endings that are separate only in tokenised text: n't."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language; a field that is left out means that there is no such data."""

    code: str
    """Two letters, or three."""
    name: str = ""
    """In English."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Variants by country: codes such as en-GB, and the addition to the name."""
    script: str = ""
    """One of `emendo.text.language`; without it no sentence is refused as being in another."""
    other_scripts: tuple[str, ...] = ()
    """Other scripts of some of its texts, which other languages share."""
    function_words: frozenset[str] = frozenset()
    """The function words that identify it, in lower case."""
    letters: str = ""
    """Letters that few languages have; a word with one counts a little."""
    shared_words: frozenset[str] = frozenset()
    """Function words and names of other languages that also occur in its sentences: weak evidence.

    If it has any, its own function words that another language has are weak evidence as well.
    """
    sentence_ends: SentenceEnds = field(default_factory=SentenceEnds)
    confusables: str = ""
    """Words that are confused because they sound or look alike, in groups separated by semicolons.
    All are words, so a list of words does not find the mistake."""
    nouns_have_capitals: bool = False
    """Whether a capital inside a sentence shows a noun, which a list of words has, not a name."""
    compound_links: tuple[str, ...] = ()
    """What may stand between words that are written together, also nothing; none if words are not
    joined freely."""
    candidate_weights: tuple[float, ...] = ()
    """How candidates for unknown words are rated, if not as in English
    (`emendo.inference.spelling`)."""
    load_word_tables: Callable[[], WordTables] | None = None
    """Classes, readings and forms of words, for the types of edits."""
    load_wording: Callable[[], Wording] | None = None
    """How an edit is explained."""
    error_tables: Path | None = None
    """The folder of the tables that `emendo.synthesis.tables` reads."""
    load_error_rules: Callable[[], ErrorRules] | None = None
    """The rules with which `emendo.synthesis` writes errors."""

    @property
    def has_word_tables(self) -> bool:
        """Whether it has word tables."""
        return self.load_word_tables is not None

    @cached_property
    def word_tables(self) -> WordTables:
        """Its word tables, read on first use; empty if it has none."""
        return self.load_word_tables() if self.load_word_tables else _NO_TABLES

    @cached_property
    def wording(self) -> Wording | None:
        """Its wording, read on first use."""
        return self.load_wording() if self.load_wording else None

    @cached_property
    def _confused(self) -> frozenset[frozenset[str]]:
        return frozenset(
            frozenset(pair)
            for group in " ".join(self.confusables.split()).split(";")
            for pair in combinations(group.split(), 2)
        )

    def are_confused(self, old: str, new: str) -> bool:
        """Whether two words are easily confused."""
        return frozenset((plain(old), plain(new))) in self._confused


def plain(word: str) -> str:
    """Return a word in lower case, with straight apostrophes."""
    return word.strip().lower().replace("’", "'")
