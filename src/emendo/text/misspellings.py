"""Known misspellings, each with its correction.

The table is applied before the network, which then reads the intended words
(docs/decisions/0018-known-misspellings.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.errors import FormatError
from emendo.text.edits import Edit, EditedText
from emendo.text.meant_so import is_meant_so
from emendo.text.words import is_ending, split_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# At the start of a sentence a short word with a capital may well be a name.
_SHORTEST_WITH_CAPITAL = 5


class Misspellings:
    """A table of misspellings, in lower case."""

    def __init__(self, meant: Mapping[str, str], *, confidence: float = 1.0) -> None:
        """Take a table.

        Args:
            meant: The intended word, by misspelling.
            confidence: How often its corrections are right.
        """
        self._meant = meant
        self._confidence = confidence

    @classmethod
    def from_file(cls, path: Path, *, confidence: float = 1.0) -> Misspellings:
        """Read a file with a misspelling, a tab and the intended word on each line.

        Args:
            path: The file.
            confidence: How often its corrections are right.

        Raises:
            FormatError: It is not UTF-8, or a line is malformed; lines that start with # are
                comments.
        """
        meant: dict[str, str] = {}
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if line.startswith("#"):
                        continue
                    wrong, tab, right = line.rstrip("\n").partition("\t")
                    if not (wrong and tab and right) or "\t" in right:
                        raise FormatError(
                            f"{path}: line {number}: expected a misspelling, a tab and a word"
                        )
                    meant[wrong] = right
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path} is not UTF-8 ({error.reason}); copy or export the bundle again"
            ) from error
        return cls(meant, confidence=confidence)

    def correct(self, text: str) -> EditedText:
        """Correct a sentence's words; one with a capital inside a sentence may be a name.

        A quoted word stays, and so do one with letters left out (goin') and the ending of a name
        (song.als).
        """
        edits = []
        is_first = True
        for _, body, end in split_words(text):
            word = text[body:end]
            if not word[:1].isalpha():
                continue
            has_capital = is_first and word[0].isupper() and len(word) >= _SHORTEST_WITH_CAPITAL
            is_first = False
            if is_ending(text, body, end):
                continue
            small = word[0].lower() + word[1:] if has_capital else word
            right = self._meant.get(small)
            if right and not is_meant_so(text, body, end, (right,)):
                right = right[0].upper() + right[1:] if has_capital else right
                edits.append(Edit(body, end, right, confidence=self._confidence))
        return EditedText(text, tuple(edits), self._confidence if edits else 1.0)
