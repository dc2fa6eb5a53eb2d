"""Verbs that take long show a bar that moves, on a terminal and nowhere else."""

import importlib.util
import re
import shutil

import pytest

from tests.cli.test_edit import emendo
from tests.newcomer.terminal import Terminal

pytest.importorskip("onnxruntime")


def counts(output, name):
    """Return the different figures that a bar showed."""
    return {int(figure) for figure in re.findall(rf"{name}[^\n]*?(\d+)/(?:\d+|\?)", output)}


def test_edit_shows_how_far_it_is(tiny_bundle, edit_texts, tmp_path):
    path = tmp_path / "long.txt"
    lines = [f"{text} {k}" for k in range(4) for text in edit_texts[2:]]
    path.write_text("\n\n".join(lines), encoding="utf-8")
    assert path.stat().st_size > 20_000
    with Terminal("edit", "-m", tiny_bundle, "--check", path) as terminal:
        assert terminal.finish(400) == 1
        assert len(counts(terminal.output, "sentences")) > 3
    assert emendo("edit", "-m", tiny_bundle, "--check", path).stderr == b""


@pytest.mark.skipif(not importlib.util.find_spec("errant"), reason="ERRANT counts the edits")
def test_tune_shows_how_far_it_is(tiny_bundle, edit_texts, tmp_path):
    bundle = tmp_path / "bundle"
    shutil.copytree(tiny_bundle, bundle)
    dev = tmp_path / "source.txt"
    dev.write_text("\n".join(edit_texts[1:40]) + "\n", encoding="utf-8")
    with Terminal("tune", bundle, "-s", dev, "-r", dev) as terminal:
        assert terminal.finish(400) == 0, terminal.output
        assert len(counts(terminal.output, "sentences read")) > 2
        assert len(counts(terminal.output, "levels scored")) > 2


def test_int8_export_shows_how_far_it_is(tiny_run, edit_texts, tmp_path):
    pytest.importorskip("onnxscript")
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(edit_texts[2:]), encoding="utf-8")
    command = ("export", tiny_run, tmp_path / "out", "--int8", "--calibration", texts)
    with Terminal(*command) as terminal:
        assert terminal.finish(500) == 0, terminal.output
        assert "writing graphs" in terminal.output
        assert len(counts(terminal.output, "network: rounding weights")) > 2
        assert len(counts(terminal.output, "network: calibrating")) > 2
