"""Bundles that somebody else made: whatever is in them, one line says what is wrong."""

import json
import shutil
from dataclasses import replace

import pytest

from emendo import load_editor
from emendo.bundle import open_bundle, seal_bundle
from emendo.bundle.format import LEXICON, NETWORK, TOKENIZER, BundleConfig
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


@pytest.mark.parametrize("support", [-0.1, 11, 1e308, 10**400, "inf", "nan", True, "0.3"])
def test_support_stays_within_what_can_be_computed(support):
    level = {
        "balanced": {**LEVEL, "support": float(support) if support in ("inf", "nan") else support}
    }
    assert "support" in refused(json.dumps({**CONFIG, "levels": level}))


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


ENGINES = ["onnx", "openvino"]


@pytest.fixture
def folder(request, tmp_path):
    for needed in ("onnx", "torch"):
        pytest.importorskip(needed)
    shutil.copytree(request.getfixturevalue("tiny_bundle"), tmp_path / "b")
    return tmp_path / "b"


def not_loaded(folder, engine):
    """Return what loading says; whoever made the bundle has hashed what is in it."""
    pytest.importorskip({"onnx": "onnxruntime"}.get(engine, engine))
    seal_bundle(folder, open_bundle(folder).config)
    with pytest.raises(BundleError) as found:
        load_editor(folder, backend=engine, precision="fp32")
    message = str(found.value)
    assert str(folder) in message
    assert "\n" not in message
    assert len(message) < 600 + len(str(folder))
    return message


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [NETWORK, LEXICON])
def test_weights_in_files_that_no_hash_covers(folder, engine, name):
    import onnx

    onnx.save_model(
        onnx.load(folder / name),
        folder / name,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    assert (folder / "weights.bin").stat().st_size
    assert f"{name} has weights in other files" in not_loaded(folder, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_lengths_that_are_written_longer_than_need_be(folder, engine):
    """A number of protobuf's may have bytes that add nothing to it."""
    from onnx import TensorProto

    tensor = TensorProto(name="w", data_location=TensorProto.EXTERNAL).SerializeToString()
    # external_data, with its key: tag, length, and again for what is in it.
    tensor += b"\x6a\x0e\x0a\x88\x80\x00location\x12\x00"
    assert TensorProto.FromString(tensor).external_data[0].key == "location"
    path = folder / NETWORK
    # graph.initializer
    graph = b"\x2a" + bytes([len(tensor)]) + tensor
    path.write_bytes(path.read_bytes() + b"\x3a" + bytes([len(graph)]) + graph)
    assert f"{NETWORK} has weights in other files" in not_loaded(folder, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("content", [b"", b'<?xml version="1.0"?><net name="a" version="11"/>'])
def test_what_is_no_graph(folder, engine, content):
    (folder / NETWORK).write_bytes(content)
    assert f"{NETWORK} is not an ONNX graph" in not_loaded(folder, engine)


def rewritten(name):
    """Change a graph by its protobuf."""

    def decorate(change):
        def rewrite(folder):
            import onnx

            model = onnx.load(folder / name)
            change(model.graph)
            onnx.save_model(model, folder / name)

        rewrite.__name__ = change.__name__
        return rewrite

    return decorate


def configured(**changes):
    def change(folder):
        seal_bundle(folder, replace(open_bundle(folder).config, **changes))

    change.__name__ = ", ".join(f"{name}={value}" for name, value in changes.items())
    return change


def swapped(folder):
    (folder / NETWORK).rename(folder / "n")
    (folder / LEXICON).rename(folder / NETWORK)
    (folder / "n").rename(folder / LEXICON)


@rewritten(NETWORK)
def one_output(graph):
    del graph.output[1]


@rewritten(NETWORK)
def outputs_in_another_order(graph):
    first, second = graph.output
    kept = [type(first).FromString(each.SerializeToString()) for each in (second, first)]
    del graph.output[:]
    graph.output.extend(kept)


@rewritten(LEXICON)
def no_scores(graph):
    del graph.output[2]


@rewritten(NETWORK)
def a_further_input(graph):
    graph.input.add().CopyFrom(graph.input[0])
    graph.input[-1].name = "more"


@rewritten(NETWORK)
def tokens_of_another_type(graph):
    from onnx import TensorProto

    graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT


def another_tokenizer(folder):
    """More tokens than the network has."""
    content = json.loads((folder / TOKENIZER).read_text())
    vocabulary = content["model"]["vocab"]
    for k in range(9):
        vocabulary[f"new{k}"] = max(vocabulary.values()) + 1
    (folder / TOKENIZER).write_text(json.dumps(content))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (swapped, "network"),
        (one_output, "network"),
        (outputs_in_another_order, "network"),
        (no_scores, "lexicon"),
        (a_further_input, "network"),
        (tokens_of_another_type, "network"),
        (another_tokenizer, "tokenizer.json has 429 tokens"),
        (configured(upsampling=3), "network"),
        (configured(candidates=5), "candidates"),
        (configured(vocab_size=400), "tokenizer.json has 421 tokens"),
        (configured(pad_id=3), "pad_id is 3"),
        (configured(mask_id=3), "mask_id is 3"),
        (configured(rep_id=99_999_999), "tokenizer.json has 100,000,000 tokens"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_misshapen_graphs_fail_when_they_are_loaded(folder, engine, harm, what):
    harm(folder)
    assert what in not_loaded(folder, engine)


def test_more_rows_than_the_network_has(folder):
    """OpenVINO reads rows that are not there as zeros; no token has one, and none is written."""
    configured(vocab_size=430)(folder)
    assert "vocab_size is 430" in not_loaded(folder, "onnx")
