"""Models as packages: found by name, and what a person is told if there is none."""

import json
import os
import shutil
import subprocess
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from emendo.bundle import find_bundle, installed, installed_models, open_bundle, seal_bundle
from emendo.bundle.format import (
    INT8_LEXICON,
    INT8_NETWORK,
    KNOWN_WORDS,
    MISSPELLINGS,
    TOKENIZER,
)
from emendo.errors import BundleError
from tests.bundle.test_bundle import FIRST
from tests.conftest import ROOT
from tests.run_python import run_python


def pretend(monkeypatch, **models):
    points = [EntryPoint(name, value, installed.GROUP) for name, value in models.items()]
    monkeypatch.setattr(installed, "entry_points", lambda group: points)


def test_a_folder_is_taken_as_it_is(tmp_path):
    assert find_bundle(tmp_path) == tmp_path
    assert find_bundle(str(tmp_path)) == tmp_path
    assert find_bundle(tmp_path / "none") == tmp_path / "none"


def test_a_folder_does_not_hide_an_installed_model(monkeypatch, tmp_path):
    """A folder of that name is meant where its place is given."""
    bundle = tmp_path / "installed"
    bundle.mkdir()
    (bundle / "bundle.json").write_text(FIRST)
    monkeypatch.setenv("TMPDIR", str(bundle))
    monkeypatch.setattr("tempfile.tempdir", None)
    pretend(monkeypatch, en="tempfile:gettempdir")
    monkeypatch.chdir(tmp_path)
    Path("en").mkdir()
    assert find_bundle("en") == bundle
    assert find_bundle("./en") == find_bundle(Path("en")) == Path("en")


def test_a_model_for_another_task_does_not_need_a_name_for_the_first(monkeypatch, tmp_path):
    for name, task in (("corrects", "correction"), ("fuses", "fusion"), ("also", "correction")):
        (tmp_path / name).mkdir()
        content = {**json.loads(FIRST), "task": task}
        (tmp_path / name / "bundle.json").write_text(json.dumps(content))
    (tmp_path / "three_models.py").write_text(
        "from pathlib import Path\n"
        + "".join(
            f"def {name}(): return Path(__file__).parent / {name!r}\n"
            for name in ("corrects", "fuses", "also")
        )
    )
    monkeypatch.syspath_prepend(tmp_path)
    two = {"en": "three_models:corrects", "fuse-en": "three_models:fuses"}
    pretend(monkeypatch, **two)
    assert find_bundle(None) == tmp_path / "corrects"
    assert find_bundle("fuse-en") == tmp_path / "fuses"
    pretend(monkeypatch, **two, de="three_models:also")
    with pytest.raises(BundleError, match="several models are installed"):
        find_bundle(None)
    # If it is alone, it is the only one that can be meant.
    pretend(monkeypatch, fuse="three_models:fuses")
    assert find_bundle(None) == tmp_path / "fuses"


@pytest.mark.parametrize(
    ("models", "asked", "said"),
    [
        ({}, None, "no model is installed.*package emendo-en"),
        ({}, "de", "no model and no folder 'de'; no model is installed.*package emendo-en"),
        ({}, "runs/mine", "no folder runs/mine; give the folder"),
        ({"en": "a:b", "ru": "a:b"}, "de", "no folder 'de'; installed: en, ru"),
        ({"en": "a:b", "ru": "a:b"}, None, r"several models are installed \(en, ru\)"),
        ({"en": "no.such.module:bundle"}, "en", "'en' .* cannot be used .* install .* again"),
        ({"en": "tempfile:gettempdir"}, "en", "bundle.json"),
    ],
)
def test_what_is_said(monkeypatch, models, asked, said):
    pretend(monkeypatch, **models)
    with pytest.raises(BundleError, match=said):
        find_bundle(asked)


def test_no_package_name_is_made_up(monkeypatch):
    """`emendo-fr` does not exist; a message that names it sends people looking for it."""
    pretend(monkeypatch)
    with pytest.raises(BundleError) as refused:
        find_bundle("fr")
    assert "emendo-fr" not in str(refused.value)


