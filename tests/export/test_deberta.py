"""DeBERTa as a graph: its relative positions are tables."""

import numpy as np
import pytest

pytest.importorskip("onnxscript")
onnx = pytest.importorskip("onnx")

import torch
from transformers import DebertaV2Config

from emendo import load_editor
from emendo.export import export_bundle
from emendo.inference import Batch
from emendo.inference.onnx_backend import OnnxGraph
from emendo.modeling import CopyCTCConfig, CopyCTCForEditing
from tests.conftest import scramble
from tests.modeling.test_encoder import DISENTANGLED, SIZES


@pytest.fixture(scope="module")
def deberta(small_tokenizer):
    torch.manual_seed(0)
    # A trimmed encoder has some rows more than its tokenizer has pieces.
    rows = small_tokenizer.vocab_size + 30
    sizes = {**SIZES, "vocab_size": rows}
    sizes["pad_token_id"] = small_tokenizer.pad_id
    config = CopyCTCConfig(
        DebertaV2Config(**sizes, **DISENTANGLED, share_att_key=True),
        upsampling=2,
        slot_positions=True,
        forbidden_ids=[*small_tokenizer.forbidden_ids, *range(small_tokenizer.vocab_size, rows)],
        rep_id=small_tokenizer.rep_id,
        mask_id=small_tokenizer.mask_id,
    )
    return scramble(CopyCTCForEditing(config)).eval()


@pytest.fixture(scope="module")
def bundle(deberta, small_tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("deberta")
    deberta.save_pretrained(folder / "model")
    small_tokenizer.save(folder / "model/tokenizer.json")
    export_bundle(folder / "model", folder / "bundle")
    return folder / "bundle"


@pytest.fixture(scope="module")
def graph(bundle):
    return bundle / "network.onnx"


def test_the_graph_computes_what_the_network_does(deberta, graph, small_tokenizer, edit_texts):
    # Long ones, too, whose distances share embeddings.
    texts = [*edit_texts[1:7], " ".join(edit_texts[1:4])]
    batch = Batch.of(small_tokenizer.encode_many(texts), small_tokenizer.pad_id)
    inputs = batch.input_ids, batch.attention_mask
    with torch.no_grad():
        expected = deberta.model(*map(torch.from_numpy, inputs))
    is_slot = np.repeat(batch.attention_mask, 2, axis=1).astype(bool)
    for found, wanted in zip(
        OnnxGraph(graph)(*inputs), (expected.three_way, expected.slot_states), strict=True
    ):
        np.testing.assert_allclose(found[is_slot], wanted.numpy()[is_slot], atol=1e-4)


def test_positions_are_projected_once(graph):
    """Two tables a layer are looked up: nothing is left of the embeddings they are made of."""
    content = onnx.load(str(graph)).graph
    tables = {each.name: each for each in content.initializer}
    assert not any("rel_embeddings" in name for name in tables)
    looked_up = [node.input[0] for node in content.node if node.op_type == "Gather"]
    spans = 2 * DISENTANGLED["position_buckets"]
    found = [name for name in looked_up if name in tables and tables[name].dims[0] == spans]
    assert len(found) == 2 * SIZES["num_hidden_layers"]


def test_a_bundle_with_rows_that_no_piece_has_is_whole(bundle, edit_texts):
    editor = load_editor(str(bundle), backend="onnx")
    assert editor.edit(edit_texts[3]).source == edit_texts[3]
