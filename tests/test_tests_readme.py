"""tests/README.md names tests that exist."""

import ast
import re

from tests.conftest import ROOT

NAMED = re.compile(r"`(tests/\S+\.py)::(\w+)`")


def test_every_named_test_exists():
    named = NAMED.findall((ROOT / "tests/README.md").read_text(encoding="utf-8"))
    assert len(named) > 30
    missing = [f"{file}::{name}" for file, name in named if name not in _tests_of(ROOT / file)]
    assert not missing


def test_every_row_names_one():
    rows = [
        line
        for line in (ROOT / "tests/README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith(("| what was", "| planted |"))
    ]
    assert len(rows) == 33
    assert all(NAMED.search(row) for row in rows)


def _tests_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
