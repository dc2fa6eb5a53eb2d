"""Answers: JSON for any text, and errors with their status in the form of each API."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from emendo.errors import (
    AccessError,
    DeadlineError,
    EmendoError,
    ForbiddenError,
    OverloadedError,
    RateError,
    RequestError,
    StorageError,
    TooLargeError,
)

_STATUSES: tuple[tuple[type[EmendoError], int], ...] = (
    (ForbiddenError, 403),
    (AccessError, 401),
    (TooLargeError, 413),
    (RateError, 429),
    (OverloadedError, 429),
    (DeadlineError, 503),
    (StorageError, 507),
    (RequestError, 400),
    (EmendoError, 500),
)
LANGUAGETOOL = "/v2/"
FAILED = "an internal error occurred"
"""The only message about an internal error."""


class TextJSONResponse(JSONResponse):
    """JSON in ASCII, so that lone surrogates, which UTF-8 cannot encode, are preserved."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - whatever JSON can hold
        """Write it."""
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def error_status(error: EmendoError) -> int:
    """Return the HTTP status of an error."""
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def error_answer(path: str, error: EmendoError) -> Response:
    """Return an error to the caller in the form of the API."""
    headers = {}
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return problem(path, error_status(error), str(error.args[0] if error.args else error), headers)


def problem(
    path: str, status: int, message: str, headers: dict[str, str] | None = None
) -> Response:
    """Return an answer with an error message."""
    if path.startswith(LANGUAGETOOL):
        # LanguageTool does not use 401.
        status = 403 if status == 401 else status
        return PlainTextResponse(f"Error: {message}", status, headers=headers)
    if status == 401:
        headers = {**(headers or {}), "WWW-Authenticate": "Bearer"}
    return TextJSONResponse({"error": message}, status, headers=headers)
