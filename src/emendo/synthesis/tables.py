"""The errors of a language, read from the files of `Language.error_tables`.

The files name their sources. A language needs `kinds.json`; docs/how-to/synthesize.md describes
each file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import RequestError
from emendo.languages import known_languages, load_language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTHING = "∅"


class Confusion(NamedTuple):
    """Words that are written for other words."""

    kind: str
    right: tuple[str, ...]
    """Words in lower case; none for an insertion."""
    wrong: str
    """The words written instead; none for an omission."""
    weight: float
    """How often it occurs per thousand occurrences of the right words."""
    before: str
    """Classes that the word before may have; "" for any."""
    after: str
    """Classes that the word after may have; "" for any."""


@dataclass(frozen=True)
class ErrorTables:
    """The errors of one language."""

    shares: dict[str, float]
    """The share of each kind among all errors."""
    draws: dict[str, float]
    """How often each kind is drawn to reach its share: some seldom find a place."""
    types: dict[str, str]
    """Of each kind, the type of edit that repairs it."""
    confusions: dict[str, dict[str, list[Confusion]]]
    """By kind, then by the first of the right words."""
    insertions: dict[str, dict[str, list[Confusion]]]
    """By kind, then by the class of the word after."""
    misspellings: dict[str, list[str]]
    """Known ones, by word, the most frequent first."""
    letters: dict[tuple[str, str, str], list[tuple[str, float]]]
    """By the letter before, the right letters and the letter after: wrong letters and rates."""
    families: dict[str, list[str]]
    """By word, others with the same root."""


@cache
def load_tables(language: str, more: Path | None = None) -> ErrorTables:
    """Read a language's tables, once.

    Args:
        language: A two-letter code.
        more: Another table of confusions, such as `tools/learn_errors.py` makes from a corpus.

    Raises:
        RequestError: There are no tables.
    """
    folder = load_language(language).error_tables
    if folder is None:
        known = ", ".join(each.code for each in known_languages() if each.error_tables)
        raise RequestError(f"there are no error tables for {language!r}, only for {known}")
    kinds = json.loads((folder / "kinds.json").read_text(encoding="utf-8"))["kinds"]
    confusions: dict[str, dict[str, list[Confusion]]] = {}
    insertions: dict[str, dict[str, list[Confusion]]] = {}
    for path in (folder / "learned.tsv", folder / "written.tsv", *((more,) if more else ())):
        for columns in _rows(path):
            row = _confusion(columns)
            if row.right:
                rows = confusions.setdefault(row.kind, {})
                rows.setdefault(row.right[0], []).append(row)
                continue
            rows = insertions.setdefault(row.kind, {})
            for letter in row.after:
                rows.setdefault(letter, []).append(row)
    letters: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for before, right, after, wrong, rate in _rows(folder / "letters.tsv"):
        letters.setdefault((before, right, after), []).append((wrong, float(rate)))
    return ErrorTables(
        shares={kind: float(item["share"]) for kind, item in kinds.items()},
        draws={kind: float(item.get("draw", item["share"])) for kind, item in kinds.items()},
        types={kind: item["type"] for kind, item in kinds.items()},
        confusions=confusions,
        insertions=insertions,
        misspellings={row[0]: row[1].split() for row in _rows(folder / "misspellings.tsv")},
        letters=letters,
        families={row[0]: row[1].split() for row in _rows(folder / "families.tsv")},
    )


def _rows(path: Path) -> Iterator[list[str]]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def _confusion(columns: list[str]) -> Confusion:
    kind, right, wrong, weight, before, after = (*columns, "", "")[:6]
    return Confusion(
        kind,
        () if right == NOTHING else tuple(right.split(" ")),
        "" if wrong == NOTHING else wrong,
        float(weight),
        before,
        after,
    )
