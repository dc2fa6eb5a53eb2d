"""The outermost layer: checks origin and size of every request, and logs it.

It is plain ASGI around the framework, so that no error or text can bypass it: a log line has the
route, the status and the time, never a query, a body or the message of an exception.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from emendo.errors import EmendoError, OverloadedError, RequestError, TooLargeError
from emendo.serving.answers import FAILED, LANGUAGETOOL, error_answer, error_status, problem
from emendo.serving.callers import CALLER
from emendo.serving.cors import is_preflight, page_headers
from emendo.serving.deadline import Deadline
from emendo.serving.failures import describe_failure
from emendo.serving.protocol import SURPLUS, TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from emendo.serving.access import Access
    from emendo.serving.rate_limit import RateLimit
    from emendo.serving.routes import RouteNames
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry

_logger = logging.getLogger("emendo.requests")

ALWAYS_OPEN = ("/health", "/ready", "/v2/healthcheck")
"""Answered before all limits, so that monitoring always works."""
PUBLIC = ("/", "/docs", "/openapi.json", *ALWAYS_OPEN)
"""Need no key, like the page's own files: they describe the API, and contain no user data."""
_WORK = ("/v1/edit", "/v1/align", "/v2/check")
_PAGE = "/page/"
_REQUEST_ID = re.compile(rb"[0-9a-fA-F-]{8,64}")
# For the log only: the caller has disconnected.
_GONE = 499
_REFUSALS = {401: "key", 403: "key", 413: "size", 429: "load"}


