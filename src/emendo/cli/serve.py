"""`emendo serve`: the HTTP server."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from emendo.cli.model_options import BackendOption, ModelsOption, PrecisionOption, ThreadsOption
from emendo.errors import require


def serve(
    model: ModelsOption = None,
    host: Annotated[str, typer.Option(envvar="EMENDO_HOST")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="EMENDO_PORT", min=0, max=65535)] = 8081,
    level: Annotated[
        str | None,
        typer.Option(
            envvar="EMENDO_LEVEL", help="For requests that name no level: precise, balanced …"
        ),
    ] = None,
    api_keys_file: Annotated[
        Path | None,
        typer.Option(
            envvar="EMENDO_API_KEYS_FILE",
            help="A key or name:key on each line. EMENDO_API_KEYS takes them separated by commas.",
        ),
    ] = None,
    no_auth: Annotated[
        bool,
        typer.Option(
            "--no-auth", envvar="EMENDO_NO_AUTH", help="Accept all callers, without a key."
        ),
    ] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EMENDO_PROXIES",
            help="The address of a proxy whose X-Forwarded-For is trusted.",
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EMENDO_CORS_ORIGINS", help="The origin of a web page that may read answers."
        ),
    ] = None,
    jsonp: Annotated[
        bool,
        typer.Option(
            "--jsonp",
            envvar="EMENDO_JSONP",
            help="Allow callback= in /v2/check, whose answers any web page can read.",
        ),
    ] = False,
    dictionaries: Annotated[
        Path | None,
        typer.Option(
            envvar="EMENDO_DICTIONARIES", help="The folder of the users' words; created if missing."
        ),
    ] = None,
    max_characters: Annotated[
        int, typer.Option(envvar="EMENDO_MAX_CHARACTERS", min=1, help="In one request.")
    ] = 200_000,
    max_waiting: Annotated[
        int,
        typer.Option(
            envvar="EMENDO_MAX_WAITING", min=1, help="Requests that may wait; others get 429."
        ),
    ] = 64,
    deadline: Annotated[
        float, typer.Option(envvar="EMENDO_DEADLINE", help="Seconds for one request.")
    ] = 30.0,
    rate: Annotated[
        int,
        typer.Option(
            envvar="EMENDO_RATE", min=0, help="Requests per minute for each caller; 0: no limit."
        ),
    ] = 0,
    backend: BackendOption = "auto",
    precision: PrecisionOption = "auto",
    threads: ThreadsOption = 1,
    batch_tokens: Annotated[
        int, typer.Option(envvar="EMENDO_BATCH_TOKENS", min=1, help="Tokens in one batch.")
    ] = 128,
    cache_size: Annotated[
        int, typer.Option(envvar="EMENDO_CACHE_SIZE", min=0, help="Sentences remembered.")
    ] = 10_000,
    alternatives: Annotated[
        bool,
        typer.Option(
            "--alternatives", envvar="EMENDO_ALTERNATIVES", help="Suggest more than one correction."
        ),
    ] = False,
    log_level: Annotated[
        str, typer.Option(envvar="EMENDO_LOG_LEVEL", help="debug, info, warning or error.")
    ] = "info",
) -> None:
    """Run an HTTP server, with a page and LanguageTool's API.

    /v1 is emendo's own API, /v2 is LanguageTool's. Every option can also be set in the
    environment. With several models, each paragraph is edited by the one for its language.
    Addresses other than this machine's own need API keys or --no-auth. After SIGTERM the server
    answers the requests in progress and stops.
    """
    require("emendo serve", "serve", "fastapi", "uvicorn", "httptools", "prometheus_client")
    from emendo.bundle.format import CORRECTION
    from emendo.errors import ConfigError
    from emendo.inference.loading import check_engine, load_editors
    from emendo.serving.access import ApiKey
    from emendo.serving.log_lines import set_up_logs
    from emendo.serving.server import log_models, open_sockets, run_server
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry

    if log_level not in ("debug", "info", "warning", "error"):
        raise ConfigError("--log-level must be debug, info, warning or error")
    entries = os.environ.get("EMENDO_API_KEYS", "").split(",")
    if api_keys_file is not None:
        try:
            # With or without the byte order mark that some editors write.
            lines = api_keys_file.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise ConfigError(f"{api_keys_file} is not UTF-8; save it in this encoding") from error
        if not ApiKey.parse_all(lines):
            raise ConfigError(
                f"{api_keys_file} has no API key; write a key or name:key on each line, or leave "
                "out --api-keys-file"
            )
        entries += lines
    settings = ServerSettings(
        host=host,
        port=port,
        api_keys=ApiKey.parse_all(entries),
        is_open=no_auth,
        proxies=tuple(proxy or ()),
        cors_origins=tuple(cors_origin or ()),
        has_jsonp=jsonp,
        dictionaries=dictionaries or Path(typer.get_app_dir("emendo")) / "dictionaries",
        max_characters=max_characters,
        max_waiting=max_waiting,
        batch_tokens=batch_tokens,
        deadline=deadline,
        rate=rate,
    )
    # Errors are reported before the model is loaded, and not in the log.
    check_engine(backend, precision)
    sockets = open_sockets(settings)
    set_up_logs(log_level)
    telemetry = Telemetry()
    editors = load_editors(
        model or (),
        level=level,
        backend=backend,
        precision=precision,
        threads=threads,
        batch_tokens=batch_tokens,
        alternatives=alternatives,
        cache_size=cache_size,
        on_batch=telemetry.add_batch,
        on_model=log_models(),
    )
    address = _address(settings.host, sockets[0].getsockname()[1])

    def say() -> None:
        if sys.stderr.isatty():
            what = (
                f"open {address} in a browser"
                if editors.task == CORRECTION
                else f"{address}docs describes the API"
            )
            print(f"emendo: {what}; Ctrl-C stops", file=sys.stderr)

    run_server(editors, settings, telemetry, sockets=sockets, on_start=say)


def _address(host: str, port: int) -> str:
    """Return the address of the page as seen from this machine."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/"
