"""What may be chosen, and what is refused before a port is opened."""

import inspect
import socket
import subprocess
import sys
from dataclasses import fields

import pytest

from emendo.cli.serve import serve
from emendo.errors import ConfigError
from emendo.serving.access import ApiKey
from emendo.serving.server import open_sockets
from emendo.serving.settings import ServerSettings
from tests.serving.conftest import KEY


def test_strangers_need_a_key_or_a_word():
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        ServerSettings(host=host)
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org", ""):
        with pytest.raises(ConfigError, match="--no-auth"):
            ServerSettings(host=host)
        ServerSettings(host=host, is_open=True)
        ServerSettings(host=host, api_keys=(ApiKey.parse(KEY),))
    with pytest.raises(ConfigError, match="cannot be combined"):
        ServerSettings(is_open=True, api_keys=(ApiKey.parse(KEY),))


def test_an_origin_that_can_never_match_is_refused():
    for origin in ("*", "https://page.example/", "page.example"):
        with pytest.raises(ConfigError, match="origin"):
            ServerSettings(cors_origins=(origin,))
    ServerSettings(cors_origins=("https://page.example", "null", "chrome-extension://abc"))
    ServerSettings(cors_origins=("*",), is_open=True)


def test_an_address_that_the_machine_lacks_is_left_out(monkeypatch):
    missing = (socket.AF_INET6, socket.SOCK_STREAM, 0, "", ("2001:db8::1", 0, 0, 0))
    here = (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 0))
    found = [missing, here]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    (only,) = open_sockets(ServerSettings(host="localhost", port=0))
    with only:
        assert only.getsockname()[0] == "127.0.0.1"
    found.remove(here)
    with pytest.raises(ConfigError, match="cannot listen"):
        open_sockets(ServerSettings(host="localhost", port=0))


@pytest.mark.parametrize("name", ["max_characters", "max_waiting", "batch_tokens", "deadline"])
def test_limits_are_limits(name):
    with pytest.raises(ConfigError, match=name):
        ServerSettings(**{name: 0})
    with pytest.raises(ConfigError, match="rate"):
        ServerSettings(rate=-1)


def test_keys_are_long_and_named_like_files():
    assert ApiKey.parse(KEY).name == "default"
    assert ApiKey.parse(f"bob:{KEY}").name == "bob"
    assert KEY not in repr(ApiKey.parse(KEY))
    for entry in (
        "short",
        f"../x:{KEY}",
        f":{KEY}",
        f"local:{KEY}",
        f"a b:{KEY}",
        f"bob:{KEY} {KEY}",
    ):
        with pytest.raises(ConfigError) as raised:
            ApiKey.parse(entry)
        assert KEY not in str(raised.value)
    assert len(ApiKey.parse_all(["", "# mine", KEY, f"bob:{KEY}"])) == 2


def test_the_server_brings_no_torch():
    code = (
        "import sys, emendo.serving.server, emendo.inference.loading\n"
        "print([name for name in ('torch', 'transformers', 'datasets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_verb_has_the_settings_own_defaults():
    """Memory is measured with them, so there must not be two."""
    verb = {name: p.default for name, p in inspect.signature(serve).parameters.items()}
    for field in fields(ServerSettings):
        if field.name in verb and field.name != "dictionaries":
            assert verb[field.name] == field.default, field.name
