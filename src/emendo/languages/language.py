"""What is known of one language: everything that is not true of any text.

Most fields are plain words. What takes long to read is a function that is called when it is needed.
docs/how-to/add-a-language.md says which parts a language needs for what.
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
    """Return the words of a text that lists them, parted by white space."""
    return frozenset(text.split())


@dataclass(frozen=True)
class SentenceEnds:
    """Full stops that end no sentence, and the words that tell when they do; in lower case."""

    never_last: frozenset[str] = frozenset()
    """Abbreviations that something always follows: a name, a number, an example."""
    before_number: frozenset[str] = frozenset()
    """Abbreviations before a number, words or letters elsewhere: "No. 5", but "No. Never."."""
    rarely_last: frozenset[str] = frozenset()
    """They may end a sentence: they do where a word follows that sentences like to start with."""
    starters: frozenset[str] = frozenset()
    """Words that sentences start with: where one follows an abbreviation, a sentence starts."""
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
    """What writes errors into clean text of a language, beside its tables of errors."""

    makers: Callable[[ErrorTables], Mapping[str, Maker]]
    """Given the tables, what makes errors of each kind that the tables alone do not make."""
    fit: Callable[[str, str], str] = lambda word, _: word
    """Given a word and the one after it, the form that it has there: a, an."""
    never_doubled: frozenset[str] = frozenset()
    """Small words that are an error if they stand twice in a row."""
    endings: frozenset[str] = frozenset()
    """What stands apart from its word in tokenised text only: n't."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language; a field that is left out says that nothing is known."""

    code: str
    """Two letters, or three."""
    name: str = ""
    """In English."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """As countries write it: codes such as en-GB, and what goes behind the name."""
    script: str = ""
    """One of `emendo.text.language`; without it no sentence is refused as being in another."""
    other_scripts: tuple[str, ...] = ()
    """In which some of its texts are written, as those of other languages are."""
    function_words: frozenset[str] = frozenset()
    """The small words that give it away, in lower case."""
    letters: str = ""
    """Letters that few languages have; a word with one counts a little."""
    shared_words: frozenset[str] = frozenset()
    """Small words and names of other languages that stand in its sentences too: weak evidence.

    If it has any, its own small words that another language has are weak evidence as well.
    """
    sentence_ends: SentenceEnds = field(default_factory=SentenceEnds)
    confusables: str = ""
    """Words that people write for each other because they sound or look alike, in groups that are
    parted by semicolons. Both are words, so no list of words finds them."""
    load_word_tables: Callable[[], WordTables] | None = None
    """Classes and readings of words, and by what their forms are told: for the types of edits."""
    load_wording: Callable[[], Wording] | None = None
    """How an edit is explained."""
    error_tables: Path | None = None
    """The folder of the tables that `emendo.synthesis.tables` reads."""
    load_error_rules: Callable[[], ErrorRules] | None = None
    """What `emendo.synthesis` writes errors with."""

    @property
    def has_word_tables(self) -> bool:
        """Whether its words are known."""
        return self.load_word_tables is not None

    @cached_property
    def word_tables(self) -> WordTables:
        """Its words, read when they are first needed; none if they are not known."""
        return self.load_word_tables() if self.load_word_tables else _NO_TABLES

    @cached_property
    def wording(self) -> Wording | None:
        """Its wording, read when it is first needed."""
        return self.load_wording() if self.load_wording else None

    @cached_property
    def _confused(self) -> frozenset[frozenset[str]]:
        return frozenset(
            frozenset(pair)
            for group in " ".join(self.confusables.split()).split(";")
            for pair in combinations(group.split(), 2)
        )

    def are_confused(self, old: str, new: str) -> bool:
        """Whether two words are easily written for each other."""
        return frozenset((plain(old), plain(new))) in self._confused


def plain(word: str) -> str:
    """Return a word in lower case, with straight apostrophes."""
    return word.strip().lower().replace("’", "'")
