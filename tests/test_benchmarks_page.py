"""Figures of speed and memory: one page has them, and says of which engine they are."""

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
SPEED = re.compile(r"times as (?:fast|beam|greedy|many)|\d(?:\.\d+)?× the (?:time|memory)")
EDITING_MEMORY = re.compile(r"`emendo edit`.{0,250}?\d+ MB", re.DOTALL)


def test_autoregression_is_named_by_engine():
    """Torch is compared with torch in a row of its own."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if "vs_ar" in line]
    assert len(rows) >= 3
    assert {row[1] for row in rows} == {
        "ONNX Runtime, fp32, against torch, fp32",
        "torch, fp32, against torch, fp32",
    }
    for row in rows:
        assert ("torch_vs_ar" in row[-1]) == row[1].startswith("torch")


def test_the_benchmark_prints_what_the_page_names():
    script = (ROOT / "benchmarks/edit_speed.py").read_text(encoding="utf-8")
    for engine in ("torch", "ort"):
        assert f"`{engine}_vs_ar_" in script


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "models/emendo-en/README.md"])
def test_figures_stand_in_one_place(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not SPEED.search(text)
    assert not EDITING_MEMORY.search(text)
    assert page != "README.md" or "docs/benchmarks.md" in text


def test_the_page_has_them():
    assert SPEED.search(PAGE)
    assert EDITING_MEMORY.search(PAGE)
