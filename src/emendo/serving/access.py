"""Access control: API keys, and the host names that a server without keys accepts."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emendo.errors import AccessError, ConfigError, ForbiddenError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from starlette.types import Scope

LOCAL = "local"
"""The owner of the dictionaries if there are no keys."""
NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
"""Names of keys, users and dictionaries, which are also file names, so without path parts."""
_SHORTEST = 16
_LONGEST = 512
_KEY_IN_PATH = re.compile(r"/k/([^/]{1,512})(/.*)")
_OWN_HOSTS = {"localhost", "127.0.0.1", "[::1]"}
_STATE_KEY = "emendo_key"


@dataclass(frozen=True)
class ApiKey:
    """The hash of a key, and its owner."""

    name: str
    digest: bytes

    @classmethod
    def parse(cls, entry: str) -> ApiKey:
        """Read `key` or `name:key`.

        Raises:
            ConfigError: The name cannot name a folder, or the key can be guessed.
        """
        name, colon, key = entry.strip().rpartition(":")
        name = name if colon else "default"
        if not NAME.fullmatch(name) or name == LOCAL:
            raise ConfigError(
                f"{name!r} cannot be the name of an API key: use lower-case letters, digits and "
                ". _ @ + -"
            )
        if not _SHORTEST <= len(key) <= _LONGEST or not re.fullmatch(r"[A-Za-z0-9._~-]+", key):
            # The key itself must not appear in logs or on screens.
            raise ConfigError(
                f"the API key of {name!r} must be {_SHORTEST} to {_LONGEST} letters, digits and "
                '. _ ~ -; `python -c "import secrets; print(secrets.token_urlsafe(24))"` makes one'
            )
        return cls(name, _digest(key))

    @classmethod
    def parse_all(cls, entries: Iterable[str]) -> tuple[ApiKey, ...]:
        """Read many, without empty lines and comments."""
        lines = (entry.strip() for entry in entries)
        return tuple(cls.parse(line) for line in lines if line and not line.startswith("#"))


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class Access:
    """Decides which callers are accepted."""

    def __init__(
        self,
        keys: tuple[ApiKey, ...],
        *,
        is_open: bool,
        origins: Collection[str],
        is_embeddable: bool = False,
    ) -> None:
        """Take the settings for keys and for requests without one.

        Args:
            keys: All keys.
            is_open: Whether nobody needs a key.
            origins: Web pages that may use the server.
            is_embeddable: Whether any page may load an answer as a script (JSONP).
        """
        self._keys = keys
        self._checks_host = not keys and not is_open
        self._origins = frozenset(origins)
        self._is_embeddable = is_embeddable

    def enter(self, scope: Scope) -> None:
        """Remove the key from a request's path, and refuse requests of foreign pages and hosts.

        Raises:
            ForbiddenError: A foreign web page uses a server that is for this machine only.
        """
        match = _KEY_IN_PATH.fullmatch(scope["path"])
        state = scope.setdefault("state", {})
        if match:
            state[_STATE_KEY] = match[1]
            scope["path"] = match[2]
            # Inner layers must not get the key, or they might log it.
            scope["raw_path"] = match[2].encode()
        headers = dict(scope["headers"])
        if self._checks_host:
            host = headers.get(b"host", b"").decode("latin-1").lower()
            if re.sub(r":\d+$", "", host) not in _OWN_HOSTS:
                raise ForbiddenError(
                    "this server accepts requests for localhost only; start it with API keys or "
                    "--no-auth to allow other host names"
                )
            origin = headers.get(b"origin", b"").decode("latin-1")
            is_page = origin.startswith(("http://", "https://")) or origin == "null"
            is_own = origin.partition("://")[2] == host or origin in self._origins
            if is_page and not is_own:
                raise ForbiddenError(
                    "this web page may not use the server; start the server with --cors-origin to "
                    "allow it"
                )
            if not self._is_embeddable and _is_embedded(headers):
                raise ForbiddenError("other web pages may not load this as a picture or script")

    def owner(self, scope: Scope, key: str | None = None) -> str:
        """Return the owner of a request's key.

        Args:
            scope: The request, with a key in its path or its header.
            key: A key from elsewhere, which takes precedence.

        Raises:
            AccessError: The key is missing or unknown.
        """
        if not self._keys:
            return LOCAL
        key = key or scope.get("state", {}).get(_STATE_KEY) or _key_in_header(scope)
        if not key:
            raise AccessError("an API key is required")
        digest = _digest(key)
        # All are compared, each in constant time, so that the time reveals nothing about them.
        owners = [each.name for each in self._keys if hmac.compare_digest(each.digest, digest)]
        if not owners:
            raise AccessError("the API key is unknown")
        return owners[0]

    def caller(self, scope: Scope) -> str:
        """Return the name by which a caller is counted: the key's owner, or the address.

        IPv6 addresses are counted by their network, of which one host has as many as it wants.
        """
        if self._keys:
            try:
                return "key " + self.owner(scope)
            except AccessError:
                pass
        client = scope.get("client")
        return f"address {_network(client[0])}" if client else "unknown"


def _is_embedded(headers: dict[bytes, bytes]) -> bool:
    """Whether a foreign page loads this as a picture or script; such requests have no Origin."""
    site, mode = (headers.get(name) for name in (b"sec-fetch-site", b"sec-fetch-mode"))
    return site in (b"cross-site", b"same-site") and mode == b"no-cors"


def _network(host: str) -> str:
    """Return the /64 network of an IPv6 address; other hosts stay as they are."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, ipaddress.IPv6Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def has_key(scope: Scope) -> bool:
    """Whether a request's path or header has a key, known or unknown."""
    return bool(scope.get("state", {}).get(_STATE_KEY) or _key_in_header(scope))


def _key_in_header(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        if name == b"authorization" and text[:7].lower() == "bearer ":
            return str(text[7:].strip())
        if name == b"x-api-key":
            return str(text.strip())
    return None
