"""uvicorn's HTTP parser with limits: httptools itself has none.

All bytes of a request count: headers, body, trailers and the bytes between chunks. Its time runs
from the first byte. If all connections are in use, the server closes the one whose caller has been
silent longest, so that slow callers cannot block others.
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
"""In a request's state: it has too many bytes."""
SURPLUS = "emendo_surplus"
"""In a request's state: all connections are in use; only health checks are answered."""
# The query of a GET can contain a whole text.
_MAX_HEAD = 2**20
# Seconds from a connection to its first byte.
_PATIENCE = 30.0
# Seconds for a caller to read an answer before the connection is closed: closing it with unread
# bytes discards what was written, too. Also for a request that arrives while the server stops.
_LINGER = 1.0
# Additional connections, for health checks.
_RESERVE = 64


class _EarlyRequestError(Exception):
    """A request that begins before the previous one is answered; it ends the parser's work."""


class Intake:
    """The state that all connections of a server share."""

    def __init__(self, settings: ServerSettings, connections: int) -> None:
        self.connections = connections
        self.max_request = settings.max_body + _MAX_HEAD
        self.deadline = settings.deadline
        # Half of it is reserved for complete requests, which the door counts.
        self.max_held = settings.max_buffered // 2
        self.held = 0
        self.is_stopping = False
        """Answers close their connections, and silent connections are not waited for."""


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
        self._is_over = False

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as uvicorn has it
        """Start waiting for a request."""
        super().connection_made(transport)
        taken = len(self.connections) - self._intake.connections
        if taken > 0 and not self._close_slowest():
            self._is_surplus = True
            if taken > _RESERVE:
                transport.abort()
                return
        self._wait(_LINGER if self._intake.is_stopping else _PATIENCE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self.resume_writing()
        self._release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless there are too many bytes."""
        if self._is_over:
            return
        self._chunk = len(data)
        self._received += self._chunk
        self._held += self._chunk
        self._intake.held += self._chunk
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._is_whole:
            self._skip()
            return
        if not self._is_past_head and self._received > _MAX_HEAD:
            self.send_400_response("The headers are too long.")
        elif self._received > self._intake.max_request:
            self._refuse()
        while self._intake.held > self._intake.max_held and self._close_slowest():
            pass

    def _skip(self) -> None:
        """Forget bytes that belong to no request: the parser skips empty lines between them."""
        self._release()
        # uvicorn stops its own timer at the first byte. A second empty line adds no time.
        if not self._is_answering and self._timer is None:
            self._wait(self.timeout_keep_alive)

    def on_message_begin(self) -> None:
        """Start counting."""
        if self._is_answering:
            raise _EarlyRequestError
        super().on_message_begin()
        self._received = self._chunk
        self._is_past_head = self._is_whole = False
        self._since = time.monotonic()
        if self._is_surplus:
            is_free = len(self.connections) <= self._intake.connections
            self._is_surplus = not (is_free or self._close_slowest())
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
        """Stop the clock; the app does the rest, and the door counts the bytes."""
        self._is_whole = True
        self._stop_waiting()
        self._release()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Free the memory of an incomplete request; the rest of it is not read."""
        self._since = time.monotonic()
        self._release()
        if not self._is_whole:
            self._wait(_LINGER)
        super().on_response_complete()

    def shutdown(self) -> None:
        """Accept no further request except one that may already be on its way."""
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
        """Answer bytes that are not a request with an error in the usual form.

        If another request is being answered, its caller would take the error for that answer. The
        connection then ends with the answer, and what follows is not read. uvicorn would queue any
        number of further requests, each a hundred times as large as its bytes.
        """
        if self.cycle is not None and not self.cycle.response_complete:
            if self._is_answering:
                self._is_over = True
                self.cycle.keep_alive = False
                return
            if self.cycle.response_started:
                self.transport.close()
                return
        is_languagetool = getattr(self, "url", b"").startswith(LANGUAGETOOL.encode())
        kind = "text/plain; charset=utf-8" if is_languagetool else "application/json"
        said = f"Error: {msg}" if is_languagetool else json.dumps({"error": msg})
        self.transport.write(
            f"HTTP/1.1 400 Bad Request\r\ncontent-type: {kind}\r\ncontent-length: {len(said)}\r\n"
            f"connection: close\r\n\r\n{said}".encode("ascii")
        )
        self.transport.close()

    @property
    def _is_answering(self) -> bool:
        """Whether a whole request is here, and its answer is not done."""
        return self._is_whole and self.cycle is not None and not self.cycle.response_complete

    @property
    def _is_waiting(self) -> bool:
        """Whether the server is waiting for the caller."""
        return not self._is_whole or self.cycle is None or self.cycle.response_complete

    def _close_slowest(self) -> bool:
        """Close the connection whose caller has been silent longest."""
        waiting = (
            each
            for each in self.connections
            if isinstance(each, BoundedProtocol) and each is not self and each._is_waiting
        )
        slowest = min(waiting, key=lambda each: each._since, default=None)
        if slowest is None:
            return False
        slowest.transport.abort()
        # It is notified later; until then it must not be found again.
        self.connections.discard(slowest)
        slowest._release()
        return True

    def _refuse(self) -> None:
        """Let the app answer that it is too much, if it still can."""
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
        self._timer = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded_protocol(intake: Intake) -> Callable[..., asyncio.Protocol]:
    """Return a factory for the protocol of each connection of one server."""
    return partial(BoundedProtocol, intake=intake)
