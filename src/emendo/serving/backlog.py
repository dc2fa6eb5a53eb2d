"""Connections that the system has made for a server, and that the server has not accepted yet.

A port that is closed resets them, although their callers may have sent a request already.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import selectors
import socket
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_logger = logging.getLogger(__name__)

# Seconds in which connections that are being made are completed: what a packet takes to the caller
# and back.
_ROUND_TRIP = 0.05
# Where nothing can be accepted, because no more files may be open, callers remain.
_MOST_TURNS = 10_000
_SO_ATTACH_FILTER = 26
# A program of the kernel's packet filter: an operation, two jumps, an operand.
_DROP_SYN = b"".join(
    struct.pack("HBBI", *step)
    for step in (
        (0x30, 0, 0, 13),  # load the byte of the TCP header with the flags
        (0x45, 0, 1, 0x02),  # is it SYN, the first packet of a connection?
        (0x06, 0, 0, 0),  # then drop it
        (0x06, 0, 0, 0xFFFFFFFF),  # else take it
    )
)


async def accept_last(sockets: Sequence[socket.socket]) -> None:
    """Let the event loop accept all connections that wait, so that the sockets can be closed.

    On Linux, new connections are not made meanwhile: callers who try get no answer, and are refused
    when they try again. Elsewhere, one that is made right before the close is lost.
    """
    for each in sockets:
        _make_no_more(each)
    await asyncio.sleep(_ROUND_TRIP)
    with selectors.DefaultSelector() as selector:
        for each in sockets:
            selector.register(each, selectors.EVENT_READ)
        # uvloop accepts one connection in each turn. A timer may run before the loop polls sockets.
        for _ in range(_MOST_TURNS):
            if not selector.select(0):
                break
            await asyncio.sleep(0)


def _make_no_more(listening: socket.socket) -> None:
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(_DROP_SYN, len(_DROP_SYN))
    steps = len(_DROP_SYN) // struct.calcsize("HBBI")
    option = struct.pack("HP", steps, ctypes.addressof(program))
    try:
        listening.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, option)
    except OSError as error:
        _logger.debug("connections are made until the end", extra={"error": error.strerror})
