import os
from dataclasses import replace

import pytest

from emendo.errors import ConfigError, TrainingError
from emendo.training import checkpoints
from emendo.training.config import DevOptions, ModelOptions, StageOptions, TrainConfig
from emendo.training.run_folder import RunFolder


def _checkpoint(folder, step, *, complete=True):
    path = folder / f"checkpoint-{step}"
    path.mkdir(parents=True)
    (path / "model.safetensors").write_bytes(b"weights" * step)
    if complete:
        checkpoints.mark_complete(path)
    return path


def test_the_last_whole_one_is_taken(tmp_path):
    _checkpoint(tmp_path, 9)
    good = _checkpoint(tmp_path, 10)
    _checkpoint(tmp_path, 20, complete=False)
    torn = _checkpoint(tmp_path, 30)
    (torn / "model.safetensors").write_bytes(b"weights")
    gone = _checkpoint(tmp_path, 40)
    (gone / "model.safetensors").unlink()
    (tmp_path / "checkpoint-old").mkdir()
    assert checkpoints.last_complete(tmp_path) == good
    checkpoints.remove_after(tmp_path, good)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint-10",
        "checkpoint-9",
        "checkpoint-old",
    ]


def test_there_may_be_none(tmp_path):
    assert checkpoints.last_complete(tmp_path / "nowhere") is None
    _checkpoint(tmp_path, 1, complete=False)
    assert checkpoints.last_complete(tmp_path) is None


def test_somebody_elses_is_refused(tmp_path, monkeypatch):
    path = _checkpoint(tmp_path, 1)
    checkpoints.check_own(path)
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(TrainingError, match="pickles"):
        checkpoints.check_own(path)


def _config(**options):
    stage = StageOptions("s", ("a.tsv",), 1e-3, 10, 10)
    return TrainConfig(ModelOptions("e", slot_positions=True), DevOptions("d"), (stage,), **options)


def test_a_run_folder_is_for_one_configuration(tmp_path):
    run = RunFolder(tmp_path / "run")
    run.open(_config())
    run.open(_config())
    with pytest.raises(ConfigError, match="now seed = 1; was seed = 0"):
        run.open(_config(seed=1))
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter.tex").touch()
    with pytest.raises(ConfigError, match="contains no run"):
        RunFolder(tmp_path / "thesis").open(_config())


def test_a_run_that_began_before_positions_goes_on_without(tmp_path):
    run = RunFolder(tmp_path / "run")
    run.open(_config())
    file = tmp_path / "run/config.toml"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "slot_positions" not in line))
    with pytest.raises(ConfigError, match="now slot_positions = true; was slot_positions = false"):
        run.open(_config())
    config = _config()
    run.open(replace(config, model=replace(config.model, slot_positions=False)))


def test_metrics_of_a_future_that_did_not_happen_are_dropped(tmp_path):
    run = RunFolder(tmp_path)
    for stage, step in [("a", 10), ("b", 10), ("b", 20)]:
        run.log({"stage": stage, "step": step})
    with run.metrics.open("a") as file:
        file.write('{"stage": "b", "st')
    run.forget_after("b", 10)
    assert [(e["stage"], e["step"]) for e in run.read_metrics()] == [("a", 10), ("b", 10)]
