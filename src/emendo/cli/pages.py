"""The path of a command's page, checked before the work begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def check_page(page: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse a page that cannot be written or would overwrite an input.

    Raises:
        RequestError: Its folder does not exist, it is a folder, or it is one of the inputs.
    """
    if not page.parent.is_dir():
        raise RequestError(f"--page {page}: there is no folder {page.parent}")
    if page.is_dir():
        raise RequestError(f"--page {page} is a folder: name a file in it")
    if page.resolve() in {path.resolve() for path in inputs if path}:
        raise RequestError(f"--page {page} is one of the inputs: choose another name")
