"""Neovim, headless, over a real `emendo lsp`-like process: shows findings and applies an action."""

import json
import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pygls")

from tests.conftest import ROOT
from tests.lsp.client import known

SCRIPT = ROOT / "tests/lsp/nvim.lua"

pytestmark = pytest.mark.skipif(
    not os.environ.get("EMENDO_LONG") or shutil.which("nvim") is None,
    reason="needs EMENDO_LONG=1 and nvim (apt-get install neovim)",
)


def run_nvim(file, command, tmp_path, **options):
    result = tmp_path / "result.json"
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "NVIM_CASE": json.dumps({"command": command, "result": str(result), **options}),
        "XDG_STATE_HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", str(file), "-S", str(SCRIPT)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert result.exists(), done.stderr + done.stdout
    return json.loads(result.read_text())


def test_neovim_shows_findings_and_applies_an_action(tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("# The 😀 notes\n\nThis 😀👨‍👩‍👧 is teh dog; `teh` stays.\n\nI go store.\n")
    command = [sys.executable, *map(str, known(tmp_path / "words.txt"))]
    found = run_nvim(file, command, tmp_path, language="markdown", line=3, title="Replace")
    # Neovim counts bytes.
    line = "This 😀👨‍👩‍👧 is teh dog; `teh` stays."
    assert found["diagnostics"] == [
        {
            "lnum": 2,
            "col": len(line[: line.index("teh")].encode()),
            "code": "spelling",
            "severity": 2,
        },
        {"lnum": 4, "col": 2, "code": "missing-word", "severity": 2},
    ]
    assert found["lines"][2] == line.replace("is teh", "is the")
    # The check of the changed buffer, and nothing but the other finding.
    assert found["left"] == [{"lnum": 4, "col": 2, "code": "missing-word", "severity": 2}]


def test_neovim_over_the_real_command(tmp_path, tiny_bundle):
    """The tiny network edits at random: what it says is shown, and one edit is made."""
    file = tmp_path / "notes.txt"
    file.write_text("He go to the store 😀 and likes a cat. The quick brown fox jumps!\n")
    command = [
        *(sys.executable, "-m", "emendo", "lsp", "--model", str(tiny_bundle)),
        *("--backend", "onnx", "--dictionary", str(tmp_path / "words.txt")),
    ]
    found = run_nvim(file, command, tmp_path, language="text", line=1, title="")
    assert found["diagnostics"]
    assert found["lines"] != file.read_text().splitlines()
