"""How edits are explained in one language: sentences with placeholders for words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Wording:
    """Parts of sentences; `emendo.text.explanations` fills in `{}` and `{…}`."""

    quoted: str
    """A word of the text: “{}”."""
    after: str
    """A place, by the quoted word before it."""
    before: str
    """A place, by the quoted word after it."""
    missing: str
    """A sentence for a missing word, {}; a place follows."""
    needless: str
    """A sentence for a word that is not needed, {}; a place follows."""
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
    """The same if {was_means} and {now_means} are known."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What a word means, as it follows the word."""
