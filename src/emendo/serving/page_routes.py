"""The page at `/`: static files, read once, which load nothing from other hosts."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

_INDEX = "index.html"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    # No text can be executed, and nothing can be sent to other hosts.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    # The address may contain a key.
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    # Cached but revalidated, so that after an update no old script meets a new server.
    "Cache-Control": "no-cache",
}


class _File(NamedTuple):
    content: bytes
    media_type: str
    tag: str


def page_routes() -> list[Route]:
    """Return the routes of the page; they need no key, because the page asks the user for it."""
    found = _read()

    async def index(request: Request) -> Response:
        return _answer(request, found[_INDEX])

    async def part(request: Request) -> Response:
        # Only names of files that were read, so no path can lead elsewhere.
        file = found.get(request.path_params["name"])
        if file is None:
            raise HTTPException(404)
        return _answer(request, file)

    return [
        Route("/", index, methods=["GET"]),
        Route("/page/{name}", part, methods=["GET"]),
    ]


def _read() -> dict[str, _File]:
    found = {}
    for path in (files("emendo.serving") / "page").iterdir():
        content = path.read_bytes()
        media_type = _TYPES[path.name[path.name.rindex(".") :]]
        found[path.name] = _File(content, media_type, f'"{hashlib.sha256(content).hexdigest()}"')
    return found


def _answer(request: Request, file: _File) -> Response:
    headers = {**_HEADERS, "ETag": file.tag}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)
