"""uvicorn's HTTP parser with an end to headers: httptools itself would read them for ever."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# A whole text may stand in the query of a GET.
_MAX_HEAD = 2**20
# Seconds from a connection, or the first byte of a request, to the end of its headers.
_PATIENCE = 30.0


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections whose request line and headers are too long, or too slow."""

    _head = 0
    _is_past_head = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless it is too much."""
        super().data_received(data)
        if self._is_past_head:
            return
        self._head += len(data)
        if self._head > _MAX_HEAD and not self.transport.is_closing():
            self.send_400_response("The headers are too long.")

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._head, self._is_past_head = 0, False
        self._wait()

    def on_headers_complete(self) -> None:
        """Count no longer: the body is the app's to bound."""
        self._is_past_head = True
        self._stop_waiting()
        super().on_headers_complete()

    def _wait(self) -> None:
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
