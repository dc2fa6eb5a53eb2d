"""Errors name packages and files that exist, and none that was made up from what was typed."""

import re

import pytest

from emendo.bundle import find_bundle, installed
from emendo.errors import EmendoError
from emendo.training import installed_weights
from tests.conftest import ROOT

# Packages of this repository; what an error tells people to install is one of them.
PACKAGES = {
    re.search(r'^name = "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)[1]
    for path in (ROOT / "pyproject.toml", *ROOT.glob("models/*/pyproject.toml"))
}
EXTRAS = set(
    re.findall(
        r"^(\w+) = \[",
        (ROOT / "pyproject.toml")
        .read_text(encoding="utf-8")
        .split("[project.optional-dependencies]")[1]
        .split("[dependency-groups]")[0],
        re.MULTILINE,
    )
)


@pytest.mark.parametrize("asked", [None, "de", "english", "gpt-4", "emendo-fr"])
def test_no_package_is_made_up(monkeypatch, asked):
    monkeypatch.setattr(installed, "entry_points", lambda group: [])
    monkeypatch.setattr(installed_weights, "entry_points", lambda group: [])
    with pytest.raises(EmendoError) as told:
        find_bundle(asked)
    said = [str(told.value)]
    if asked == "emendo-fr":
        with pytest.raises(EmendoError) as told:
            installed_weights.find_weights(asked)
        said.append(str(told.value))
    for message in said:
        # What was typed is quoted, and not repeated as advice.
        advice = message.replace(repr(asked), "")
        assert {name.rstrip(".") for name in re.findall(r"emendo-[\w-]+", advice)} <= PACKAGES
        for folder in re.findall(r"\./(models/[\w-]+)", advice):
            assert (ROOT / folder / "pyproject.toml").is_file()


def test_every_extra_that_the_source_names_exists():
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"require\(\s*\"[^\"]*\",\s*\"(\w+)\"", text))
        named |= set(re.findall(r"MissingExtraError\(\s*\"[^\"]*\",\s*\"(\w+)\"", text))
    assert len(named) > 5
    assert named <= EXTRAS
