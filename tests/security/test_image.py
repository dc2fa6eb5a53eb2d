"""The image, as far as its files tell."""

import re
import shlex
import tomllib

import pytest

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {"docker/image.txt": {"serve", "openvino"}, "docker/build.txt": set()}


def docker_steps():
    """Return the commands of the Dockerfile, each on one line."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def locked(name):
    """Return the versions that a lock file pins, by package."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    lines = [
        line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")
    ]
    found = {}
    for line in lines:
        pinned = re.match(r"([a-z0-9.-]+)==(\S+)", line)
        assert pinned, f"{line} is not pinned"
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}(?:\s|$)", line), f"{line} has no hash"
        found[pinned.group(1)] = pinned.group(2)
    return found


def declared(name):
    """Return what pyproject.toml asks for."""
    if name == "docker/build.txt":
        return PROJECT["build-system"]["requires"]
    found, extras = [*PROJECT["project"]["dependencies"]], [*LOCKS[name]]
    while extras:
        for requirement in PROJECT["project"]["optional-dependencies"][extras.pop()]:
            # An extra may name another one.
            own = re.fullmatch(r"emendo\[(.+)\]", requirement)
            (extras if own else found).append(own.group(1) if own else requirement)
    return found


def test_health_is_asked_for_on_the_configured_port():
    check = re.search(r"HEALTHCHECK(?:.*\\\n)*.*\n", (ROOT / "Dockerfile").read_text()).group()
    assert "EMENDO_PORT" in check
    assert ":8081" not in check


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_file_covers_what_is_declared(name):
    requirements = pytest.importorskip("packaging.requirements")
    versions = locked(name)
    for text in declared(name):
        requirement = requirements.Requirement(text)
        assert requirement.name in versions, f"{name} lacks {text}; run `make lock`"
        assert versions[requirement.name] in requirement.specifier, f"{text}; run `make lock`"


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_file_names_no_place(name):
    """Whoever builds the image chooses the index; hashes say whether it has the right files."""
    text = (ROOT / name).read_text()
    assert not re.search(
        r"://|file:|^\s*-|@ |(?:^|\s)/", re.sub(r"--hash=\S+", "", text), re.MULTILINE
    )


def test_the_image_installs_what_is_locked_and_nothing_else():
    installs = [
        part
        for line in docker_steps()
        if line.startswith("RUN ")
        for part in line[4:].split("&&")
        if "pip install" in part or "pip wheel" in part
    ]
    read = set()
    for install in installs:
        words = shlex.split(install)
        if "--require-hashes" in words:
            read.add(words[words.index("-r") + 1])
        else:
            # Our own sources, built by what is locked.
            assert "--no-deps" in words
            assert "install" in words or "--no-build-isolation" in words
    assert read == set(LOCKS)


def test_one_line_names_the_base_image():
    steps = docker_steps()
    (base,) = [line for line in steps if line.startswith("ARG PYTHON=")]
    assert re.fullmatch(r"ARG PYTHON=python:3\.12-slim(@sha256:[0-9a-f]{64})?", base)
    assert steps.index(base) == 0
    assert {line.split()[1] for line in steps if line.startswith("FROM")} == {"${PYTHON}"}


@pytest.mark.parametrize("target", ["lock", "sbom", "base"])
def test_one_command_makes_each(target):
    assert re.search(rf"^{target}:.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
