"""Input files of a command, checked before anything is loaded."""

from __future__ import annotations

import errno
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from emendo.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Characters of a name that an error shows.
_LONGEST = 60


def check_files(paths: Iterable[Path]) -> None:
    """Refuse a path that is not a file; `-` is standard input.

    Raises:
        RequestError: It is a folder, or there is no such file: perhaps it is the text itself.
    """
    for path in paths:
        if str(path) == "-":
            continue
        try:
            is_there, is_folder = path.exists(), path.is_dir()
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            is_there = is_folder = False
        if is_folder:
            raise RequestError(f"{path} is a folder; name the files in it{_pattern(path)}")
        if not is_there:
            raise RequestError(_missing(path))


def _pattern(folder: Path) -> str:
    """Return a command for the most frequent kind of text file in the folder, if there is one."""
    from emendo.text.markup import PLAIN, markup_of

    found = Counter(
        path.suffix
        for path in folder.iterdir()
        if path.suffix == ".txt" or markup_of(path) != PLAIN
    )
    for suffix, _ in found.most_common(1):
        return f": emendo edit --diff {shlex.quote(str(folder))}/*{suffix}"
    return ""


def _missing(path: Path) -> str:
    name = str(path)
    is_long = len(name) > _LONGEST
    said = f"there is no file {name[: _LONGEST - 1] + '…' if is_long else name!r}"
    if not any(map(str.isspace, name)) and (path.suffix or len(path.parts) > 1):
        return said
    text = "TEXT" if is_long else shlex.quote(name)
    return f"{said}; to correct text instead of a file, pipe it: echo {text} | emendo edit"
