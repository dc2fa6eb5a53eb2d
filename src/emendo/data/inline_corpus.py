"""A corpus of texts with inline corrections: a folder whose `files.tsv` lists its files.

A row has file, part, split, writer and topic. A file has one text per line (`text/inline.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

LISTING = "files.tsv"
COLUMNS = ("file", "part", "split", "writer", "topic")
SPLITS = ("train", "dev", "test")


class CorpusFile(NamedTuple):
    """One file of a corpus, with its row of the listing."""

    path: Path
    part: str
    split: str
    writer: str
    topic: str


def read_listing(folder: Path, split: str | None = None) -> list[CorpusFile]:
    """Return the files of a corpus, or those of one split.

    Raises:
        FormatError: There is no listing, a row of it is malformed, or no file has this split.
    """
    listing = folder / LISTING
    if not listing.is_file():
        raise FormatError(f"{folder} is a folder without {LISTING}: give its files one by one")
    header, *rows = listing.read_text(encoding="utf-8").splitlines()
    if tuple(header.split("\t")) != COLUMNS:
        raise FormatError(f"{listing}: line 1: expected the columns {', '.join(COLUMNS)}")
    files = []
    for number, row in enumerate(rows, 2):
        cells = row.split("\t")
        if len(cells) != len(COLUMNS) or cells[2] not in SPLITS:
            raise FormatError(
                f"{listing}: line {number}: expected {len(COLUMNS)} columns and a split of "
                f"{', '.join(SPLITS)}, found {row[:60]!r}"
            )
        files.append(CorpusFile(folder / cells[0], *cells[1:]))
    chosen = [file for file in files if split in (None, file.split)]
    if not chosen:
        raise FormatError(f"{listing} has no file of the split {split!r}")
    return chosen
