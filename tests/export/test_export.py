"""From a trained network to a bundle, and what stops it."""

import shutil
from collections import Counter
from functools import partial

import numpy as np
import pytest

pytest.importorskip("onnxscript")
onnx = pytest.importorskip("onnx")

import torch

from emendo import TextTokenizer, load_editor
from emendo.bundle import Level, open_bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, LEXICON, NETWORK
from emendo.cli.main import run
from emendo.errors import BundleError, ExportError
from emendo.export import bundling, export_bundle
from emendo.export.onnx import write_network
from emendo.export.parity import check_parity, compare_backends
from emendo.inference import Batch, SentenceEditor
from emendo.inference.onnx_backend import OnnxGraph, open_onnx
from emendo.modeling import CopyCTCForEditing, TorchBackend
from tests.conftest import scramble


@pytest.fixture(scope="module")
def network(tiny_run):
    return CopyCTCForEditing.from_pretrained(tiny_run / "model")


def test_a_bundle_says_what_the_network_is(tiny_bundle, network, small_tokenizer):
    config = open_bundle(tiny_bundle).config
    assert (config.upsampling, config.vocab_size) == (2, small_tokenizer.vocab_size)
    assert (config.pad_id, config.rep_id) == (small_tokenizer.pad_id, small_tokenizer.rep_id)
    assert config.max_tokens == network.config.max_tokens
    assert config.levels == {"balanced": Level()}
    assert {path.name for path in tiny_bundle.iterdir()} == {*config.files, "bundle.json"}


def test_single_precision_edits_as_torch_does(tiny_bundle, network, small_tokenizer, edit_texts):
    agreement = check_parity(
        TorchBackend(network), open_onnx(open_bundle(tiny_bundle)), small_tokenizer, edit_texts
    )
    assert agreement.edited > 200
    assert agreement.difference < 1e-5


def test_words_are_scored_as_in_torch(tiny_bundle, network, small_tokenizer, edit_texts):
    size = small_tokenizer.vocab_size
    torch_backend = TorchBackend(network, candidates=4)
    exported = open_onnx(open_bundle(tiny_bundle))
    batch = Batch.of(small_tokenizer.encode_many(edit_texts[1:9]), small_tokenizer.pad_id)
    states = torch_backend.run(batch).states[0]
    labels = np.random.default_rng(0).integers(0, size, (len(states), 3))
    # No token, a spelling only KEEP can give, and one that ADD may not write.
    labels[:3, 0] = [-3, size + 2, small_tokenizer.pad_id]
    expected, found = (b.look_up(states, labels) for b in (torch_backend, exported))
    np.testing.assert_array_equal(found.top_ids, expected.top_ids)
    np.testing.assert_allclose(found.top_scores, expected.top_scores, atol=1e-5)
    np.testing.assert_allclose(found.label_scores, expected.label_scores, atol=1e-5)
    assert np.isneginf(found.label_scores[:3, 0]).all()
    nothing = exported.look_up(states[:0], labels[:0])
    assert nothing.top_ids.shape == (0, 4)
    assert nothing.label_scores.shape == (0, 3)


def test_int8_graphs_hold_int8_and_mostly_agree(tiny_bundle, network, small_tokenizer, edit_texts):
    agreement = compare_backends(
        TorchBackend(network),
        open_onnx(open_bundle(tiny_bundle), is_int8=True),
        small_tokenizer,
        edit_texts,
    )
    assert agreement.share > 0.5
    for name in (INT8_NETWORK, INT8_LEXICON):
        graph = onnx.load(tiny_bundle / name).graph
        kinds = {each.data_type for each in graph.initializer}
        assert onnx.TensorProto.INT8 in kinds
        # One scale for all batches: nothing that finds scales as it goes.
        assert not {"DynamicQuantizeLinear", "MatMulInteger"} & {n.op_type for n in graph.node}


def test_graphs_leave_sizes_open(tiny_bundle):
    network = onnx.load(tiny_bundle / NETWORK).graph
    lexicon = onnx.load(tiny_bundle / LEXICON).graph
    for graph, names in (
        (network, ["input_ids", "attention_mask", "three_way", "states"]),
        (lexicon, ["states", "labels", "top_ids", "top_scores", "label_scores"]),
    ):
        assert [each.name for each in (*graph.input, *graph.output)] == names
        for value in (*graph.input, *graph.output):
            assert value.type.tensor_type.shape.dim[0].dim_param


@pytest.mark.parametrize("slot_positions", [True, False])
def test_the_graph_has_the_positions_of_the_network(
    tiny_model, small_tokenizer, edit_texts, tmp_path, slot_positions
):
    model = scramble(tiny_model(upsampling=4, slot_positions=slot_positions)).eval()
    write_network(model, tmp_path / NETWORK)
    content = onnx.load(str(tmp_path / NETWORK)).graph
    assert [each.name for each in content.input] == ["input_ids", "attention_mask"]
    assert not any("gold_slots" in each.name for each in content.initializer)
    # The waves' lengths are constants: what is left is to take their sines and cosines.
    operations = Counter(node.op_type for node in content.node)
    assert (operations["Sin"], operations["Cos"]) == ((1, 1) if slot_positions else (0, 0))
    assert operations["Exp"] == 0
    graph = OnnxGraph(tmp_path / NETWORK)
    # One short sentence, some of different lengths, and more tokens than the exporter saw.
    for texts in (["a"], edit_texts[2:8], [" ".join(edit_texts[2:7])[:120]]):
        batch = Batch.of(small_tokenizer.encode_many(texts), small_tokenizer.pad_id)
        inputs = batch.input_ids, batch.attention_mask
        with torch.no_grad():
            expected = model.model(*map(torch.from_numpy, inputs))
        is_slot = np.repeat(batch.attention_mask, 4, axis=1).astype(bool)
        for found, wanted in zip(
            graph(*inputs), (expected.three_way, expected.slot_states), strict=True
        ):
            np.testing.assert_allclose(found[is_slot], wanted.numpy()[is_slot], atol=1e-4)