def test_none_installed(monkeypatch):
    pretend(monkeypatch)
    assert installed_models() == []


def build_wheel(model, folder, *options):
    for needed in ("torch", "onnxruntime", "build", "hatchling"):
        pytest.importorskip(needed)
    run_python(ROOT / "models/build_wheel.py", ROOT / "models/emendo-en", model, folder, *options)
    (wheel,) = folder.iterdir()
    return wheel


def test_from_a_run_to_a_wheel(request, tmp_path):
    """Exported in int8, tuned, packed."""
    pytest.importorskip("errant")
    pytest.importorskip("onnxscript")
    tiny_run, edit_texts = map(request.getfixturevalue, ("tiny_run", "edit_texts"))
    for name in ("dev.src", "dev.trg"):
        (tmp_path / name).write_text("\n".join(edit_texts[1:40]) + "\n", encoding="utf-8")
    dev = (tmp_path / "dev.src", tmp_path / "dev.trg")
    wheel = build_wheel(tiny_run, tmp_path / "dist", "--dev", *dev)
    with zipfile.ZipFile(wheel) as packed:
        names = [Path(name).name for name in packed.namelist() if "/bundle/" in name]
        config = json.loads(packed.read("emendo_en/bundle/bundle.json"))
    shipped = (TOKENIZER, INT8_LEXICON, INT8_NETWORK, MISSPELLINGS, KNOWN_WORDS)
    assert (
        sorted(names)
        == sorted(["bundle.json", *shipped])
        == sorted(["bundle.json", *config["files"]])
    )
    assert list(config["levels"]) == ["precise", "balanced", "thorough"]


def test_from_a_bundle_to_a_wheel_to_an_edit(request, tmp_path):
    """The real wheel of emendo-en around a tiny bundle, installed beside emendo."""
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    from emendo import load_editor

    tiny_bundle, edit_texts = map(request.getfixturevalue, ("tiny_bundle", "edit_texts"))
    wheel = build_wheel(tiny_bundle, tmp_path / "dist")
    site = tmp_path / "site"
    run_python(*("-m", "pip", "install", "--no-deps", "--no-index", "--target", site, wheel))
    # The bundle's network, with the package's lists.
    with_lists = tmp_path / "bundle"
    shutil.copytree(tiny_bundle, with_lists)
    for name in (MISSPELLINGS, KNOWN_WORDS):
        shutil.copy(ROOT / "models/emendo-en" / name, with_lists)
    seal_bundle(with_lists, open_bundle(tiny_bundle).config)
    expected = load_editor(with_lists, precision="int8", backend="onnx")
    text = next(text for text in edit_texts if expected.edit(text).edits)
    beside = {"env": {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT / 'src'}"}}
    assert "emendo-en 0.1.0.dev0" in run_python("-m", "emendo", "models", **beside)
    edited = run_python("-m", "emendo", "edit", input=text, **beside)
    assert edited == expected.edit(text).text
    script = "import sys, emendo; sys.stdout.write(emendo.load_editor('en').edit(sys.argv[1]).text)"
    assert run_python("-c", script, text, **beside) == edited
    # The package's table, whatever the network.
    assert "definitely" in run_python("-m", "emendo", "edit", input="I definately do.", **beside)


@pytest.mark.bar
# A download, and on a busy machine minutes.
@pytest.mark.timeout(1800)
def test_openvino_alone(request, tmp_path):
    """`pip install 'emendo[openvino]'`, `pip install --no-deps emendo-en`: no ONNX Runtime."""
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    wheel = build_wheel(request.getfixturevalue("tiny_bundle"), tmp_path / "dist")
    run_python("-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments, **options):
        command = [str(python), *map(str, arguments)]
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env=alone, **options
        ).stdout

    run("-m", "pip", "install", "--quiet", f"{ROOT}[openvino]")
    run("-m", "pip", "install", "--quiet", "--no-deps", wheel)
    missing = "import importlib.util as u; print(u.find_spec('onnxruntime'))"
    assert run("-c", missing) == "None\n"
    edited = run("-m", "emendo", "edit", input="I definately do.", cwd=tmp_path)
    assert "definitely" in edited
