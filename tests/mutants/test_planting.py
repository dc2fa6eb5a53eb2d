"""Bugs are planted in what runs, not in what only checks or describes."""

from tests.mutants.planting import plant

CODE = """
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    LIMIT = 1
def first(rows: list[tuple[int, 2]], same=True) -> 3:
    return zip(rows, sorted(rows, strict=True), strict=True)
"""


def test_annotations_imports_and_checks_of_zip_stay():
    planted = {(mutant.line, mutant.operator) for mutant in plant("some.py", CODE)}
    assert planted == {(6, "core/ReplaceTrueWithFalse"), (7, "core/ReplaceTrueWithFalse")}
    mutants = [mutant for mutant in plant("some.py", CODE) if mutant.line == 7]
    assert [mutant.source(CODE).splitlines()[-1].strip() for mutant in mutants] == [
        "return zip(rows, sorted(rows, strict=False), strict=True)"
    ]
