"""The same app as a deployment of Ray Serve, which places replicas and distributes requests.

The scheduler still makes the batches, by sentences and their lengths; Ray only handles requests.
Use Ray's HAProxy mode (`RAY_SERVE_ENABLE_HA_PROXY=1`): the default proxy, in Python, handles at
most 150 requests a second.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emendo.errors import ConfigError, OverloadedError, require

# The last one comes with ray[serve] alone.
require("emendo.serving.ray_app", "serve,ray-serve", "ray", "grpc_reflection")

# Before the import, which reads it: Ray sends no usage statistics.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from ray import serve

from emendo.inference.loading import load_editors
from emendo.serving.access import ApiKey
from emendo.serving.app import service_app
from emendo.serving.log_lines import set_up_logs
from emendo.serving.server import log_models
from emendo.serving.service import EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ray.serve import Application

    from emendo.serving.door import Door

_EDITOR = ("level", "backend", "precision", "threads", "alternatives", "cache_size", "batch_tokens")
_SETTINGS = ("max_characters", "max_waiting", "batch_tokens", "deadline", "rate")
_OTHERS = ("model", "no_auth", "cors_origins", "dictionaries", "log_level")
# Requests that a replica accepts for each that may wait in it: the replica itself refuses the
# others with 429, so it must get them.
_SEEN = 4


@serve.ingress()
class _Replica:
    """The editors in one process, as with `emendo serve`."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        set_up_logs(options.get("log_level", "info"))
        settings = _settings(options)
        telemetry = Telemetry()
        editors = load_editors(
            _models(options.get("model")),
            on_batch=telemetry.add_batch,
            on_model=log_models(),
            **{name: options[name] for name in _EDITOR if name in options},
        )
        self._service = EditingService(editors, settings, telemetry)
        self._door = service_app(self._service, settings, telemetry)

    def __serve_build_asgi_app__(self) -> Door:
        """Return the app; Ray calls this method by name."""
        return self._door

    async def check_health(self) -> None:
        """Raise if the network does not answer; Ray then starts another replica."""
        try:
            await self._service.check_ready()
        except OverloadedError:
            # It works, but is overloaded.
            return


def build(options: dict[str, Any]) -> Application:
    """Return the application for `serve.run`, or for `import_path` of Serve's YAML.

    Args:
        options: `args` of the YAML, named as the flags of `emendo serve`. Keys come from
            EMENDO_API_KEYS in a replica's environment: Ray shows `args` on its pages.

    Raises:
        ConfigError: An option is unknown or invalid.
    """
    settings = _settings(options, checks_keys=False)
    deploy = serve.deployment(
        name="emendo",
        max_ongoing_requests=_SEEN * settings.max_waiting,
        graceful_shutdown_timeout_s=settings.longest_stop,
        health_check_period_s=5,
        health_check_timeout_s=10,
        ray_actor_options={"num_cpus": 1},
    )
    return deploy(_Replica).bind(options)


def _models(given: str | list[str] | None) -> list[str]:
    """Return the names of one model or of several."""
    return [given] if isinstance(given, str) else list(given or ())


def _settings(options: Mapping[str, Any], *, checks_keys: bool = True) -> ServerSettings:
    known = {*_EDITOR, *_SETTINGS, *_OTHERS}
    unknown = sorted(set(options) - known)
    if unknown:
        raise ConfigError(
            f"{', '.join(unknown)}: no such option; options: {', '.join(sorted(known))}"
        )
    keys = ApiKey.parse_all(os.environ.get("EMENDO_API_KEYS", "").split(","))
    dictionaries = options.get("dictionaries")
    return ServerSettings(
        # HAProxy on any node must reach a replica, so it never listens only on its own machine.
        host="0.0.0.0" if checks_keys else "127.0.0.1",
        api_keys=keys if checks_keys else (),
        is_open=bool(options.get("no_auth", False)),
        cors_origins=tuple(options.get("cors_origins", ())),
        dictionaries=None if dictionaries is None else Path(dictionaries),
        **{name: options[name] for name in _SETTINGS if name in options},
    )
