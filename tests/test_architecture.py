"""ARCHITECTURE.md names files that exist, and rules for all files hold."""

import ast
import re

from tests.conftest import ROOT

PACKAGE = ROOT / "src/emendo"


def rows():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition("## Where to change what")[2].partition("\n## ")[0]
    return [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")][1:]


def test_ten_changes_name_one_file_each():
    assert len(rows()) == 10
    for change, file, beside in rows():
        (path,) = re.findall(r"`([\w./]+/[\w./]*)`", file)
        for each in (path, *re.findall(r"`([a-z_]+/[\w./]+)`", beside)):
            assert (PACKAGE / each).exists(), f"{change.strip()}: {each}"


def test_no_other_file_says_which_level_is_taken_by_default():
    named = re.compile(
        r"""default\w*\s*(?::\s*\w+\s*)?=\s*(?:BALANCED|["']balanced["'])""", re.IGNORECASE
    )
    found = [path for path in PACKAGE.rglob("*.py") if named.search(path.read_text())]
    assert found == [PACKAGE / "bundle/format.py"]


def test_every_error_that_is_raised_on_purpose_is_one_of_emendo():
    plain = {"Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "OSError"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func)
                assert name not in plain, f"{path}:{node.lineno} raises {name}"
