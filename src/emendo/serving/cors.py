"""CORS: preflight requests, and headers for answers that do not come from the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from emendo.serving.answers import problem

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.datastructures import Headers
    from starlette.types import Receive, Scope, Send

READABLE = "Retry-After"
"""The header that a page may read besides the usual ones."""
_SAID = "Disallowed CORS "
_OF_THE_BODY = ("content-length", "content-type")


def is_preflight(scope: Scope) -> bool:
    """Whether this is a preflight request, which has no key."""
    names = {name for name, _ in scope["headers"]}
    return scope["method"] == "OPTIONS" and {b"origin", b"access-control-request-method"} <= names


def page_headers(scope: Scope, origins: Collection[str]) -> list[tuple[bytes, bytes]]:
    """Return the headers with which a page may read an answer, if it is one of those allowed."""
    origin = dict(scope["headers"]).get(b"origin", b"")
    if not origin or (origin.decode("latin-1") not in origins and "*" not in origins):
        return []
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", READABLE.encode()),
        (b"vary", b"Origin"),
    ]


class PageAccess(CORSMiddleware):
    """Starlette's middleware with our form of refusals."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser's preflight request."""
        answer = super().preflight_response(request_headers)
        return answer if answer.status_code < 400 else _Refusal(answer)


class _Refusal(Response):
    """A refusal whose form depends on the path, which is known when it is sent."""

    def __init__(self, answer: Response) -> None:
        super().__init__(status_code=answer.status_code)
        self._reasons = bytes(answer.body).decode().removeprefix(_SAID)
        self._kept = {k: v for k, v in answer.headers.items() if k not in _OF_THE_BODY}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = (
            f"this web page may not use the server in this way ({self._reasons}); --cors-origin "
            "names the pages that may GET and POST"
        )
        answer = problem(scope["path"], self.status_code, message, self._kept)
        await answer(scope, receive, send)
