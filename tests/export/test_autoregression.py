"""The autoregressive Transformer that benchmarks compare with writes the same in every engine."""

import numpy as np
import pytest
import torch

pytest.importorskip("onnxscript")

from autoregression import GraphGeneration, autoregressive, generate, write_graphs
from emendo.inference import Batch
from emendo.inference.onnx_backend import OnnxGraph

BEAMS = 4


def open_openvino(path):
    pytest.importorskip("openvino")
    from emendo.inference.openvino_backend import OpenVinoGraph

    return OpenVinoGraph(path)


@pytest.fixture(scope="module")
def transformer(tiny_model):
    torch.manual_seed(0)
    model = autoregressive(tiny_model().config)
    with torch.no_grad():
        for parameter in model.parameters():
            # Matrices alone: with large biases it would write the same for everything.
            if parameter.dim() > 1:
                parameter.normal_(std=0.7)
    return model


@pytest.fixture(scope="module")
def graphs(transformer, tmp_path_factory):
    return write_graphs(transformer, tmp_path_factory.mktemp("ar"), BEAMS)


@pytest.mark.parametrize("beams", [1, BEAMS])
@pytest.mark.parametrize("open_graph", [OnnxGraph, open_openvino])
def test_graphs_write_what_transformers_writes(
    open_graph, beams, transformer, graphs, small_tokenizer, edit_texts
):
    in_engine = GraphGeneration(*map(open_graph, graphs))
    sources = small_tokenizer.encode_many([text for text in edit_texts if text][:12])
    assert len({len(source) for source in sources}) > 3
    written = []
    for group in (sources[:1], sources[1:4], sources[4:]):
        batch = Batch.of(group, small_tokenizer.pad_id)
        expected = generate(transformer, batch, beams)
        found = in_engine.generate(batch, beams)
        assert found.shape == expected.shape == batch.input_ids.shape
        assert np.array_equal(found, expected)
        written += map(tuple, found)
    # They do not write the same for everything.
    assert len(set(written)) > len(sources) // 2
