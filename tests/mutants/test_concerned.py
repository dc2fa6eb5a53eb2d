"""`make mutants` covers the files it promises, and every name in its tables exists."""

import tomllib

import pytest

from tests.mutants.concerned import CONCERNED
from tests.mutants.prebuilt import MAKES_IT, NEED_IT
from tests.mutants.run import ROOT, SURVIVORS

SOURCE = ROOT / "src/emendo"
# Rooms all of whose files are broken, and files of other rooms.
WHOLE = ("ctc", "inference")
ALSO = (
    *(f"text/{name}.py" for name in ("edits", "own_words", "rendering", "tokenization")),
    *(f"modeling/{name}.py" for name in ("ctc_loss", "editing", "glancing", "lexicon")),
    *("serving/access.py", "serving/door.py", "batch/fragment_editor.py", "batch/manifest.py"),
)


def test_every_promised_file_has_tests_that_concern_it():
    whole = (path for room in WHOLE for path in (SOURCE / room).glob("*.py"))
    promised = {str(path.relative_to(SOURCE)) for path in whole if path.name != "__init__.py"}
    assert set(CONCERNED) == promised | set(ALSO)


@pytest.mark.parametrize("file", sorted(CONCERNED))
def test_a_file_and_the_tests_that_concern_it_exist(file):
    assert (SOURCE / file).is_file()
    for test in CONCERNED[file]:
        assert not test.startswith("tests/") or (ROOT / test).exists(), test


def test_the_prebuilt_bundle_is_for_tests_that_exist():
    for test in (*MAKES_IT, *NEED_IT):
        assert (ROOT / test.partition("::")[0]).is_file(), test


def test_survivors_are_lines_of_their_files():
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    assert set(listed["sampled"]) <= set(CONCERNED)
    for each in listed["survivor"]:
        code = (SOURCE / each["file"]).read_text(encoding="utf-8")
        assert each["was"] in {line.strip() for line in code.splitlines()}, each
