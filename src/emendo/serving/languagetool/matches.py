"""Edits as LanguageTool's matches; positions in UTF-16 code units of text and markup."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from emendo.serving.languagetool.corrections import Correction, corrections
from emendo.serving.languagetool.rules import RULES, Rule
from emendo.serving.utf16 import Utf16Positions
from emendo.text import split_sentences
from emendo.text.explanations import explain, explain_many

if TYPE_CHECKING:
    from collections.abc import Iterable

    from emendo.inference.mixed_document import MixedDocument
    from emendo.serving.languagetool.rules import RuleFilter
    from emendo.text import Edit
    from emendo.text.annotated_text import AnnotatedText

# Characters of the document to either side of a match.
_CONTEXT = 40
_ELLIPSIS = "..."
# Of a sentence, which every match in it repeats: a usual one fits completely. Clients show it, or
# compare it (LTeX, for hidden matches); none counts positions in it.
_SENTENCE = 400
MAX_MATCHES = 10_000
"""Of one answer; a warning says if there are more."""
_MAX_REPLACEMENTS = 10
_MAX_COMPACT_REPLACEMENTS = 5


class MatchWriter:
    """Writes the matches of one text."""

    def __init__(
        self,
        annotated: AnnotatedText,
        document: MixedDocument | None,
        *,
        language: str,
        is_compact: bool = False,
    ) -> None:
        """Prepare to write.

        Args:
            annotated: The text.
            document: What was read of it, if anything was.
            language: The code of its language; a paragraph in another has its own.
            is_compact: Whether matches repeat nothing of the text.
        """
        self._annotated = annotated
        self._document = document
        self._language = language
        self._is_compact = is_compact
        self._units = Utf16Positions(annotated.whole)
        self._sentences = split_sentences(annotated.plain, languages=(language,))
        self.is_complete = True
        """Whether all matches of a text were written."""

    def sentence_ranges(self) -> list[list[int]]:
        """Return where the sentences start and end."""
        placed = (self._annotated.place(start, end) for start, end in self._sentences)
        return [[self._units(start), self._units(end)] for start, end in placed if start < end]

    def sentence_languages(self) -> list[str]:
        """Return the languages of the sentences of `sentence_ranges`."""
        return [
            self._language_at(start)
            for start, end in self._sentences
            if range(*self._annotated.place(start, end))
        ]

    def _language_at(self, position: int) -> str:
        found = self._document.language_at(position) if self._document else None
        return found or self._language

    def matches(self, edits: Iterable[Edit], rules: RuleFilter) -> list[dict[str, Any]]:
        """Return the matches of the edits whose rules are enabled."""
        wanted = [edit for edit in edits if rules.wants(RULES[edit.type])]
        found = corrections(self._annotated, wanted)
        self.is_complete = len(found) <= MAX_MATCHES
        return [self._match(each) for each in found[:MAX_MATCHES]]

    def _match(self, correction: Correction) -> dict[str, Any]:
        source = self._annotated.plain
        replacements = correction.replacements(source)
        kinds = {edit.type for edit in correction.edits}
        kind = kinds.pop() if len(kinds) == 1 else "other"
        rule = RULES[kind]
        language = self._language_at(correction.edits[0].start)
        if len(correction.edits) == 1:
            message = explain(source, correction.edits[0], language=language)
        else:
            message = explain_many(
                source,
                correction.start,
                correction.end,
                replacements[0],
                language=language,
            )
        start, end = self._annotated.place(correction.start, correction.end)
        offset = self._units(start)
        confidence = min(edit.confidence for edit in correction.edits)
        most = _MAX_COMPACT_REPLACEMENTS if self._is_compact else _MAX_REPLACEMENTS
        listed: list[dict[str, Any]] = [{"value": value} for value in replacements[:most]]
        listed[0]["confidence"] = round(confidence, 4)
        match: dict[str, Any] = {
            "message": message,
            "shortMessage": kind.capitalize(),
            "replacements": listed,
            "offset": offset,
            "length": self._units(end) - offset,
        }
        if not self._is_compact:
            match["context"] = self._context(start, end)
            match["sentence"] = self._sentence(correction.start, correction.end)
        return match | {
            "type": {"typeName": rule.type_name},
            "rule": rule_entry(rule),
            "ignoreForIncompleteSentence": False,
            "contextForSureMatch": 0,
        }

    def _context(self, start: int, end: int) -> dict[str, Any]:
        whole = self._annotated.whole
        first, last = max(0, start - _CONTEXT), min(len(whole), end + _CONTEXT)
        before = _ELLIPSIS if first else ""
        after = _ELLIPSIS if last < len(whole) else ""
        shown = whole[first:last].replace("\n", " ")
        return {
            "text": before + shown + after,
            "offset": len(before) + self._units(start) - self._units(first),
            "length": self._units(end) - self._units(start),
        }

    def _sentence(self, first: int, last: int) -> str:
        """Return the sentence of a match, or the part of a long sentence around the match."""
        k = bisect_right(self._sentences, (first, len(self._annotated.plain))) - 1
        start, end = self._sentences[max(k, 0)] if self._sentences else (0, 0)
        if end - start > _SENTENCE:
            middle = (first + min(last, first + _SENTENCE)) // 2
            start = max(start, min(middle - _SENTENCE // 2, end - _SENTENCE))
            end = start + _SENTENCE
        return self._annotated.plain[start:end]


def rule_entry(rule: Rule) -> dict[str, Any]:
    """Return a rule as a match names it."""
    return {
        "id": rule.id,
        "description": rule.description,
        "issueType": rule.issue_type,
        "category": {"id": rule.category, "name": rule.category_name},
        "isPremium": False,
    }
