"""Figures of speed and memory: one page has them, and says of which engine they are."""

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
SPEED = re.compile(r"times as (?:fast|beam|greedy|many)|\d(?:\.\d+)?× the (?:time|memory)")
EDITING_MEMORY = re.compile(r"`emendo edit`.{0,250}?\d+ MB", re.DOTALL)


ENGINES = {
    "ort_vs_torch_ar": "ONNX Runtime, fp32, against torch, fp32",
    "ort_batch_vs_torch_ar": "ONNX Runtime, fp32, against torch, fp32",
    "torch_vs_ar": "torch, fp32, against torch, fp32",
    "ort_vs_ar": "ONNX Runtime, fp32, against ONNX Runtime, fp32",
    "openvino_vs_ar": "OpenVINO, fp32, against OpenVINO, fp32",
}


def test_autoregression_is_named_by_engine():
    """Each row says which two engines it compares, as the name of its figure does."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if "_ar_greedy`" in line]
    assert len(rows) >= 3
    for row in rows:
        (name,) = re.findall(r"`(\w+)_greedy`", row[-1])
        assert row[1] == ENGINES[name]


def test_the_benchmark_prints_what_the_page_names():
    script = (ROOT / "benchmarks/edit_speed.py").read_text(encoding="utf-8")
    for name in ("torch_vs_ar", "ort_vs_ar", "openvino_vs_ar", "ort_vs_torch_ar"):
        assert f"`{name}_" in script


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "models/emendo-en/README.md"])
def test_figures_stand_in_one_place(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not SPEED.search(text)
    assert not EDITING_MEMORY.search(text)
    assert page != "README.md" or "docs/benchmarks.md" in text


def test_the_page_has_them():
    assert SPEED.search(PAGE)
    assert EDITING_MEMORY.search(PAGE)
