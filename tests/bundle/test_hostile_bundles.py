"""Bundles that somebody else made: whatever is in them, one line says what is wrong."""

import json

import pytest

from emendo.bundle import open_bundle
from emendo.bundle.format import BundleConfig
from emendo.errors import BundleError, FormatError
from emendo.text.misspellings import Misspellings

CONFIG = {"schema_version": 1, "upsampling": 2, "pad_id": 0, "rep_id": 1, "mask_id": 2, "vocab_size": 9, "max_tokens": 8, "languages": ["en"], "candidates": 3}  # fmt: skip
ENTRY = {"sha256": "0" * 64, "bytes": 5}
LEVEL = {"keep_bias": 0.0, "sentence_threshold": 0.5, "edit_threshold": 0.5}


def refused(text):
    with pytest.raises(BundleError) as found:
        BundleConfig.from_json(text)
    message = str(found.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


def test_the_plain_one_is_read():
    assert BundleConfig.from_json(json.dumps(CONFIG)).vocab_size == 9


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json(opening):
    assert "nested too deeply" in refused(opening * 100_000)


@pytest.mark.parametrize(
    "field",
    ["upsampling", "pad_id", "rep_id", "mask_id", "vocab_size", "max_tokens", "candidates"],
)
@pytest.mark.parametrize("value", [10**30, 2**31, True, 1.5, "x" * 100_000, [0] * 100_000])
def test_absurd_numbers(field, value):
    assert field in refused(json.dumps({**CONFIG, field: value}))


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": 5},
        {"sha256": "../etc/passwd"},
        {"bytes": "5"},
        {"bytes": -1},
        {"bytes": True},
        {"bytes": 10**30},
    ],
    ids=str,
)
def test_wrong_types_of_a_file(change):
    files = {"tokenizer.json": {**ENTRY, **change}}
    assert "tokenizer.json" in refused(json.dumps({**CONFIG, "files": files}))


@pytest.mark.parametrize("value", ["0.5", True, None, [], float("nan")], ids=str)
def test_wrong_types_of_a_level(value):
    name = next(iter(LEVEL))
    levels = {"balanced": {**LEVEL, name: value}}
    assert "balanced" in refused(json.dumps({**CONFIG, "levels": levels}))


def test_a_description_of_absurd_size(tmp_path):
    with (tmp_path / "bundle.json").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BundleError, match=r"bundle.json has 1,099,511,627,776 bytes"):
        open_bundle(tmp_path)


def test_a_table_that_is_no_text(tmp_path):
    path = tmp_path / "misspellings.tsv"
    path.write_bytes(b"teh\tthe\n\xff\xfe\tthe\n")
    with pytest.raises(FormatError, match=r"misspellings.tsv .*UTF-8"):
        Misspellings.from_file(path)