@pytest.fixture
def ready_graphs(tiny_bundle, monkeypatch):
    """Spare the exporter, which takes seconds: the graphs are those of the tiny bundle."""
    for name, file in (("write_network", NETWORK), ("write_lexicon", LEXICON)):
        copy = partial(shutil.copyfile, tiny_bundle / file)
        monkeypatch.setattr(bundling, name, lambda _, path, copy=copy, **__: copy(path))


@pytest.mark.usefixtures("ready_graphs")
def test_a_bundle_may_be_trained_on(tiny_run, tmp_path):
    levels = {"balanced": Level(), "precise": Level(keep_bias=2.0)}
    report = export_bundle(
        tiny_run / "model", tmp_path / "b", levels=levels, languages=["en", "de"], for_training=True
    )
    assert report.int8 is None
    assert report.bundle.config.languages == ("en", "de")
    assert report.bundle.config.levels == levels
    CopyCTCForEditing.from_pretrained(tmp_path / "b")
    TextTokenizer.from_pretrained(tmp_path / "b")


@pytest.mark.usefixtures("ready_graphs")
def test_a_bundle_may_be_int8_alone(tiny_run, tmp_path, edit_texts):
    report = export_bundle(
        tiny_run, tmp_path / "b", calibration=edit_texts[:40], int8=True, fp32=False
    )
    assert set(report.bundle.config.files) == {"tokenizer.json", INT8_NETWORK, INT8_LEXICON}
    assert load_editor(tmp_path / "b").edit_sentences(["a dog"])
    with pytest.raises(BundleError, match="no single-precision graphs"):
        load_editor(tmp_path / "b", backend="onnx", precision="fp32")


@pytest.mark.usefixtures("ready_graphs")
def test_the_command_line_exports(tiny_run, tmp_path, edit_texts, capsys, monkeypatch):
    (tmp_path / "texts.txt").write_text("\n".join(edit_texts[:40]), encoding="utf-8")
    command = ["emendo", "export", str(tiny_run), str(tmp_path / "b"), "--language", "de", "--int8"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit):
        run()
    assert "int8 needs --calibration" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", [*command, "--calibration", str(tmp_path / "texts.txt")])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "fp32: the model's edits on 39 of 39 texts" in printed
    assert "int8: " in printed
    assert open_bundle(tmp_path / "b").config.languages == ("de",)


@pytest.mark.usefixtures("ready_graphs")
def test_what_does_not_edit_alike_is_not_written(tiny_run, tmp_path, monkeypatch):
    class Other:
        def __init__(self, backend):
            self.backend = backend

        def __getattr__(self, name):
            return getattr(self.backend, name)

        def run(self, batch):
            output = self.backend.run(batch)
            output.three_way[..., 0] += 1.0
            return output

    monkeypatch.setattr(bundling, "open_onnx", lambda bundle: Other(open_onnx(bundle)))
    with pytest.raises(ExportError, match="texts differently from the network"):
        export_bundle(tiny_run, tmp_path / "b")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_exported(tiny_run, tmp_path):
    with pytest.raises(ExportError, match="has no trained model"):
        export_bundle(tmp_path, tmp_path / "b")
    with pytest.raises(ExportError, match="int8 needs calibration texts"):
        export_bundle(tiny_run, tmp_path / "b", int8=True)
    with pytest.raises(ExportError, match="would have no graphs"):
        export_bundle(tiny_run, tmp_path / "b", fp32=False)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "variant", [{"head": "flat"}, {"use_keep": False}, {"head": "flat", "use_keep": False}]
)
def test_networks_for_comparisons_edit_as_torch_does(
    variant, network, tiny_model, small_tokenizer, edit_texts, tmp_path
):
    model = tiny_model(**variant).eval()
    # A flat head has one row less: that of ADD.
    rows = {name: len(each) for name, each in model.state_dict().items()}
    model.load_state_dict({name: each[: rows[name]] for name, each in network.state_dict().items()})
    model.save_pretrained(tmp_path / "model")
    small_tokenizer.save(tmp_path / "model/tokenizer.json")
    texts = edit_texts[:60]
    # Quantising takes longest, so it is done once, for the variant that is both.
    both = len(variant) == 2
    report = export_bundle(tmp_path / "model", tmp_path / "b", calibration=texts, int8=both)
    assert (report.int8 is not None) == both
    assert report.fp32.same == len(texts)
    assert report.fp32.edited > 30
    assert report.fp32.difference < 1e-5
    # The editor reads the same network as the engine of the experiments.
    expected = SentenceEditor(TorchBackend(model), small_tokenizer).edit_sentences(texts)
    editor = load_editor(tmp_path / "b", precision="fp32")
    found = editor.edit_sentences(texts)
    assert [each.text for each in found] == [each.text for each in expected]
    if not variant.get("use_keep", True):
        batch = Batch.of(small_tokenizer.encode_many(texts[:3]), small_tokenizer.pad_id)
        scores = open_onnx(report.bundle).run(batch).three_way
        assert np.all(np.isneginf(scores[..., 0]))
        assert np.all(np.isfinite(scores[..., 1:]))
