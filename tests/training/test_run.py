"""Whole runs on a tiny encoder: they learn, they survive, and two processes do what one does."""

import dataclasses
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import RobertaModel

from emendo import TextTokenizer
from emendo.errors import TrainingError
from emendo.inference import SentenceEditor
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.training.config import (
    DevOptions,
    ModelOptions,
    OptimizerOptions,
    StageOptions,
    TrainConfig,
)
from emendo.training.loop import train
from emendo.training.toml_config import dump_config
from tests.conftest import unpacked


def configure(encoder, pairs, **changes):
    """A run of 40 updates, with a dev score and a checkpoint every 10."""
    model = ModelOptions(str(encoder), upsampling=2, **changes.pop("model", {}))
    stage = {
        "name": "only",
        "train": (str(pairs),),
        "learning_rate": 1e-4,
        "tokens_per_step": 256,
        "tokens_per_batch": 128,
        "steps": 40,
        "warmup_steps": 5,
        "evaluate_every": 10,
        **changes.pop("stage", {}),
    }
    return TrainConfig(
        model=model,
        dev=DevOptions(str(pairs), metric="em", sentences=8),
        stages=(StageOptions(**stage),),
        optimizer=OptimizerOptions(**changes.pop("optimizer", {})),
        **{"precision": "fp32", "trackers": (), "log_every": 5, **changes},
    )


def weights(folder):
    return load_file(folder / "model.safetensors")


def same_weights(first, second):
    first, second = weights(first), weights(second)
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


@pytest.mark.timeout(1800)
def test_overfits_64_real_pairs(encoder, tmp_path):
    source = unpacked("permissive-pairs") / "doc-typo-fixes/en.ccby.tsv"
    lines = [line.split("\t") for line in source.read_text(encoding="utf-8").splitlines()]
    short = [line for line in lines if line[-1] == "strict" and len(line[0]) < 60]
    # Some texts were corrected twice: what one commit left, another one changed.
    halfway = {line[0] for line in short} & {line[1] for line in short}
    rows = [line for line in short if not halfway & set(line[:2])][:64]
    assert len(rows) == 64
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{row[0]}\t{row[1]}\n" for row in rows), encoding="utf-8")
    # The editor reads its output again, so what is right must stay.
    right = tmp_path / "right.tsv"
    right.write_text("".join(f"{row[1]}\t{row[1]}\n" for row in rows), encoding="utf-8")
    config = configure(
        encoder,
        pairs,
        model={"source_dropout": 0.0},
        stage={
            "train": (str(pairs), str(right)),
            "learning_rate": 1e-3,
            "tokens_per_step": 2048,
            "tokens_per_batch": 2048,
            "steps": 800,
            "evaluate_every": 50,
            "patience": 4,
        },
        optimizer={"head_factor": 2.0},
        log_every=50,
    )
    config = dataclasses.replace(config, dev=DevOptions(str(pairs), metric="em"))
    model = train(config, tmp_path / "run")
    editor = SentenceEditor(
        TorchBackend(CopyCTCForEditing.from_pretrained(model)),
        TextTokenizer.from_pretrained(model),
    )
    edited = editor.edit_sentences([row[0] for row in rows])
    assert [e.text for e in edited] == [row[1] for row in rows]


def test_the_run_folder(encoder, pairs, tmp_path):
    run = tmp_path / "run"
    config = configure(encoder, pairs, trackers=("tensorboard",))
    model = train(config, run)
    assert model == run / "model"
    entries = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert entries[0]["pairs"] == 64
    losses = {e["step"]: e["loss"] for e in entries if "loss" in e}
    assert list(losses) == [5, 10, 15, 20, 25, 30, 35, 40]
    assert losses[40] < losses[5]
    assert [e["step"] for e in entries if "score" in e] == [10, 20, 30, 40]
    shares = next(e for e in entries if "keep" in e)
    assert shares["keep"] + shares["add"] + shares["blank"] == pytest.approx(1)
    assert shares["tokens_per_s"] > 0
    assert (run / "curves.png").stat().st_size > 10_000
    assert json.loads((run / "environment.json").read_text())["versions"]["torch"]
    assert list(run.glob("only/runs/*/events*")), "TensorBoard's file"
    # Once more does nothing, and changes nothing.
    before = (run / "metrics.jsonl").read_text()
    train(config, run)
    assert (run / "metrics.jsonl").read_text() == before


