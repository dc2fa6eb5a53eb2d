"""The image, as far as its file tells."""

import re

from tests.conftest import ROOT


def test_health_is_asked_for_on_the_configured_port():
    check = re.search(r"HEALTHCHECK(?:.*\\\n)*.*\n", (ROOT / "Dockerfile").read_text()).group()
    assert "EMENDO_PORT" in check
    assert ":8081" not in check
