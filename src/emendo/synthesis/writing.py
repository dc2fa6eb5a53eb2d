"""Pairs into files that `emendo.data.readers` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from emendo.errors import FormatError
from emendo.files import replaced_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from emendo.synthesis.error_writer import WrongSentence

SUFFIXES = (".tsv", ".jsonl")


def check_suffix(path: Path) -> None:
    """Refuse a file with an unknown suffix.

    Raises:
        FormatError: The suffix is not known.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise FormatError(f"{path}: the suffix must be {' or '.join(SUFFIXES)}")


def write_pairs(sentences: Iterable[WrongSentence], path: Path) -> None:
    r"""Write `source<TAB>target` lines, or objects with the kinds of the errors, by the suffix."""
    check_suffix(path)
    as_json = path.suffix.lower() == ".jsonl"
    with (
        replaced_file(path) as partial,
        partial.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for sentence in sentences:
            if as_json:
                item = {
                    "source": sentence.source,
                    "target": sentence.target,
                    "kinds": [kind for _, kind in sentence.errors],
                }
                file.write(json.dumps(item, ensure_ascii=False) + "\n")
            else:
                file.write(f"{sentence.source}\t{sentence.target}\n")
