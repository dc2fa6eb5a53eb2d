"""`emendo tune` over a tiny random model."""

import importlib.util
import shutil

import pytest

from emendo.bundle import open_bundle
from tests.cli.test_edit import emendo

pytest.importorskip("onnxruntime")
needs_errant = pytest.mark.skipif(
    not importlib.util.find_spec("errant"), reason="ERRANT counts the edits"
)


@needs_errant
def test_levels_are_stored_with_the_model(tiny_bundle, edit_texts, tmp_path):
    bundle = tmp_path / "bundle"
    shutil.copytree(tiny_bundle, bundle)
    (tmp_path / "source.txt").write_text("\n".join(edit_texts[:5]) + "\n", encoding="utf-8")
    # Nothing is wrong with these: whatever a random network does is, so all levels avoid it.
    done = emendo("tune", bundle, "-s", tmp_path / "source.txt", "-r", tmp_path / "source.txt")
    assert done.returncode == 0, done.stderr
    assert "thorough" in done.stdout.decode()
    config = open_bundle(bundle).config
    assert list(config.levels) == ["precise", "balanced", "thorough"]
    assert config.default_level == "balanced"
    assert sorted(p.name for p in bundle.iterdir()) == sorted(p.name for p in tiny_bundle.iterdir())
    done = emendo("edit", "-m", bundle, "--level", "precise", text=edit_texts[0].encode())
    assert done.returncode == 0, done.stderr


def test_without_dev_data(tiny_bundle):
    done = emendo("tune", tiny_bundle)
    assert done.returncode == 2
    assert "--reference" in done.stderr.decode()
