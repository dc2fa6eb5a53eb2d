"""The image, as far as its file tells."""

import re
import tomllib

from tests.conftest import ROOT


def test_health_is_asked_for_on_the_configured_port():
    check = re.search(r"HEALTHCHECK(?:.*\\\n)*.*\n", (ROOT / "Dockerfile").read_text()).group()
    assert "EMENDO_PORT" in check
    assert ":8081" not in check


def test_the_build_has_every_file_that_the_package_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = re.search(r"^COPY pyproject.toml .*$", (ROOT / "Dockerfile").read_text(), re.M).group()
    assert set(copied.split()) >= {project["readme"], *project["license-files"]}
