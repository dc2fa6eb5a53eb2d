"""Tables in Markdown that a command writes, each between two comments that name it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with all columns but the first aligned to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def fill(path: Path, parts: Mapping[str, str]) -> None:
    """Write parts to their places in a page.

    Raises:
        ValueError: The page has no place of that name.
    """
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        between = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text, count = re.subn(
            between, lambda m, new=part: f"{m[1]}{new}\n{m[2]}", text, flags=re.DOTALL
        )
        if not count:
            raise ValueError(f"{path} has no <!-- {name} --> and <!-- /{name} -->")
    path.write_text(text, encoding="utf-8")
