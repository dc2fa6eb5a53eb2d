"""The settings of the server, read once from flags and environment."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from emendo.serving.access import ApiKey


# "null" is a file, or a page in a sandbox.
_ORIGIN = re.compile(r"null|[a-z][a-z0-9+.-]*://[^/\s]+")


@dataclass(frozen=True)
class ServerSettings:
    """All settings of the server."""

    host: str = "127.0.0.1"
    port: int = 8081
    api_keys: tuple[ApiKey, ...] = ()
    is_open: bool = False
    """Whether requests without a key are accepted from any address."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies whose X-Forwarded-For is trusted."""
    cors_origins: tuple[str, ...] = ()
    """Origins of web pages that may read answers; none by default."""
    has_jsonp: bool = False
    """Whether any web page may read the answers of /v2/check, without dictionaries."""
    dictionaries: Path | None = None
    """The folder of the users' words; None keeps them until the server stops."""
    max_characters: int = 200_000
    """Of one request, all its texts together."""
    max_waiting: int = 64
    """Requests that may wait for the network, and long texts that may wait to be read."""
    batch_tokens: int = 128
    """Source tokens that are run at once."""
    deadline: float = 30.0
    """Seconds that a request may take, and a stream for its next sentence."""
    rate: int = 0
    """Requests per minute for each key or address; 0 means no limit."""
    max_buffered: int = field(default=64 * 2**20, repr=False)
    """Bytes of all requests in memory at once."""
    max_connections: int = field(default=2000, repr=False)
    """Connections that may be open at once."""

    def __post_init__(self) -> None:
        """Refuse invalid settings, and those that would accept other machines by accident."""
        for name in ("max_characters", "max_waiting", "batch_tokens", "deadline"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be more than 0")
        if self.rate < 0:
            raise ConfigError(f"rate is {self.rate}; use 0 for no limit")
        if not (self.is_loopback or self.api_keys or self.is_open):
            raise ConfigError(
                f"{self.host} can be reached from other machines: give API keys "
                "(EMENDO_API_KEYS or --api-keys-file), or use --no-auth"
            )
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise ConfigError(
                    f"the proxy {proxy!r} is not an address such as 127.0.0.1 or a network such as "
                    "10.0.0.0/8"
                ) from None
        for origin in self.cors_origins:
            if origin == "*" and not (self.api_keys or self.is_open):
                raise ConfigError(
                    "--cors-origin '*' lets any web page use the server: give API keys "
                    "(EMENDO_API_KEYS or --api-keys-file), or use --no-auth"
                )
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ConfigError(
                    f"the origin {origin!r} is not of the form https://page.example, without a path"
                )
        if self.api_keys and self.is_open:
            raise ConfigError("--no-auth and API keys cannot be combined")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_guarded(self) -> bool:
        """Whether a key is needed."""
        return bool(self.api_keys)

    @property
    def grace(self) -> int:
        """Seconds for requests in progress after the server is stopped."""
        return max(1, int(self.deadline))

    @property
    def longest_stop(self) -> int:
        """Seconds after which the process ends in any case."""
        return self.grace + 1

    @property
    def max_body(self) -> int:
        """Bytes of one request: a character may take nine in a form, twelve in JSON."""
        return 12 * self.max_characters + 2**20
