"""Work that takes long in Python, kept off the event loop, which others wait for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")

LONG = 2000
"""Characters from which on a thread pays: below, the way there takes longer than the work."""


async def run_aside(work: Callable[[], Result], size: int) -> Result:
    """Do work on so many characters, in a thread if they are many."""
    return work() if size < LONG else await asyncio.to_thread(work)
