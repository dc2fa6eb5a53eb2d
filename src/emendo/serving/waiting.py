"""Work for a caller who may disconnect before it is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any, TypeVar

    from starlette.requests import Request

    Result = TypeVar("Result")


async def while_present(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Do work, and stop as soon as the caller disconnects; the body must have been read.

    Raises:
        ClientDisconnect: The caller has disconnected.
    """
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise ClientDisconnect
    finally:
        leaving.cancel()
        if not doing.done():
            doing.cancel()
            # It frees its resources before the request ends.
            await asyncio.wait({doing})


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
