"""LanguageTool's rule and category for each type of edit."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A type of edit in LanguageTool's terms."""

    id: str
    description: str
    category: str
    category_name: str
    issue_type: str
    """As ITS 2.0 has them."""

    @property
    def type_name(self) -> str:
        """Return how LanguageTool's own clients colour it."""
        return "UnknownWord" if self.issue_type == "misspelling" else "Other"


_GRAMMAR = ("GRAMMAR", "Grammar", "grammar")

RULES = {
    # LTeX takes rules of this ending for unknown words, which can be added to a dictionary.
    "spelling": Rule(
        "EMENDO_SPELLER_RULE", "Possible spelling mistake", "TYPOS", "Possible Typo", "misspelling"
    ),
    "casing": Rule("EMENDO_CASING", "Wrong capitals", "CASING", "Capitalization", "typographical"),
    "punctuation": Rule(
        "EMENDO_PUNCTUATION",
        "Missing, needless or wrong punctuation",
        "PUNCTUATION",
        "Punctuation",
        "typographical",
    ),
    "spacing": Rule(
        "EMENDO_SPACING", "Wrong space or hyphen", "TYPOGRAPHY", "Typography", "whitespace"
    ),
    "article": Rule("EMENDO_ARTICLE", "Missing, needless or wrong article", *_GRAMMAR),
    "preposition": Rule("EMENDO_PREPOSITION", "Missing, needless or wrong preposition", *_GRAMMAR),
    "agreement": Rule("EMENDO_AGREEMENT", "Verb that does not agree with its subject", *_GRAMMAR),
    "tense": Rule("EMENDO_TENSE", "Wrong tense or form of a verb", *_GRAMMAR),
    "number": Rule("EMENDO_NUMBER", "Singular or plural", *_GRAMMAR),
    "pronoun": Rule("EMENDO_PRONOUN", "Missing, needless or wrong pronoun", *_GRAMMAR),
    "word order": Rule("EMENDO_WORD_ORDER", "Wrong order of words", *_GRAMMAR),
    "word choice": Rule(
        "EMENDO_WORD_CHOICE",
        "Word that does not fit",
        "CONFUSED_WORDS",
        "Commonly Confused Words",
        "grammar",
    ),
    "confused word": Rule(
        "EMENDO_CONFUSED_WORD",
        "Word that is easily confused with another",
        "CONFUSED_WORDS",
        "Commonly Confused Words",
        "grammar",
    ),
    "missing word": Rule("EMENDO_MISSING_WORD", "Missing word", *_GRAMMAR),
    "extra word": Rule("EMENDO_EXTRA_WORD", "Needless word", *_GRAMMAR),
    "other": Rule("EMENDO_OTHER", "Rewritten words", "MISC", "Miscellaneous", "uncategorized"),
}
"""By type of edit; every one of `EDIT_TYPES` has its own."""


class RuleFilter(NamedTuple):
    """The rules that a request enables."""

    enabled_rules: frozenset[str] = frozenset()
    disabled_rules: frozenset[str] = frozenset()
    enabled_categories: frozenset[str] = frozenset()
    disabled_categories: frozenset[str] = frozenset()
    enabled_only: bool = False

    def wants(self, rule: Rule) -> bool:
        """Whether a rule's matches are to be shown."""
        if self.enabled_only:
            return rule.id in self.enabled_rules or rule.category in self.enabled_categories
        if rule.id in self.disabled_rules:
            return False
        return rule.category not in self.disabled_categories or rule.id in self.enabled_rules
