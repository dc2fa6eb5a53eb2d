"""The process: an app on a port, until it is told to stop; then what was begun is finished."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
from threading import Timer
from typing import TYPE_CHECKING, Any

import uvicorn

from emendo.errors import ConfigError
from emendo.serving.app import create_app
from emendo.serving.backlog import accept_last
from emendo.serving.memory import resident_mb
from emendo.serving.protocol import Intake, bounded_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from emendo.inference import Editor, Editors
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry

_logger = logging.getLogger(__name__)

# Callers that may knock while the server is busy.
_BACKLOG = 2000
# Files that are open beside connections.
_OTHER_FILES = 200
_KEEP_ALIVE = 75
# Seconds for which a thread may hold the interpreter while others wait. With Python's default of
# 5 ms, texts that are being read delay the event loop and the network's thread more often.
_SWITCH_INTERVAL = 0.0005
# A name such as localhost may have an address of IPv6 where the machine has none.
_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def open_sockets(settings: ServerSettings) -> list[socket.socket]:
    """Take the server's address, so that it is known at once whether it can be had.

    Raises:
        ConfigError: It cannot.
    """
    host, port = settings.host, settings.port
    opened: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            # A port that the system chose is the same for every address of a name.
            try:
                opened.append(_listener(family, kind, protocol, (address[0], port, *address[2:])))
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                missing = error
            else:
                port = opened[-1].getsockname()[1]
        if missing and not opened:
            raise missing
    except OSError as error:
        for each in opened:
            each.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(
                f"port {port} of {host} is in use, perhaps by another emendo serve; stop that, or "
                "choose another port with --port"
            ) from error
        raise ConfigError(
            f"the server cannot listen on {host}, port {port}: {error.strerror}; choose others "
            "with --host and --port"
        ) from error
    return opened


def _listener(family: int, kind: int, protocol: int, address: tuple[Any, ...]) -> socket.socket:
    """Return a socket that has an address."""
    found = socket.socket(family, kind, protocol)
    try:
        # On Windows this option lets two processes use one port.
        if os.name == "posix":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        found.bind(address)
    except OSError:
        found.close()
        raise
    return found


def log_models() -> Callable[[str], None]:
    """Return what logs each model with the memory that it took; to be called once it is loaded."""
    last = resident_mb()

    def log(language: str) -> None:
        nonlocal last
        now = resident_mb()
        taken = None if now is None or last is None else round(now - last, 1)
        _logger.info("model loaded", extra={"language": language, "memory_mb": taken})
        last = now

    return log


def run_server(
    editor: Editor | Editors,
    settings: ServerSettings,
    telemetry: Telemetry,
    *,
    sockets: Sequence[socket.socket] | None = None,
    on_start: Callable[[], object] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; requests that were let in are answered first.

    Args:
        editor: As for `create_app`.
        settings: As for `create_app`.
        telemetry: As for `create_app`.
        sockets: From `open_sockets`; by default they are opened now.
        on_start: Called when the server can be reached.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    sockets = open_sockets(settings) if sockets is None else sockets
    intake = Intake(settings, _connections(settings))
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
        http=bounded_protocol(intake),  # type: ignore[arg-type]
        lifespan="on",
        ws="none",
    )
    _logger.info(
        "serving",
        extra={
            "host": settings.host,
            "port": settings.port,
            "languages": list(editor.languages),
            "memory_mb": round(resident_mb() or 0.0, 1) or None,
        },
    )
    # uvicorn raises the signal again once all is done; to have been told to stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    _Server(config, intake, settings.longest_stop, on_start).run(list(sockets))


class _Server(uvicorn.Server):
    """Ends in time whatever still runs: an engine or a library may hang."""

    def __init__(
        self,
        config: uvicorn.Config,
        intake: Intake,
        bound: float,
        on_start: Callable[[], object] | None,
    ) -> None:
        super().__init__(config)
        self._intake = intake
        self._bound = bound
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started and self._on_start:
            self._on_start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop."""
        if not self.should_exit:
            self._intake.is_stopping = True
            timer = Timer(self._bound, _end)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; callers who have connected already are let in first."""
        await accept_last(sockets or [])
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
