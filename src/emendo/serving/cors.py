"""Preflight requests of web pages, refused in the usual form of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from emendo.serving.answers import problem

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import Receive, Scope, Send

_SAID = "Disallowed CORS "
_OF_THE_BODY = ("content-length", "content-type")


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
