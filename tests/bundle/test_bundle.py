"""Bundles: written as a whole, and what a person is told of a broken one."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from emendo.bundle import (
    BundleConfig,
    Level,
    drafted_bundle,
    open_bundle,
    seal_bundle,
    set_levels,
    store,
)
from emendo.bundle.format import CONFIG, NETWORK, TOKENIZER
from emendo.errors import BundleError, RequestError

CONFIGURED = BundleConfig(
    upsampling=4,
    pad_id=1,
    rep_id=50262,
    mask_id=4,
    vocab_size=50265,
    max_tokens=512,
    languages=("en",),
    candidates=4,
    levels={"balanced": Level(), "precise": Level(keep_bias=1.5, edit_threshold=0.25)},
)


@pytest.fixture
def folder(tmp_path):
    with drafted_bundle(tmp_path / "a/bundle") as draft:
        (draft / TOKENIZER).write_text("{}")
        (draft / NETWORK).write_bytes(b"graph" * 1000)
        seal_bundle(draft, CONFIGURED)
    return tmp_path / "a/bundle"


def test_comes_back_as_it_was_written(folder):
    bundle = open_bundle(folder)
    assert replace(bundle.config, files={}) == CONFIGURED
    assert set(bundle.config.files) == {TOKENIZER, NETWORK}
    assert bundle.file(NETWORK) == folder / NETWORK
    assert bundle.has(TOKENIZER, NETWORK)
    assert not bundle.has("lexicon.onnx")
    assert bundle.config.levels["precise"].keep_bias == 1.5
    assert bundle.config.levels[bundle.config.default_level] == Level()


def test_a_draft_that_failed_leaves_nothing_behind(folder):
    before = (folder / CONFIG).read_text()
    with pytest.raises(FileNotFoundError), drafted_bundle(folder) as draft:
        (draft / "nowhere" / NETWORK).write_bytes(b"new")
    assert (folder / CONFIG).read_text() == before
    assert [path.name for path in folder.parent.iterdir()] == ["bundle"]
    with drafted_bundle(folder) as draft:
        seal_bundle(draft, CONFIGURED)
    assert open_bundle(folder).config == CONFIGURED
    assert [path.name for path in folder.parent.iterdir()] == ["bundle"]


@pytest.mark.parametrize("failures", [1, 2], ids=["put back", "not even put back"])
def test_the_old_bundle_outlives_a_failed_rename(folder, monkeypatch, failures):
    before = (folder / CONFIG).read_text()
    rename = Path.rename
    left = failures

    def fail(self, target):
        nonlocal left
        if Path(target) == folder and left:
            left -= 1
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with (
        pytest.raises(BundleError, match="cannot be put in place") as raised,
        drafted_bundle(folder) as draft,
    ):
        seal_bundle(draft, replace(CONFIGURED, upsampling=8))
    (only,) = folder.parent.iterdir()
    assert (only / CONFIG).read_text() == before
    assert str(only) in str(raised.value)
    assert (only == folder) == (failures == 1)


def test_nothing_else_is_overwritten(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(BundleError, match="is not a bundle"), drafted_bundle(target):
            pass
    assert (tmp_path / "notes.txt").read_text() == "mine"


def changed(**changes):
    def change(folder):
        content = json.loads((folder / CONFIG).read_text())
        for key, value in changes.items():
            if value is None:
                del content[key]
            else:
                content[key] = value
        (folder / CONFIG).write_text(json.dumps(content))

    return change


FIRST = """{
 "upsampling": 4,
 "pad_id": 1,
 "rep_id": 50262,
 "mask_id": 4,
 "vocab_size": 50265,
 "max_tokens": 512,
 "languages": [
  "en"
 ],
 "candidates": 4,
 "levels": {
  "precise": {
   "keep_bias": 1.5,
   "sentence_threshold": 0.0,
   "edit_threshold": 0.25
  },
  "balanced": {
   "keep_bias": 0.0,
   "sentence_threshold": 0.0,
   "edit_threshold": 0.0
  }
 },
 "default_level": "balanced",
 "files": {
  "tokenizer.json": {
   "sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
   "bytes": 2
  }
 },
 "schema_version": 1
}
"""
"""A `bundle.json` as it was first published. It never changes: what is published stays readable."""


def test_the_first_bundles_still_load(tmp_path):
    (tmp_path / CONFIG).write_text(FIRST)
    (tmp_path / TOKENIZER).write_text("{}")
    bundle = open_bundle(tmp_path)
    assert bundle.file(TOKENIZER).is_file()
    assert replace(bundle.config, files={}) == CONFIGURED
    assert (bundle.config.task, bundle.config.unit) == ("correction", "sentence")
    assert bundle.config.misspelling_confidence == 0.97
    assert bundle.config.calibration == {}


def test_new_fields_come_back(tmp_path):
    config = replace(
        CONFIGURED,
        task="fusion",
        unit="two sentences",
        misspelling_confidence=0.5,
        calibration={"spelling": (0.1, 0.9)},
        levels={"balanced": Level(type_thresholds=(("noun", 0.5), ("verb", 1)))},
    )
    assert BundleConfig.from_json(config.to_json()) == config


def test_what_has_a_default_may_be_missing():
    content = json.loads(FIRST)
    for name in ("levels", "default_level", "files"):
        del content[name]
    config = BundleConfig.from_json(json.dumps(content))
    assert (config.levels, config.default_level) == ({"balanced": Level()}, "balanced")
    content = {**json.loads(FIRST), "levels": {"balanced": {"edit_threshold": 0.5}}}
    config = BundleConfig.from_json(json.dumps(content))
    assert config.levels == {"balanced": Level(edit_threshold=0.5)}


def test_what_a_newer_emendo_adds_is_left_out_and_kept_on_disk(folder, caplog):
    """Fields, fields of levels and files; a name with a path is none that any emendo writes."""
    level = {**vars(CONFIGURED.levels["precise"]), "mood": 1}
    stranger = {"sha256": "", "bytes": 1}
    content = json.loads((folder / CONFIG).read_text())
    files = {**content["files"], "grammar.bin": stranger}
    levels = {"balanced": {}, "precise": level}
    changed(speed=1, levels=levels, files=files)(folder)
    with caplog.at_level(logging.INFO):
        assert replace(open_bundle(folder).config, files={}) == CONFIGURED
    assert "speed" in caplog.text
    assert "mood" in caplog.text
    assert not open_bundle(folder).has("grammar.bin")
    set_levels(folder, {"bold": Level(keep_bias=-1.0)}, "bold")
    content = json.loads((folder / CONFIG).read_text())
    assert (content["speed"], content["files"]["grammar.bin"]) == (1, stranger)
    assert open_bundle(folder).config.levels == {"bold": Level(keep_bias=-1.0)}


def cut(name):
    def change(folder):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return change


BROKEN = {
    "newer": (changed(schema_version=7), r"schema_version 7.*reads 1 to.*install a newer emendo"),
    "no schema": (changed(schema_version=None), r"schema_version None.*export the bundle again"),
    "old": (changed(schema_version=0), r"schema_version 0.*export the bundle again"),
    "missing key": (changed(rep_id=None), r"bundle.json lacks rep_id; export"),
    "wrong number": (changed(upsampling=0), r"upsampling is 0; it must be a whole number from 1"),
    "wrong type": (changed(languages="en"), r"languages is 'en'; it must be a list"),
    "wrong level": (
        changed(levels={"balanced": {"keep_bias": "1"}}),
        r"balanced has a wrong keep_bias",
    ),
    "no level": (changed(levels={"balanced": 1}), r"balanced is not an object"),
    "wrong confidence": (
        changed(misspelling_confidence=97),
        r"misspelling_confidence is 97; it must be a number from 0 to 1",
    ),
    "wrong calibration": (changed(calibration=[]), r"calibration is \[\]; it must be an object"),
    "wrong line": (changed(calibration={"any": [1]}), "two numbers for each type"),
    "wrong type threshold": (
        changed(levels={"balanced": {"type_thresholds": [["spelling"]]}}),
        r"balanced has a wrong type_thresholds: \[\['spelling'\]\]",
    ),
    "list for a number": (
        changed(levels={"balanced": {"keep_bias": []}}),
        r"balanced has a wrong keep_bias: \[\]",
    ),
    "wrong task": (changed(task=["fusion"]), r"task is \['fusion'\]; it must be a word"),
    "half a file entry": (changed(files={NETWORK: {"bytes": 1}}), r"network.onnx lacks sha256"),
    "wrong default": (changed(default_level="bold"), r"default_level is 'bold'.*balanced, precise"),
    "wrong path": (
        changed(files={"../../secret": {"sha256": "", "bytes": 1}}),
        r"bundle cannot contain: ../../secret",
    ),
    "cut config": (cut(CONFIG), r"bundle.json is not valid JSON .*incomplete"),
    "cut file": (cut(NETWORK), r"network.onnx is incomplete: 2,500 bytes instead of 5,000"),
    "missing file": (lambda folder: (folder / NETWORK).unlink(), r"network.onnx cannot be read"),
    "another file": (
        lambda folder: (folder / NETWORK).write_bytes(b"grapH" * 1000),
        r"network.onnx is not the file .*sha256 differs",
    ),
    "no array": (lambda folder: (folder / CONFIG).write_text("[]"), r"does not contain an object"),
    "no text": (lambda folder: (folder / CONFIG).write_bytes(b"\xff\xfe"), r"cannot be read"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_what_is_said_of_a_broken_bundle(folder, change, message):
    change(folder)
    with pytest.raises(BundleError, match=message) as raised:
        open_bundle(folder).file(NETWORK)
    assert isinstance(raised.value, RequestError)
    assert isinstance(raised.value, ValueError)
    assert "bundle" in str(raised.value)


def test_a_file_that_may_not_be_read(folder, monkeypatch):
    def fail(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(store, "sha256_of", fail)
    with pytest.raises(BundleError, match=r"network.onnx cannot be read \(Permission denied\)"):
        open_bundle(folder).file(NETWORK)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["config.toml", "metrics.jsonl"], r"training run.*`emendo export \S+ OUT`"),
        (["config.json", "model.safetensors"], r"can be trained.*`emendo export \S+ OUT`"),
        ([], r"has no bundle.json.*`emendo export MODEL OUT`"),
    ],
)
def test_folders_that_are_no_bundles_yet(tmp_path, files, message):
    for name in files:
        (tmp_path / name).touch()
    with pytest.raises(BundleError, match=message):
        open_bundle(tmp_path)
    with pytest.raises(BundleError, match="is not a folder"):
        open_bundle(tmp_path / "nowhere")
