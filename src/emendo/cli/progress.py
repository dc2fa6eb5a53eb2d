"""Progress bars on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import TaskID


@contextmanager
def show_steps(
    *, is_worth_it: bool = True
) -> Iterator[Callable[[str, int, int | None], object] | None]:
    """Show the progress of each step on its own line.

    Yields a function that takes the name of a step, how much of it is done, and the total, or
    None if that is unknown. Yields None if nothing is shown.

    Args:
        is_worth_it: Whether the work takes long enough to show progress.
    """
    if not (is_worth_it and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def on_step(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=None)
            progress.update(tasks[name], completed=done, total=total)

        yield on_step