class Door:
    """Accepts or refuses requests, and logs them."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        routes: RouteNames,
        settings: ServerSettings,
        access: Access,
        rate: RateLimit,
        telemetry: Telemetry,
        is_full: Callable[[], bool],
    ) -> None:
        self._app = app
        self.routes = routes
        self._access = access
        self._rate = rate
        self._telemetry = telemetry
        self._is_full = is_full
        self._max_body = settings.max_body
        self._max_buffered = settings.max_buffered
        self._deadline = settings.deadline
        self._origins = settings.cors_origins
        self._buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = time.perf_counter()
        request_id = _request_id(scope)
        status = 0
        deadline = Deadline.start(scope, self._deadline)
        body = _Body(self, scope, receive, deadline)

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                # A disconnected caller is not a failure, whatever the framework raises.
                status = _GONE if body.has_left else message["status"]
                headers = list(message.get("headers", ()))
                headers += (
                    (b"x-request-id", request_id.encode()),
                    (b"x-content-type-options", b"nosniff"),
                )
                # Only the page, which is the same for all, sets its own caching.
                named = {name for name, _ in headers}
                if b"cache-control" not in named:
                    headers.append((b"cache-control", b"no-store"))
                # Refusals by the door do not pass through the app's middleware.
                if b"access-control-allow-origin" not in named:
                    headers += page_headers(scope, self._origins)
                message["headers"] = headers
            await send(message)

        try:
            self._admit(scope)
            if scope["path"] not in ALWAYS_OPEN:
                body.hold(_head_size(scope))
            await self._app(scope, body.receive, send_on)
        except EmendoError as error:
            if not status:
                await error_answer(scope["path"], error)(scope, receive, send_on)
                if error_status(error) >= 500:
                    _logger.error("failed", extra={"failure": describe_failure(error)})
        except ClientDisconnect:
            status = status or _GONE
        except asyncio.CancelledError:
            # The server stops, and the time to wait is over.
            if not status:
                stopping = problem(scope["path"], 503, "the server is being stopped")
                await stopping(scope, receive, send_on)
        # The caller gets an answer in any case, and the server's own log must not quote the error.
        except Exception as error:
            if not body.has_left:
                _logger.error("failed", extra={"failure": describe_failure(error)})
            if not status:
                await problem(scope["path"], 500, FAILED)(scope, receive, send_on)
        finally:
            self._buffered -= body.held
            self._write_down(scope, request_id, status, time.perf_counter() - begin)

    def _admit(self, scope: Scope) -> None:
        """Refuse callers without a key, above their rate, or with too large a request."""
        self._access.enter(scope)
        caller = self._access.caller(scope)
        CALLER.set(caller)
        path = scope["path"]
        # The app answers a preflight request and runs no route.
        if path in ALWAYS_OPEN or (self._origins and is_preflight(scope)):
            return
        # The page consists of many small files, which would use up a caller's rate.
        if not path.startswith(_PAGE):
            self._rate.take(caller)
        self._check(scope)
        if not (path in PUBLIC or path.startswith((_PAGE, LANGUAGETOOL))):
            # Under /v2 a key can be in the body; everywhere else it is checked before.
            self._access.owner(scope)

    def _check(self, scope: Scope) -> None:
        """Refuse excessive requests before a byte of them is read."""
        if scope["state"].get(SURPLUS):
            raise OverloadedError("all connections are in use; try again in a second")
        if self._is_full() and scope["path"].startswith(_WORK):
            raise OverloadedError("too many requests are waiting; try again in a second")
        for name, value in scope["headers"]:
            # Python refuses to read a number of thousands of digits; the first ones are enough.
            if name == b"content-length" and value.isdigit() and int(value[:20]) > self._max_body:
                raise self.too_large()
        if len(scope["query_string"]) > self._max_body:
            raise self.too_large()

    def too_large(self) -> TooLargeError:
        """Return the error for a body that is too long."""
        return TooLargeError(
            f"a request may have at most {self._max_body:,} bytes; this one has more"
        )

    def hold(self, size: int) -> None:
        """Count bytes of a request that are in memory until it is done."""
        self._buffered += size
        if self._buffered > self._max_buffered:
            raise OverloadedError("too many bytes are being received; try again in a second")

    @property
    def max_body(self) -> int:
        """Bytes of one request."""
        return self._max_body

    def _write_down(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = self.routes.name(scope["path"])
        self._telemetry.requests.labels(route, str(status)).observe(seconds)
        if status in _REFUSALS:
            self._telemetry.refused.labels(_REFUSALS[status]).inc()
        notes = scope.get("state", {}).get("notes", {})
        is_quiet = status in (413, 429) or route in (*ALWAYS_OPEN, "/metrics")
        is_quiet = is_quiet or route.startswith(_PAGE)
        _logger.log(
            logging.DEBUG if is_quiet else logging.INFO,
            "request",
            extra={
                "request_id": request_id,
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(1000 * seconds, 2),
                **notes,
            },
        )


class _Body:
    """The body of a request as it arrives, within the limits of size and time."""

    def __init__(self, door: Door, scope: Scope, receive: Receive, deadline: Deadline) -> None:
        self._door = door
        self._scope = scope
        self._receive = receive
        self._deadline = deadline
        self._is_whole = False
        self.has_left = False
        """Whether the caller disconnected before the answer."""
        self.held = 0
        """Bytes of the request that the door counts."""
        self._size = 0

    def hold(self, size: int) -> None:
        """Count more bytes of the request."""
        self.held += size
        self._door.hold(size)

    async def receive(self) -> Message:
        if self._is_whole:
            # From here on, the only possible message is a disconnect.
            return self._seen(await self._receive())
        # Not `wait_for`: before Python 3.12 it may swallow the cancellation of who waits.
        coming = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait({coming}, timeout=self._deadline.left)
            if not coming.done():
                raise _refusal(RequestError("the body did not arrive in time"))
        finally:
            coming.cancel()
        message = coming.result()
        if self._scope["state"].get(TOO_LONG):
            raise _refusal(self._door.too_large())
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._size += size
            try:
                self.hold(size)
                if self._size > self._door.max_body:
                    raise self._door.too_large()
            except EmendoError as error:
                raise _refusal(error) from None
            self._is_whole = not message.get("more_body", False)
        return self._seen(message)

    def _seen(self, message: Message) -> Message:
        self.has_left = self.has_left or message["type"] == "http.disconnect"
        return message


def _refusal(error: EmendoError) -> HTTPException:
    """Return the error as one that frameworks pass on while they read a body."""
    retry_after = getattr(error, "retry_after", None)
    headers = None if retry_after is None else {"Retry-After": str(retry_after)}
    return HTTPException(error_status(error), str(error), headers)


def _head_size(scope: Scope) -> int:
    headers = sum(len(name) + len(value) for name, value in scope["headers"])
    return headers + len(scope["query_string"])


def _request_id(scope: Scope) -> str:
    """Return the request's own id if it is valid, to trace it through several servers."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return str(value.decode())
    return secrets.token_hex(8)


def note(scope: Scope, **figures: float | str) -> None:
    """Add figures to a request's line in the log: counts, never text."""
    scope.setdefault("state", {}).setdefault("notes", {}).update(figures)
