"""The process: an app on a port, until it is told to stop; then what was begun is finished."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from threading import Timer
from typing import TYPE_CHECKING

import uvicorn

from emendo.serving.app import create_app
from emendo.serving.protocol import bounded_protocol

if TYPE_CHECKING:
    from socket import socket
    from types import FrameType

    from emendo.inference import Editor
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry

_logger = logging.getLogger(__name__)

# Callers that may knock while the server is busy.
_BACKLOG = 2000
# Files that are open beside connections.
_OTHER_FILES = 200
_KEEP_ALIVE = 75
# Turns of the event loop in which it takes connections that the system has made for it, right before
# it closes the port: those that it has not taken are reset. A timer would not do, for it fires
# before the loop looks at connections.
_LAST_TURNS = 3


def run_server(editor: Editor, settings: ServerSettings, telemetry: Telemetry) -> None:
    """Serve until SIGTERM or SIGINT; requests that were let in are answered first."""
    config = uvicorn.Config(
        create_app(editor, settings, telemetry),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        # Anybody can write X-Forwarded-For: it counts from proxies that were named.
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=",".join(settings.proxies),
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=settings.grace,
        # uvicorn takes whatever makes a protocol, but calls it a class.
        http=bounded_protocol(settings, _connections(settings)),  # type: ignore[arg-type]
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
    _Server(config, settings.longest_stop).run()


class _Server(uvicorn.Server):
    """Ends in time whatever still runs: an engine or a library may hang."""

    def __init__(self, config: uvicorn.Config, bound: float) -> None:
        super().__init__(config)
        self._bound = bound

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop."""
        if not self.should_exit:
            timer = Timer(self._bound, _end)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Stop; callers who have connected already are let in first."""
        for _ in range(_LAST_TURNS):
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def _end() -> None:
    _logger.warning("stopped although something is still at work")
    logging.shutdown()
    # Nothing else ends a process whose threads do not end.
    os._exit(0)


def _connections(settings: ServerSettings) -> int:
    """Return how many connections may be open: each is a file, and the system counts those."""
    try:
        import resource
    except ImportError:  # pragma: no cover - there is none on Windows
        return settings.max_connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.max_connections + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, min(settings.max_connections, soft - _OTHER_FILES))
    return settings.max_connections
