"""uvicorn's HTTP parser with limits: httptools itself has none.

All bytes of a request count, be they headers, body, trailers or what lies between chunks, and its
time runs from the first of them. A server whose connections are all taken closes the one that has
kept it waiting the longest, so that slow callers cannot shut out others.
"""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from emendo.serving.answers import LANGUAGETOOL
from emendo.serving.deadline import BEGUN

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from emendo.serving.settings import ServerSettings

TOO_LONG = "emendo_too_long"
"""In a request's state: more bytes came than it may have."""
SURPLUS = "emendo_surplus"
"""In a request's state: all connections are taken; only those who watch are answered."""
# A whole text may stand in the query of a GET.
_MAX_HEAD = 2**20
# Seconds from a connection to its first byte.
_PATIENCE = 30.0
# Seconds in which a caller may take an answer before the connection is closed: whoever closes with
# bytes unread takes back what was written, too. Also for a request that is on its way to a server
# that stops.
_LINGER = 1.0
# Connections beyond all others, for those who watch the server.
_RESERVE = 64


class Intake:
    """What all connections of a server hold together."""

    def __init__(self, settings: ServerSettings, connections: int) -> None:
        self.connections = connections
        self.max_request = settings.max_body + _MAX_HEAD
        self.deadline = settings.deadline
        # Half of it is left for requests that have come in whole; the door counts those.
        self.max_held = settings.max_buffered // 2
        self.held = 0
        self.is_stopping = False
        """Answers close their connections; those who say nothing are not waited for."""


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections whose requests are too long or too slow."""

    def __init__(self, *arguments: Any, intake: Intake, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self._intake = intake
        self._since = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._chunk = self._received = self._held = 0
        self._is_past_head = False
        self._is_whole = True
        self._is_surplus = False

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        taken = len(self.connections) - self._intake.connections
        if taken > 0 and not self._close_slowest():
            self._is_surplus = True
            if taken > _RESERVE:
                transport.abort()
                return
        self._wait(_LINGER if self._intake.is_stopping else _PATIENCE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        self.resume_writing()
        self._release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless it is too much."""
        self._chunk = len(data)
        self._received += self._chunk
        self._held += self._chunk
        self._intake.held += self._chunk
        super().data_received(data)
        if self._is_whole or self.transport.is_closing():
            return
        if not self._is_past_head and self._received > _MAX_HEAD:
            self.send_400_response("The headers are too long.")
        elif self._received > self._intake.max_request:
            self._refuse()
        while self._intake.held > self._intake.max_held and self._close_slowest():
            pass

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._received = self._chunk
        self._is_past_head = self._is_whole = False
        self._since = time.monotonic()
        state = self.scope["state"]
        state[BEGUN] = self._since
        state[SURPLUS] = self._is_surplus
        self._wait(self._intake.deadline + _LINGER)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; trailers are ignored."""
        if not self._is_past_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Give the request to the app, which reads the body."""
        self._is_past_head = True
        super().on_headers_complete()
        if self._intake.is_stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Stop the clock: the rest is up to the app."""
        self._is_whole = True
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Free what the request held; if it has not come in whole, its rest is not waited for."""
        self._since = time.monotonic()
        if not self.pipeline:
            self._release()
            if not self._is_whole:
                self._wait(_LINGER)
        super().on_response_complete()

    def shutdown(self) -> None:
        """Take no further request, but the one that may be on its way: who sent it cannot know."""
        self._intake.is_stopping = True
        if self.cycle is not None and not self.cycle.response_complete:
            super().shutdown()
        elif self._is_whole:
            self._wait(_LINGER)

    def pause_writing(self) -> None:
        """Wait until the answer is read, within the deadline."""
        super().pause_writing()
        self._writing = self.loop.call_later(self._intake.deadline, self.transport.abort)

    def resume_writing(self) -> None:
        """Write on."""
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are not a request with an error in the usual form."""
        is_languagetool = getattr(self, "url", b"").startswith(LANGUAGETOOL.encode())
        kind = "text/plain; charset=utf-8" if is_languagetool else "application/json"
        said = f"Error: {msg}" if is_languagetool else json.dumps({"error": msg})
        self.transport.write(
            f"HTTP/1.1 400 Bad Request\r\ncontent-type: {kind}\r\ncontent-length: {len(said)}\r\n"
            f"connection: close\r\n\r\n{said}".encode("ascii")
        )
        self.transport.close()

    @property
    def _is_waiting(self) -> bool:
        """Whether it is the caller who keeps the connection open."""
        return not self._is_whole or self.cycle is None or self.cycle.response_complete

    def _close_slowest(self) -> bool:
        """Close the connection whose caller has said nothing whole for the longest time."""
        waiting = (
            each
            for each in self.connections
            if isinstance(each, BoundedProtocol) and each is not self and each._is_waiting
        )
        slowest = min(waiting, key=lambda each: each._since, default=None)
        if slowest is None:
            return False
        slowest.transport.abort()
        # It is told later that it is lost; until then it must not be found again.
        self.connections.discard(slowest)
        slowest._release()
        return True

    def _refuse(self) -> None:
        """Have the app say that it is too much, if it still can."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
            return
        self.flow.pause_reading()
        self.cycle.scope["state"][TOO_LONG] = True
        self.cycle.message_event.set()
        self._wait(_LINGER)

    def _release(self) -> None:
        self._intake.held -= self._held
        self._held = 0

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._end, seconds)

    def _end(self, seconds: float) -> None:
        if self.pipeline:
            # It is we who do not read on: the request before this one is not done.
            self._wait(seconds)
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded_protocol(intake: Intake) -> Callable[..., asyncio.Protocol]:
    """Return what makes the protocol of each connection of one server."""
    return partial(BoundedProtocol, intake=intake)
