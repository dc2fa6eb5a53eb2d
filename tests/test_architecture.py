"""ARCHITECTURE.md names files that exist."""

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
