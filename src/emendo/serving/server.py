"""The process: an app on a port, until it is told to stop; then what was begun is finished."""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING

import uvicorn

from emendo.serving.app import create_app
from emendo.serving.protocol import BoundedProtocol

if TYPE_CHECKING:
    from emendo.inference import Editor
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry

_logger = logging.getLogger(__name__)

# Connections that may be open at once, and callers that may knock while all are taken.
_CONNECTIONS = 2000
_KEEP_ALIVE = 75


def run_server(editor: Editor, settings: ServerSettings, telemetry: Telemetry) -> None:
    """Serve until SIGTERM or SIGINT; requests that were let in are answered first."""
    config = uvicorn.Config(
        create_app(editor, settings, telemetry),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.deadline) + 1,
        limit_concurrency=_CONNECTIONS,
        http=BoundedProtocol,
        lifespan="on",
        ws="none",
    )
    _logger.info(
        "serving",
        extra={"host": settings.host, "port": settings.port, "languages": list(editor.languages)},
    )
    # uvicorn raises the signal again once all is done; to have been told to stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run()