def test_a_stage_starts_from_the_best_of_the_last(encoder, pairs, tmp_path):
    first = configure(encoder, pairs).stages[0]
    still = {**first.__dict__, "name": "still", "learning_rate": 0.0, "steps": 10}
    config = configure(encoder, pairs)
    config = dataclasses.replace(config, stages=(first, StageOptions(**still)))
    train(config, tmp_path / "run")
    assert same_weights(tmp_path / "run/only/best", tmp_path / "run/model")


def _start(config, tmp_path, name, *launcher):
    file = tmp_path / f"{name}.toml"
    file.write_text(dump_config(config))
    return subprocess.Popen(
        [
            *(launcher or [sys.executable]),
            *["-m", "emendo", "train", str(file), "--output", str(tmp_path / name)],
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def _finish(process, timeout=300):
    output, _ = process.communicate(timeout=timeout)
    assert process.returncode == 0, output
    return output


def _kill_when(process, happened, timeout=240):
    """Kill -9 as soon as something is seen."""
    end = time.monotonic() + timeout
    while not happened():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_kill_and_resume_gives_the_same_weights(encoder, pairs, tmp_path):
    config = configure(encoder, pairs)
    _finish(_start(config, tmp_path, "whole"))
    run = tmp_path / "killed"
    metrics = run / "metrics.jsonl"
    # Once between checkpoints, once while one is written.
    _kill_when(
        _start(config, tmp_path, "killed"),
        lambda: metrics.exists() and '"step": 15,' in metrics.read_text(),
    )
    assert not (run / "model").exists()
    _kill_when(_start(config, tmp_path, "killed"), (run / "only/checkpoint-30").exists)
    assert not (run / "only/checkpoint-30/complete.json").exists(), "killed during the save"
    output = _finish(_start(config, tmp_path, "killed"))
    assert "checkpoint-20" in output
    assert "pickles" in output
    assert same_weights(tmp_path / "whole/model", run / "model")
    ours, theirs = (
        [
            {key: value for key, value in json.loads(line).items() if key != "tokens_per_s"}
            for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()
        ]
        for name in ("whole", "killed")
    )
    assert [e["step"] for e in ours] == [e["step"] for e in theirs]
    assert [e.get("loss") for e in ours] == [e.get("loss") for e in theirs]


def test_two_processes_do_what_one_does(encoder, pairs, tmp_path):
    """The same global batch, with dropout and glancing off, gives the same losses."""
    quiet = {"source_dropout": 0.0, "glancing": 0.0}
    folder = tmp_path / "quiet-encoder"
    model = RobertaModel.from_pretrained(encoder, add_pooling_layer=False)
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.0
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((encoder / "tokenizer.json").read_bytes())
    config = configure(folder, pairs, model=quiet, stage={"steps": 20})
    _finish(_start(config, tmp_path, "one"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    launcher = [*torchrun, "--master_addr", "127.0.0.1", "--master_port", str(port)]
    _finish(_start(config, tmp_path, "two", *launcher))
    one, two = (
        [
            entry["loss"]
            for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()
            if "loss" in (entry := json.loads(line))
        ]
        for name in ("one", "two")
    )
    assert len(one) == len(two) == 4
    assert np.abs(np.array(one) - np.array(two)).max() < 1e-4


def test_a_loss_that_is_no_number_stops_the_run(encoder, pairs, tmp_path, monkeypatch):
    from emendo.training.trainer import EditingTrainer

    compute = EditingTrainer.compute_loss

    def broken(self, *arguments, **options):
        loss = compute(self, *arguments, **options)
        return loss * float("nan") if self.state.global_step >= 12 else loss

    monkeypatch.setattr(EditingTrainer, "compute_loss", broken)
    with pytest.raises(TrainingError, match=r"loss is nan at update 15.*checkpoint-10"):
        train(configure(encoder, pairs), tmp_path / "run")
    good = weights(tmp_path / "run/only/checkpoint-10")
    assert all(torch.isfinite(value).all() for value in good.values())


def test_no_checkpoint_of_an_epoch_has_weights_that_are_no_numbers(
    encoder, pairs, tmp_path, monkeypatch
):
    from emendo.training.trainer import EditingTrainer

    compute = EditingTrainer.compute_loss

    def broken(self, *arguments, **options):
        loss = compute(self, *arguments, **options)
        return loss * float("nan") if self.state.global_step >= 1 else loss

    monkeypatch.setattr(EditingTrainer, "compute_loss", broken)
    stage = {"evaluate_every": None, "steps": None, "epochs": 3.0}
    with pytest.raises(TrainingError, match="loss is nan"):
        train(configure(encoder, pairs, stage=stage, log_every=1000), tmp_path / "run")
    assert not list((tmp_path / "run/only").glob("checkpoint-*"))


def test_patience_goes_on_after_a_kill(encoder, pairs, tmp_path):
    # Without a step in any direction only the first score is a gain.
    stage = {"learning_rate": 0.0, "patience": 3, "steps": 100}
    config = configure(encoder, pairs, stage=stage)
    run = tmp_path / "run"
    _kill_when(_start(config, tmp_path, "run"), (run / "only/checkpoint-20/complete.json").exists)
    _finish(_start(config, tmp_path, "run"))
    assert json.loads((run / "only/done.json").read_text())["steps"] == 40


def test_a_full_disk_stops_the_run(encoder, pairs, tmp_path):
    """No file may grow past a limit, as on a disk with no room: the save fails, nothing is lost."""
    config = configure(encoder, pairs)
    run = tmp_path / "run"
    _kill_when(_start(config, tmp_path, "run"), (run / "only/checkpoint-10/complete.json").exists)
    file = tmp_path / "run.toml"
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    done = subprocess.run(
        [sys.executable, "-m", "emendo", "train", str(file), "--output", str(run)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "could not be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "checkpoint-10" in done.stderr
    # With room again, the run goes on.
    _finish(_start(config, tmp_path, "run"))
    assert (run / "model/model.safetensors").exists()


@pytest.mark.parametrize("model", [{}, {"use_keep": False}, {"head": "flat"}])
def test_no_pair_is_left_out_unseen(encoder, pairs, tmp_path, model):
    """Vanilla CTC writes every word, so it takes the exact loss: else most pairs had no path."""
    config = configure(encoder, pairs, model=model, stage={"steps": 10, "reach": 1})
    train(config, tmp_path / "run")
    lines = (tmp_path / "run/metrics.jsonl").read_text().splitlines()
    losses = [entry for entry in map(json.loads, lines) if "loss" in entry]
    assert losses
    assert all(entry["unfit"] == 0 for entry in losses)


def test_frozen_embeddings_stay_as_they_are(encoder, pairs, tmp_path):
    config = configure(
        encoder, pairs, model={"freeze_embeddings": True}, stage={"steps": 10, "reach": 2}
    )
    model = train(config, tmp_path / "run")
    name = "embeddings.word_embeddings.weight"
    before = weights(encoder)[name]
    (after,) = [v for key, v in weights(model).items() if key.endswith(name)]
    assert torch.equal(after[: len(before)], before)


def test_a_stage_can_leave_the_encoder_as_it_is_and_hide_more(encoder, pairs, tmp_path):
    stage = {"steps": 10, "freeze_encoder": True, "source_dropout": 0.3, "keep_dropout": 0.6}
    model = train(configure(encoder, pairs, stage=stage), tmp_path / "run")
    trained = CopyCTCForEditing.from_pretrained(model)
    before = RobertaModel.from_pretrained(encoder, add_pooling_layer=False).state_dict()
    after = trained.model.encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert trained.lexicon.dense.weight.any()
    assert (trained.config.source_dropout, trained.config.keep_dropout) == (0.3, 0.6)


def test_the_tail_of_the_words_gradient_is_an_option_of_the_run(encoder, pairs, tmp_path):
    exact = configure(encoder, pairs, model={"lexical_tail": 0.0}, stage={"steps": 10})
    model = train(exact, tmp_path / "run")
    assert CopyCTCForEditing.from_pretrained(model).config.lexical_tail == 0


def test_a_model_carries_the_task_of_its_run(encoder, pairs, tmp_path):
    fusion = configure(
        encoder, pairs, model={"task": "fusion"}, stage={"steps": 10, "evaluate_every": None}
    )
    model = train(fusion, tmp_path / "run")
    assert CopyCTCForEditing.from_pretrained(model).config.task == "fusion"
    # Trained on without a task, it keeps its own.
    more = configure(model, pairs, stage={"steps": 10, "evaluate_every": None})
    model = train(more, tmp_path / "more")
    assert CopyCTCForEditing.from_pretrained(model).config.task == "fusion"
