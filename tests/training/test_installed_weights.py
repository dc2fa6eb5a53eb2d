"""Models to train on as packages: a real wheel, found by name, trained on."""

import os
import re
import shutil
from importlib.metadata import EntryPoint

import pytest
import torch

from emendo.errors import ConfigError
from emendo.modeling import CopyCTCForEditing
from emendo.training import installed_weights
from emendo.training.installed_weights import find_weights
from tests.conftest import ROOT
from tests.run_python import run_python


def test_folders_and_hub_names_are_taken_as_they_are(tmp_path):
    assert find_weights(str(tmp_path)) == str(tmp_path)
    assert find_weights("FacebookAI/roberta-base") == "FacebookAI/roberta-base"


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({}, "pip install ./models/emendo-en-weights"),
        ({"emendo-en": "tempfile:gettempdir"}, "install its package again"),
    ],
)
def test_what_is_said(monkeypatch, models, said):
    points = [EntryPoint(name, value, installed_weights.GROUP) for name, value in models.items()]
    monkeypatch.setattr(installed_weights, "entry_points", lambda group: points)
    with pytest.raises(ConfigError, match=said):
        find_weights("emendo-en")


def test_no_package_name_is_made_up(monkeypatch):
    monkeypatch.setattr(installed_weights, "entry_points", lambda group: [])
    with pytest.raises(ConfigError, match="emendo-en-weights") as refused:
        find_weights("emendo-fr")
    named = set(re.findall(r"emendo-\w+-weights", str(refused.value)))
    assert named == {each.name for each in (ROOT / "models").glob("emendo-*-weights")}


def test_from_a_run_to_a_wheel_to_a_run(encoder, pairs, small_tokenizer, tmp_path):
    """The real package around a tiny model in half precision."""
    for needed in ("build", "hatchling"):
        pytest.importorskip(needed)
    model = CopyCTCForEditing.from_encoder(encoder, small_tokenizer, upsampling=2)
    model.save_pretrained(tmp_path / "model")
    small_tokenizer.save(tmp_path / "model/tokenizer.json")
    assert str(encoder.parent) not in (tmp_path / "model/config.json").read_text()
    package = tmp_path / "package"
    shutil.copytree(
        ROOT / "models/emendo-en-weights", package, ignore=shutil.ignore_patterns("*.safetensors")
    )

    weights = package / "src/emendo_en_weights/model"
    assert "MB" in run_python(ROOT / "models/keep_weights.py", tmp_path / "model", weights)
    dist = tmp_path / "dist"
    run_python(*("-m", "build", "--wheel", "--no-isolation", "--outdir", dist, package))
    (wheel,) = dist.iterdir()
    site = tmp_path / "site"
    run_python(*("-m", "pip", "install", "--no-deps", "--no-index", "--target", site, wheel))
    config = tmp_path / "run.toml"
    config.write_text(f"""
trackers = []
[model]
encoder = "emendo-en"
[dev]
file = "{pairs}"
metric = "em"
sentences = 8
[[stages]]
name = "fine"
train = ["{pairs}"]
learning_rate = 1e-4
tokens_per_step = 128
tokens_per_batch = 128
steps = 10
evaluate_every = 10
""")
    beside = {"env": {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT / 'src'}"}}
    run_python("-m", "emendo", "train", config, "--output", tmp_path / "run", **beside)
    trained = CopyCTCForEditing.from_pretrained(tmp_path / "run/model")
    # The shape is the package's, not the default of a new network.
    assert trained.config.upsampling == 2


def test_checkpoints_are_averaged(tiny_model, small_tokenizer, tmp_path):
    models = [tiny_model(seed=seed) for seed in (0, 1)]
    for name, model in zip("ab", models, strict=True):
        model.save_pretrained(tmp_path / name)
    # A checkpoint has no tokenizer; the best model of its stage has.
    (tmp_path / "best").mkdir()
    small_tokenizer.save(tmp_path / "best/tokenizer.json")
    run_python(ROOT / "models/keep_weights.py", tmp_path / "a", tmp_path / "b", tmp_path / "kept")
    kept = CopyCTCForEditing.from_pretrained(tmp_path / "kept").state_dict()
    first, second = (model.state_dict() for model in models)
    name = "model.encoder.embeddings.word_embeddings.weight"
    assert not torch.allclose(first[name], second[name], atol=1e-3)
    torch.testing.assert_close(kept[name], (first[name] + second[name]) / 2, atol=1e-3, rtol=1e-3)
