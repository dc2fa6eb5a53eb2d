"""The kind of mistake that an edit corrects: spelling, an article, agreement and so on.

Types are found by rules: first words that are easily confused, then types that only need characters
(casing, spacing, punctuation), then closed classes of words, then readings of words in their
context. All data of a language comes from its `Language.word_tables`;
docs/explanation/edit-types.md defines the types and measures them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from emendo.languages import DEFAULT_LANGUAGE, load_language

if TYPE_CHECKING:
    from emendo.languages.word_tables import Contractions, Reading, WordTables
    from emendo.text.edits import Edit

EditType = Literal[
    "spelling",
    "casing",
    "punctuation",
    "spacing",
    "article",
    "preposition",
    "agreement",
    "tense",
    "number",
    "pronoun",
    "word order",
    "word choice",
    "confused word",
    "missing word",
    "extra word",
    "other",
]
EDIT_TYPES: tuple[EditType, ...] = get_args(EditType)

# The context on either side of an edit, in characters.
_CONTEXT = 40
# Longer stretches are always rewrites; also limits the work for one edit.
_MAX_CHARACTERS = 400
# Marks that combine with a letter belong to its word.
_TOKEN = re.compile(
    r"(?:[^\W_][\u0300-\u036f]*)+(?:['’‐-](?:[^\W_][\u0300-\u036f]*)+)*|['’][^\W_]+|\S"
)
_ASCII_MARKS = re.compile(r"[\s!\"#&'()*,\-./:;?@\[\\\]_`{}]+")
_MARKS = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Zs", "Zl", "Zp", "Cf"})
# What can be between the parts of a compound.
_GAP = re.compile(r"\s*|[-‐‑]")
_HYPHENS = re.compile(r"[-‐‑]+")
# Below this share of common characters two spellings are two words (ERRANT's threshold).
_SIMILAR = 0.55
_SHORT = 4
_SHORT_SIMILAR = (0.5, 0.33)
# Log-odds, like those of the context: the penalty for each further reading of a word, and the
# bonus for a form of the same class. The context of the wrong word counts half.
_RANK = 1.0
_SAME_CLASS = 0.5
_OLD = 0.5
_POS = {
    "N": "noun",
    "S": "noun",
    "V": "verb",
    "Z": "verb",
    "D": "verb",
    "P": "verb",
    "G": "verb",
    "J": "adjective",
    "C": "adjective",
    "R": "adverb",
    "a": "determiner",
    "e": "determiner",
    "d": "determiner",
    "w": "pronoun",
    "i": "pronoun",
    "o": "pronoun",
    "z": "pronoun",
    "p": "preposition",
    "y": "particle",
    "t": "particle",
    "k": "conjunction",
    "c": "conjunction",
    "m": "verb",
    "b": "verb",
    "h": "verb",
    "x": "verb",
    "n": "adverb",
    "q": "adverb",
    "r": "adverb",
    "u": "number",
    "?": "noun",
}


# What a verb is after be, have and do.
_AFTER_AUXILIARY = {"b": "PG", "h": "P", "x": "V"}
_OPEN = frozenset({"noun", "verb", "adjective", "adverb", "conjunction"})
# Sets of classes of words (`WordTables.classes`).
_ARTICLE = frozenset("a")
_DETERMINERS = frozenset("aed")
_RELATIVE = frozenset("w")
_INFINITIVE = frozenset("t")
_INDEFINITE = frozenset("z")
_QUANTIFIER = frozenset("d")
_PRONOUNS = frozenset("iozwe")
_PRONOUNS_OR_DETERMINERS = frozenset("iowed")
_PERSONAL_OR_ARTICLE = frozenset("aio")
_PREPOSITIONS = frozenset("pty")
# because of, so as to
_PHRASAL_PREPOSITIONS = frozenset("ptyk")
_PREPOSITIONS_OR_CONJUNCTIONS = frozenset("ptykw")
_AUXILIARIES = frozenset("mbhx")
_AUXILIARIES_OR_NOT = frozenset("mbhxn")
_VERBS = frozenset("VZDPGmbhxt")
_VERBS_IN_DOUBT = frozenset("VZDPGmbhxtNSJ")
_DEGREES = frozenset("rJCR")


class _Change:
    """An edit as words: the old words, the new ones, and their context."""

    def __init__(self, tables: WordTables, source: str, start: int, end: int, new: str) -> None:
        self.tables = tables
        self._source, self._start, self._end = source, start, end
        self.old, self.new = self._tokens(source[start:end]), self._tokens(new)
        self._first: list[str] = []
        self._last: list[str] = []
        # Words on both sides are context; at the start of a new sentence they differ in case.
        while self.old and self.new and self.old[-1] == self.new[-1]:
            self._last.insert(0, self.old.pop())
            self.new.pop()
        while self.old and self.new and self.old[0] == self.new[0]:
            self._first.append(self.old.pop(0))
            del self.new[0]

    @cached_property
    def before(self) -> list[str]:
        """The last words before the edit."""
        text = self._source[max(0, self._start - _CONTEXT) : self._start]
        return self._tokens(text) + self._first

    @cached_property
    def after(self) -> list[str]:
        """The first words after the edit."""
        return self._last + self._tokens(self._source[self._end : self._end + _CONTEXT])

    @property
    def class_before(self) -> str:
        """The class of the word before."""
        return self.tables.word_class(self.before[-1]) if self.before else "^"

    @property
    def class_after(self) -> str:
        """The class of the word after."""
        return self.tables.word_class(self.after[0]) if self.after else ","

    def _tokens(self, text: str) -> list[str]:
        return _tokens(text, self.tables.contractions)


def edit_type(source: str, edit: Edit, *, language: str = DEFAULT_LANGUAGE) -> EditType:
    """Return the type of an edit.

    Args:
        source: The text the edit was made for.
        edit: A span of that text and its replacement.
        language: Its language; without tables, only the types that need no word tables are
            distinguished.
    """
    start = min(max(edit.start, 0), len(source))
    end = min(max(edit.end, start), len(source))
    start, end, new = _whole_words(source, start, end, edit.replacement)
    old = source[start:end]
    if len(old) + len(new) > _MAX_CHARACTERS:
        return "other"
    known = load_language(language)
    if known.are_confused(old, new):
        return "confused word"
    found = _type_by_characters(old, new)
    if found:
        return found
    change = _Change(known.word_tables, source, start, end, new)
    if not change.old and not change.new:
        return "other"
    if known.has_word_tables:
        return _type_by_words(change)
    return _type_by_form(change.old, change.new)


def _whole_words(source: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """Widen an edit inside a word to the whole word."""
    left, right = start, end
    if start and source[start - 1].isalnum():
        follows = (source[start : start + 1], (new or source[end : end + 1])[:1])
        if follows[0].isalnum() or follows[1].isalnum():
            while left and source[left - 1].isalnum() and start - left < _CONTEXT:
                left -= 1
    if end < len(source) and source[end].isalnum():
        leads = (source[max(0, end - 1) : end], (new or source[max(0, start - 1) : start])[-1:])
        if leads[0].isalnum() or leads[1].isalnum():
            while right < len(source) and source[right].isalnum() and right - end < _CONTEXT:
                right += 1
    return left, right, source[left:start] + new + source[end:right]


def _tokens(text: str, contractions: Contractions | None) -> list[str]:
    """Return the words and marks of a text in lower case, with contractions split."""
    text = text.lower()
    tokens: list[str] = _TOKEN.findall(text)
    if "'" not in text and "’" not in text:
        return tokens
    parts: list[str] = []
    for token in tokens:
        plain = token.replace("’", "'")
        match = contractions.pattern.match(plain) if contractions else None
        parts.extend(match.groups() if match else (plain,))
    return parts


def _without_marks(text: str) -> str:
    """Return a text without punctuation and white space; symbols and emoji stay."""
    if text.isascii():
        return _ASCII_MARKS.sub("", text)
    return "".join(c for c in text if unicodedata.category(c) not in _MARKS)


def _type_by_characters(old: str, new: str) -> EditType | None:
    """Return the type if the letters do not change."""
    if old == new:
        return "other"
    old_words, new_words = old.lower().split(), new.lower().split()
    if old_words == new_words:
        return "spacing" if old.lower() != new.lower() or old.split() == new.split() else "casing"
    old_joined, new_joined = "".join(old_words), "".join(new_words)
    if old_joined == new_joined:
        return "spacing"
    letters = _without_marks(old_joined)
    if letters != _without_marks(new_joined):
        return None
    if _GAP.fullmatch(old) and _GAP.fullmatch(new):
        return "spacing"
    if letters and _HYPHENS.sub("", old_joined) == _HYPHENS.sub("", new_joined):
        return "spacing"
    return "punctuation"


def _type_by_form(old: list[str], new: list[str]) -> EditType:
    """Return the type if it needs no word tables."""
    if not old:
        return "missing word"
    if not new:
        return "extra word"
    if sorted(old) == sorted(new):
        return "word order"
    if len(old) == len(new) == 1:
        return "spelling" if _similarity(old[0], new[0]) > _SIMILAR else "word choice"
    return "other"


def _type_by_words(change: _Change) -> EditType:
    old, new = change.old, change.new
    if not old or not new:
        found = _type_of_one_side(change, old or new)
        return found or ("extra word" if old else "missing word")
    if sorted(old) == sorted(new):
        return "word order"
    if len(old) == len(new) == 1:
        return _type_of_word(change, old[0], new[0])
    return _type_of_words(change)


def _type_of_one_side(change: _Change, words: list[str]) -> EditType | None:
    """Return the type of an insertion or a deletion, if the words determine it."""
    classes = [change.tables.word_class(word) for word in words]
    letters = set(classes)
    if letters <= _ARTICLE:
        return "article"
    if letters == _RELATIVE:
        # After a noun a relative pronoun, after a verb a conjunction.
        is_clause = len(words) == 1 and words[0] in change.tables.clause_words
        return None if is_clause and change.class_before not in "NS?o" else "pronoun"
    if letters <= _PRONOUNS:
        return "pronoun"
    if len(words) == 1 and words[0] in change.tables.possessive_marks:
        return "punctuation" if change.class_before in "NSJGR?" else None
    if letters == _INFINITIVE:
        return "tense" if _infinitive_follows(change) else "preposition"
    if letters <= _PREPOSITIONS:
        return "preposition"
    if letters <= _AUXILIARIES and _is_auxiliary(change, classes[-1]):
        return "tense"
    return None


def _type_of_word(change: _Change, old: str, new: str) -> EditType:
    """Return the type of a replacement of one word by another."""
    tables = change.tables
    if any(old in forms and new in forms for forms in tables.person_forms):
        return "agreement"
    if not (old.isascii() and new.isascii()) and _without_accents(old) == _without_accents(new):
        return "spelling"
    old_class, new_class = tables.word_class(old), tables.word_class(new)
    if old_class == "?" and old.isalpha():
        plural = tables.plural_ending
        if plural and (old + plural == new or new + plural == old):
            return "number"
        similarity = _similarity(old, new)
        short = len(old) <= _SHORT and len(new) <= _SHORT
        if similarity > _SIMILAR or (short and round(similarity, 2) in _SHORT_SIMILAR):
            return "spelling"
        old_class = new_class
    return (
        _type_of_form(change, old, new)
        or _type_of_classes(change, old_class, new_class)
        or "word choice"
    )


def _type_of_classes(change: _Change, old: str, new: str) -> EditType | None:
    """Return the type of a replacement of one word by another, if their classes determine it."""
    both = {old, new}
    if "a" in both:
        if both <= _DETERMINERS:
            return "article"
        return "pronoun" if both <= _PERSONAL_OR_ARTICLE else None
    if both <= _PRONOUNS_OR_DETERMINERS or both == _INDEFINITE:
        return "pronoun" if both != _QUANTIFIER else None
    if both <= _PREPOSITIONS_OR_CONJUNCTIONS:
        return "preposition" if both & _PREPOSITIONS else None
    if both <= _AUXILIARIES and (
        "m" in both or _is_auxiliary(change, old) or _is_auxiliary(change, new)
    ):
        return "tense"
    return None


def _type_of_form(change: _Change, old: str, new: str) -> EditType | None:
    """Return the type of a replacement of one form of a word by another."""
    pair = _read_pair(change, old, new)
    if pair is None:
        return None
    tag, new_tag = pair[0].tag, pair[1].tag
    pos, new_pos = _POS[tag], _POS[new_tag]
    if pos == new_pos == "noun" or tag + new_tag == "JS":
        return "number"
    if pos == new_pos == "verb":
        if tag == new_tag:
            return "spelling" if old.isalpha() else "word choice"
        if change.tables.word_class(old) == "J" == change.tables.word_class(new):
            return "word choice"
        if "Z" in (tag, new_tag) and "V" in (tag, new_tag) and not _after_auxiliary(change):
            return "agreement"
        return "tense"
    if new_tag in "GPD":
        return "tense"
    return "agreement" if new_tag == "Z" else "word choice"


def _read_pair(change: _Change, old: str, new: str) -> tuple[Reading, Reading] | None:
    """Return the likeliest readings of two words as forms of one."""
    tables = change.tables
    olds = tables.readings(old)
    news = tables.readings(new)
    lemmas = {r.lemma for r in olds} & {r.lemma for r in news}
    if not lemmas:
        return None
    before = tables.before.get(change.class_before, {})
    after = tables.after.get(change.class_after, {})
    best, best_score = None, float("-inf")
    for first in olds:
        if first.lemma not in lemmas:
            continue
        for second in news:
            if second.lemma != first.lemma:
                continue
            score = (
                _OLD * (before.get(first.tag, 0.0) + after.get(first.tag, 0.0))
                + before.get(second.tag, 0.0)
                + after.get(second.tag, 0.0)
                - _RANK * (first.rank + second.rank)
                + _SAME_CLASS * (_POS[first.tag] == _POS[second.tag])
            )
            if score > best_score:
                best, best_score = (first, second), score
    return best


def _type_of_words(change: _Change) -> EditType:
    """Return the type if at least one side has several words."""
    tables, old, new = change.tables, change.old, change.new
    letters = {tables.word_class(word) for word in (*old, *new)}
    if letters <= _DETERMINERS:
        return "article" if "a" in letters else "pronoun"
    if letters <= _PRONOUNS:
        return "pronoun"
    if letters <= _PHRASAL_PREPOSITIONS and letters & _PREPOSITIONS:
        return "preposition"
    if letters <= _AUXILIARIES_OR_NOT:
        return "tense"
    if {old[-1], new[-1]} & _possessives(tables) and _share_lemma(tables, old[0], new[0]):
        return "punctuation"
    same = _share_lemma(tables, old[-1], new[-1])
    if same and letters <= _VERBS_IN_DOUBT and letters & _VERBS:
        return "tense"
    if same and letters <= _DEGREES:
        return "word choice"
    pos = {_POS.get(letter, "mark") for letter in letters}
    if pos == {"verb", "particle"} or (len(pos) == 1 and pos <= _OPEN):
        return "word choice"
    return "other"


def _possessives(tables: WordTables) -> set[str]:
    """Return the marks that cannot be mistaken for a letter or a word."""
    return {mark for mark in tables.possessive_marks if mark.startswith("'")}


def _ends(word: str, *endings: str) -> bool:
    return any(ending and word.endswith(ending) for ending in endings)


def _share_lemma(tables: WordTables, old: str, new: str) -> bool:
    """Whether two words can be forms of one."""
    lemmas = {reading.lemma for reading in tables.readings(old)}
    return old == new or any(reading.lemma in lemmas for reading in tables.readings(new))


def _after_auxiliary(change: _Change) -> bool:
    """Whether an auxiliary or "to" precedes, ignoring adverbs."""
    for word in reversed(change.before[-3:]):
        letter = change.tables.word_class(word)
        if letter in "mbhxt":
            return True
        if letter not in "nrR":
            return False
    return False


def _is_auxiliary(change: _Change, letter: str) -> bool:
    """Whether a form of be, have or do precedes a verb in a wrong form."""
    if letter == "m":
        return True
    tables = change.tables
    for word in change.after[:3]:
        follows = tables.word_class(word)
        if follows in "nrR":
            if letter == "x" and follows == "n":
                return True
            continue
        if follows in "bhxm":
            return letter == "h" or _ends(word, tables.gerund_ending)
        if follows == "?":
            return _ends(word, tables.past_ending, tables.gerund_ending)
        if letter == "x" and follows in "iozea":
            return True
        wanted = _AFTER_AUXILIARY.get(letter, "")
        return follows in "VZDPG" or any(r.tag in wanted for r in tables.readings(word))
    return False


def _infinitive_follows(change: _Change) -> bool:
    for word in change.after[:2]:
        letter = change.tables.word_class(word)
        if letter not in "nrR":
            return letter in "Vbhx" or any(r.tag == "V" for r in change.tables.readings(word))
    return False


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")


def _similarity(old: str, new: str) -> float:
    """Return 1 - edit distance / length of the longer."""
    if len(old) > _CONTEXT or len(new) > _CONTEXT:
        return 0.0
    row = list(range(len(new) + 1))
    for i, char in enumerate(old, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(new, 1):
            cost = diagonal if char == other else 1 + min(diagonal, row[j], row[j - 1])
            diagonal, row[j] = row[j], cost
    return 1 - row[-1] / max(len(old), len(new), 1)
