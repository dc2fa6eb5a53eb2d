"""Routes for operators: health, readiness and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emendo.errors import OverloadedError, ServerError

if TYPE_CHECKING:
    from starlette.requests import Request

    from emendo.serving.access import Access
    from emendo.serving.service import EditingService
    from emendo.serving.telemetry import Telemetry


def operation_routes(
    service: EditingService, *, access: Access, telemetry: Telemetry
) -> list[Route]:
    """Return the routes for operators, which are not part of an API."""

    async def health(request: Request) -> Response:
        del request
        return JSONResponse({"status": "alive"})

    async def ready(request: Request) -> Response:
        del request
        try:
            await service.check_ready()
        except OverloadedError:
            # It works, but is overloaded.
            return JSONResponse({"status": "busy"})
        except ServerError:
            return JSONResponse({"status": "the network does not answer"}, 503)
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        access.owner(request.scope)
        return Response(telemetry.report(), media_type=CONTENT_TYPE_LATEST)

    return [
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]
