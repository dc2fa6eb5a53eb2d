"""Words in a system's output that hunspell's dictionaries for en_US and en_GB do not have."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.text.words import split_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.text import EditedText

FOLDER = Path("/usr/share/hunspell")
_PARTS = re.compile(r"[-‐‑]")


class Hunspell:
    """Both dictionaries, read by spylls."""

    def __init__(self, folder: Path = FOLDER) -> None:
        try:
            from spylls.hunspell import Dictionary
        except ImportError:
            raise SystemExit("spylls is not installed: pip install --group peers") from None
        names = [folder / name for name in ("en_US", "en_GB")]
        for name in names:
            if not name.with_suffix(".dic").is_file():
                raise SystemExit(
                    f"no {name}.dic: apt-get install hunspell-en-us hunspell-en-gb, or --hunspell"
                )
        self._dictionaries = [Dictionary.from_files(str(name)) for name in names]
        self.knows = cache(self._knows)

    def _knows(self, word: str) -> bool:
        word = word.replace("’", "'")
        parts = {word, word.removesuffix("'s"), word.removesuffix("'")}
        return any(map(self._has, parts)) or all(map(self._has, _PARTS.split(word)))

    def _has(self, word: str) -> bool:
        return word.isdigit() or any(each.lookup(word) for each in self._dictionaries)

    def nonwords(self, edited: Iterable[EditedText]) -> Iterator[str]:
        """Yield words of outputs that neither their sources nor the dictionaries have."""
        for each in edited:
            own = set(words_of(each.source))
            yield from (
                word for word in words_of(each.text) if word not in own and not self.knows(word)
            )


def words_of(text: str) -> list[str]:
    """Return the words of a text that have letters and no digits."""
    words = (text[body:end] for _, body, end in split_words(text))
    return [word for word in words if re.search(r"[^\W\d_]", word) and not re.search(r"\d", word)]
