"""How edits are explained in one language: sentences with room for the words at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Wording:
    """Parts of sentences; `{}` and `{…}` are what `emendo.text.explanations` fills in."""

    quoted: str
    """A word of the text: “{}”."""
    after: str
    """Where something is, by the quoted word before it."""
    before: str
    """Where something is, by the quoted word after it."""
    missing: str
    """What is missing, {}; a place follows."""
    needless: str
    """What is not needed, {}; a place follows."""
    missing_marks: Mapping[str, str]
    """Names of punctuation marks that are missing, as `missing` takes them."""
    needless_marks: Mapping[str, str]
    """Names of punctuation marks that are not needed, as `needless` takes them."""
    parts: Mapping[str, str]
    """By type of edit, a word of that class, {}, as `missing` and `needless` take it."""
    missing_space: str
    needless_space: str
    wrong: Mapping[str, str]
    """By type of edit, the sentence for {was} that should be {now}."""
    other: str
    """The same for all other types."""
    confused: str
    """For {was} and {now}, which are easily confused."""
    confused_meanings: str
    """The same where {was_means} and {now_means} are known."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What a word means, as it follows the word."""
