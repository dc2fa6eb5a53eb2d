"""Who a caller is: X-Forwarded-For counts only from proxies that were named."""

from pathlib import Path

import httpx
import pytest

from emendo.errors import ConfigError
from emendo.serving.settings import ServerSettings
from tests.security.scribe_server import ScribeServer

# A burst is what comes in ten seconds: 12 a minute is two at once.
RATE = 12
SERVE = Path(__file__).parents[2] / "docs/how-to/serve.md"


def statuses(server, *forwarded):
    return [
        httpx.get(f"{server.url}/v1/info", headers={"X-Forwarded-For": each}).status_code
        for each in forwarded
    ]


def test_nobody_can_give_himself_another_address(tmp_path):
    with ScribeServer(
        tmp_path / "log", rate=RATE, environment={"FORWARDED_ALLOW_IPS": "*"}
    ) as server:
        assert statuses(server, *(f"10.0.0.{k}" for k in range(4))) == [200, 200, 429, 429]


def test_a_named_proxy_says_who_asks(tmp_path):
    with ScribeServer(tmp_path / "log", rate=RATE, proxies=["127.0.0.1"]) as server:
        assert statuses(server, *(f"10.0.0.{k}" for k in range(4))) == [200] * 4
        # What a client wrote stands before what the proxy adds.
        one = [f"10.9.9.{k}, 10.1.1.1" for k in range(3)]
        assert statuses(server, *one) == [200, 200, 429]


@pytest.mark.parametrize("wrong", ["*", "proxy.example", "10.0.0.1/33", ""])
def test_proxies_are_addresses(wrong):
    with pytest.raises(ConfigError, match="proxy"):
        ServerSettings(proxies=(wrong,))
    assert ServerSettings(proxies=("127.0.0.1", "10.0.0.0/8", "::1")).proxies


def test_the_documented_proxy_sets_it():
    text = SERVE.read_text(encoding="utf-8")
    block = text[text.index("server {") :].split("```")[0]
    assert "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;" in block
    assert "--proxy 127.0.0.1" in text
