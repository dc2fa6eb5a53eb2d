"""Every recipe loads, and trains two steps with a tiny encoder and tiny pairs; so do ours."""

import dataclasses

import pytest

from emendo.modeling import CopyCTCForEditing
from emendo.training.config import TrainConfig
from emendo.training.loop import train
from emendo.training.toml_config import load_config
from tests.conftest import ROOT
from tests.training.conftest import PAIRS

RECIPES = sorted(ROOT.glob("recipes/*/train.toml"))
OURS = sorted([*ROOT.glob("models/*/train.toml"), *ROOT.glob("experiments/*/train.toml")])
M2 = """S He go .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0

"""


def test_there_are_recipes():
    assert len(RECIPES) >= 4
    assert len(OURS) >= 2
    assert all((recipe.parent / "README.md").exists() for recipe in RECIPES)


@pytest.mark.parametrize("recipe", [*RECIPES, *OURS], ids=lambda path: path.parent.name)
def test_two_steps(recipe, encoder, tmp_path, monkeypatch):
    config = load_config(TrainConfig, recipe)
    names = {name for stage in config.stages for name in stage.train} | {config.dev.file}
    for name in names:
        for side, path in enumerate(tmp_path / part for part in name.split(":")):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".m2":
                text = M2
            elif ":" in name:
                text = "".join(f"{pair[side]}\n" for pair in PAIRS)
            else:
                text = "".join(f"{s}\t{t}\n" for s, t in PAIRS)
            path.write_text(text)
    monkeypatch.chdir(tmp_path)
    if config.dev.metric == "errant":
        pytest.importorskip("errant")
    tiny = dataclasses.replace(
        config,
        model=dataclasses.replace(config.model, encoder=str(encoder)),
        stages=tuple(dataclasses.replace(stage, steps=2) for stage in config.stages),
        trackers=(),
        log_every=1,
    )
    model = train(tiny, tmp_path / "run")
    trained = CopyCTCForEditing.from_pretrained(model)
    assert trained.config.upsampling == (config.model.upsampling or 4)
