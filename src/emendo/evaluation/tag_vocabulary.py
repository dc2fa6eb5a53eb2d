"""A tagger's fixed vocabulary of operations, to find edits that it cannot make.

Built from training edits like GECToR's: the 5,000 most frequent operations, where changes of case,
number, spacing and order need no entry of their own, and verb forms are a list of pairs.
docs/explanation/evaluation.md describes the differences from GECToR's own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.text.m2 import M2Edit, M2Sentence

_RULES = frozenset({"ORTH", "WO", "NOUN:NUM", "NOUN:INFL"})
_VERBS = frozenset({"VERB:FORM", "VERB:SVA", "VERB:TENSE", "VERB:INFL"})


@dataclass(frozen=True)
class TagVocabulary:
    """The operations of a tagger."""

    operations: frozenset[str]
    verb_forms: frozenset[tuple[str, str]]

    @classmethod
    def learn(cls, sentences: Iterable[M2Sentence], *, size: int = 5000) -> TagVocabulary:
        """Collect the most frequent operations, and every verb form, of training edits."""
        operations: Counter[str] = Counter()
        verb_forms = set()
        for sentence in sentences:
            for edit in sentence.edits:
                if not edit.is_change:
                    continue
                removed, added = _sides(edit, sentence.tokens)
                if _is_verb_form(edit, removed, added):
                    verb_forms.add(_verb_pair(removed, added))
                else:
                    operations.update(_operations(edit, removed, added))
        return cls(
            frozenset(operation for operation, _ in operations.most_common(size)),
            frozenset(verb_forms),
        )

    def covers(self, edit: M2Edit, tokens: tuple[str, ...]) -> bool:
        """Whether the edit can be made of known operations."""
        removed, added = _sides(edit, tokens)
        if _is_verb_form(edit, removed, added):
            return _verb_pair(removed, added) in self.verb_forms
        return self.operations.issuperset(_operations(edit, removed, added))


def edit_group(edit: M2Edit) -> str:
    """Return the paper's coarse type of an edit: `orth & noun`, `verb` or `other`."""
    kind = edit.type[2:]
    if kind in {"ORTH", "NOUN:NUM"}:
        return "orth & noun"
    return "verb" if kind in _VERBS else "other"


def _sides(edit: M2Edit, tokens: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    return tokens[edit.start : edit.end], edit.corrections[0].split()


def _is_verb_form(edit: M2Edit, removed: tuple[str, ...], added: list[str]) -> bool:
    return edit.type[2:] in _VERBS and len(removed) == len(added) == 1


def _verb_pair(removed: tuple[str, ...], added: list[str]) -> tuple[str, str]:
    return removed[0].lower(), added[0].lower()


def _operations(edit: M2Edit, removed: tuple[str, ...], added: list[str]) -> Iterator[str]:
    if edit.type[2:] in _RULES:
        return
    for source, target in zip(removed, added, strict=False):
        if source != target:
            yield f"REPLACE {target}"
    for target in added[len(removed) :]:
        yield f"APPEND {target}"
