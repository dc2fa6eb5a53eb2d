"""The app: one editor, or several, behind two APIs and a page."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

import emendo
from emendo.bundle.format import CORRECTION
from emendo.errors import EmendoError
from emendo.serving.access import Access
from emendo.serving.answers import FAILED, error_answer, problem
from emendo.serving.api_page import api_page
from emendo.serving.cors import READABLE, PageAccess
from emendo.serving.door import Door
from emendo.serving.languagetool import LanguageTool
from emendo.serving.languagetool.user_words import UserWords
from emendo.serving.native import native_router
from emendo.serving.operations import operation_routes
from emendo.serving.page_routes import page_routes
from emendo.serving.rate_limit import RateLimit
from emendo.serving.routes import RouteNames
from emendo.serving.service import EditingService
from emendo.serving.telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from emendo.inference import Editor, Editors
    from emendo.serving.settings import ServerSettings

_DESCRIPTION = (
    "Corrects text, or edits it in another way if the model has another task: see /v1/info. "
    "Positions are code points unless UTF-16 is requested. If keys are needed, "
    "send one in the header as Authorization: Bearer KEY, or before the path as /k/KEY. "
    "Under /v2 the server uses LanguageTool's protocol."
)
_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def create_app(
    editor: Editor | Editors, settings: ServerSettings, telemetry: Telemetry | None = None
) -> Door:
    """Make an app for an editor, or for several.

    Args:
        editor: Any editor; one thread of the app uses it.
        settings: The settings of the server.
        telemetry: Collects figures; to count batches, pass one whose `add_batch` is given to
            `load_editors`.
    """
    telemetry = telemetry or Telemetry()
    return service_app(EditingService(editor, settings, telemetry), settings, telemetry)


def service_app(service: EditingService, settings: ServerSettings, telemetry: Telemetry) -> Door:
    """Make an app for a service; its scheduler runs as long as the app does."""
    access = Access(
        settings.api_keys,
        is_open=settings.is_open,
        origins=settings.cors_origins,
        is_embeddable=settings.has_jsonp,
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        service.scheduler.start()
        try:
            yield
        finally:
            await service.scheduler.close()

    app = FastAPI(
        title="emendo",
        version=emendo.__version__,
        description=_DESCRIPTION,
        # FastAPI's own pages load scripts from the web; ours is below.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.include_router(native_router(service, settings=settings, access=access))
    languagetool = LanguageTool(
        service,
        settings=settings,
        access=access,
        user_words=UserWords(settings.dictionaries),
    )
    app.router.routes += languagetool.routes()
    app.router.routes += operation_routes(service, access=access, telemetry=telemetry)
    if service.editors.task == CORRECTION:
        # The page marks every edit as an error.
        app.router.routes += page_routes()
    _add_api_page(app, service.editors)
    _add_errors(app)
    if settings.cors_origins:
        app.add_middleware(
            PageAccess,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
            expose_headers=[READABLE],
        )
    return Door(
        app,
        routes=RouteNames(app.routes),
        settings=settings,
        access=access,
        rate=RateLimit(settings.rate),
        telemetry=telemetry,
        is_full=lambda: service.scheduler.is_full,
    )


def _add_api_page(app: FastAPI, editors: Editors) -> None:
    describe = app.openapi

    def openapi() -> dict[str, Any]:
        """Describe the API, with the levels that the models have."""
        description = describe()
        for schema in description["components"]["schemas"].values():
            level = schema.get("properties", {}).get("level")
            if level is not None:
                level["anyOf"] = [
                    {"type": "string", "enum": list(editors.levels)},
                    {"type": "null"},
                ]
        return description

    app.openapi = openapi  # type: ignore[method-assign]

    async def page(request: Request) -> Response:
        del request
        return HTMLResponse(
            api_page(app.openapi()), headers={"Content-Security-Policy": _PAGE_POLICY}
        )

    app.add_route("/docs", page, methods=["GET"], include_in_schema=False)


def _add_errors(app: FastAPI) -> None:
    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, EmendoError)
        return error_answer(request.url.path, error)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        return problem(request.url.path, error.status_code, str(error.detail), headers)

    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        # Place and reason, without the content of the request.
        said = [
            f"{'.'.join(str(part) for part in each['loc'][1:4])[:80]}: {each['msg']}"
            for each in error.errors()[:5]
        ]
        return problem(request.url.path, 422, "; ".join(said))

    async def failed(request: Request, error: Exception) -> Response:
        # Also raised again, so that the door logs it.
        del error
        return problem(request.url.path, 500, FAILED)

    app.add_exception_handler(EmendoError, known)
    app.add_exception_handler(Exception, failed)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, malformed)
