from pathlib import Path

import pytest

from emendo.errors import ConfigError
from emendo.training.config import TrainConfig
from emendo.training.toml_config import dump_config, load_config

RUN = """
seed = 3

[model]
encoder = "roberta-large"

[dev]
file = "dev.m2"

[[stages]]
name = "one"
train = ["a.tsv"]
learning_rate = 5e-5
tokens_per_step = 100_000
tokens_per_batch = 8192
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    return path


def test_a_file_becomes_a_config(file):
    config = load_config(TrainConfig, file)
    assert config.stages[0].learning_rate == 5e-5
    assert config.optimizer.head_factor == 10
    assert config.stages[0].train == ("a.tsv",)


def test_what_is_dumped_is_read_again(file, tmp_path):
    config = load_config(TrainConfig, file, ["stages.0.steps=20", "trackers=[]"])
    (tmp_path / "again.toml").write_text(dump_config(config))
    assert load_config(TrainConfig, tmp_path / "again.toml") == config


def test_overrides_are_toml_or_text(file):
    config = load_config(
        TrainConfig, file, ["stages.0.learning_rate=1e-3", "model.encoder=../my encoder"]
    )
    assert config.stages[0].learning_rate == 1e-3
    assert config.model.encoder == "../my encoder"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("stages.0.step=3", r"\[stages.0\] has no key 'step'; did you mean 'steps'"),
        ("optimiser.clip=1", "no key 'optimiser'; did you mean 'optimizer'"),
        ("seed=true", "seed is True; it must be a whole number"),
        ("stages.0.learning_rate=fast", "learning_rate is 'fast'; it must be a number"),
        ("model.head=round", "must be 'factored' or 'flat'"),
        ("stages.0.train=a.tsv", "must be a list"),
        ("stages.1.name=two", "no such key"),
        ("seed", "takes key=value"),
        ("optimizer.betas=[0.9]", "must be a list"),
        ("stages.0.evaluate_every=25", "multiple of log_every"),
        ("stages.0.tokens_per_batch=200000", "more than tokens_per_step"),
        ("stages=[]", "at least one"),
        ("stages.0.glancing_steps=100", "glancing_steps but no glancing_end"),
    ],
)
def test_mistakes_are_named(file, override, message):
    with pytest.raises(ConfigError, match=message):
        load_config(TrainConfig, file, [override])


def test_a_schedule_has_a_length(file):
    with pytest.raises(ConfigError, match="must be at least 1"):
        load_config(TrainConfig, file, ["stages.0.glancing_end=0.3", "stages.0.glancing_steps=0"])


def test_what_is_missing_is_named(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN.replace('encoder = "roberta-large"', ""))
    with pytest.raises(ConfigError, match=r"\[model\] needs 'encoder'"):
        load_config(TrainConfig, path)
    path.write_text("seed = = 3")
    with pytest.raises(ConfigError, match=r"run\.toml"):
        load_config(TrainConfig, Path(path))
