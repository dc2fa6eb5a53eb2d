"""Products made ready for int8: the same graph, with less to lose."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper

from emendo.bundle.format import INT8_NETWORK
from emendo.errors import ExportError
from emendo.export.quantize import _quantize
from emendo.export.smoothing import smooth_products

WIDTH, COLUMNS = 32, 48
FIRST, SECOND = np.random.default_rng(0).normal(size=(2, WIDTH, COLUMNS)).astype(np.float32)
HEAD = np.random.default_rng(1).normal(size=(WIDTH, 3)).astype(np.float32)


def graph():
    """Two products of one input, a small head, and a product without weights."""
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"], name="first_product"),
        helper.make_node("MatMul", ["x", "second"], ["b"], name="second_product"),
        helper.make_node("MatMul", ["x", "head"], ["h"], name="head_product"),
        helper.make_node("Transpose", ["b"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["a", "t"], ["c"], name="attention"),
    ]
    made = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", WIDTH])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "abhc"],
        [
            numpy_helper.from_array(values, name)
            for name, values in (("first", FIRST), ("second", SECOND), ("head", HEAD))
        ],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def outputs(model, x):
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def rows_with_outliers(channels):
    """Rows whose channels go together, some of them much larger than the others."""
    rng = np.random.default_rng(2)
    mixed = rng.normal(size=(400, 8)) @ rng.normal(size=(8, WIDTH)) / 3
    rows = (mixed + 0.3 * rng.normal(size=(400, WIDTH))).astype(np.float32)
    rows[:, channels] *= 200
    return rows


def in_int8(x):
    """Return values in eight bits with one scale."""
    low, high = min(x.min(), 0.0), max(x.max(), 0.0)
    scale = (high - low) / 255
    return np.round(x / scale) * scale


def nearest(weights):
    scales = np.abs(weights).max(axis=0) / 64
    return np.round(weights / scales) * scales


def loss(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted - wanted.mean(axis=0))


def smoothed_outputs(model, products, x):
    """Return what the two products give in int8, and the weights that they have."""
    weights = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    even = in_int8(x * weights["x.inverse"])
    rounded = [products.rounded[name] for name in ("first_product", "second_product")]
    return [even @ (each.values * each.scales) for each in rounded], even, weights


def test_what_the_graph_computes_stays():
    x = rows_with_outliers([3])
    model = graph()
    before = outputs(model, x)
    smooth_products(model, [{"x": x[:200]}, {"x": x[200:]}])
    assert [node.op_type for node in model.graph.node].count("Mul") == 1
    assert {each.name for each in model.graph.initializer}.isdisjoint({"first", "second"})
    for found, wanted in zip(outputs(model, x), before, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3 * np.abs(wanted).max())


def test_outlying_channels_leave_the_others_their_digits():
    x = rows_with_outliers([3, 17])
    model = graph()
    products = smooth_products(model, [{"x": x}])
    _, even, weights = smoothed_outputs(model, products, x)
    restored = even / weights["x.inverse"]
    # What the two channels do not drown.
    others = [channel for channel in range(WIDTH) if channel not in (3, 17)]
    assert loss(in_int8(x)[:, others], x[:, others]) > 0.3
    assert loss(restored[:, others], x[:, others]) < 0.2


def test_weights_are_rounded_to_what_they_meet():
    x = rows_with_outliers([])
    model = graph()
    products = smooth_products(model, [{"x": x}])
    found, even, weights = smoothed_outputs(model, products, x)
    for product, own, matrix in zip(
        ("first_product", "second_product"), found, (FIRST, SECOND), strict=True
    ):
        fitted = loss(own, x @ matrix)
        assert fitted < 0.02
        assert fitted < 0.9 * loss(even @ nearest(weights[f"{product}.weight"]), x @ matrix)
        assert np.abs(products.rounded[product].values).max() <= 64


def test_what_would_lose_too_much_stays_in_single_precision():
    x = rows_with_outliers([])
    assert set(smooth_products(graph(), [{"x": x}]).delicate) == {"head_product", "attention"}
    # A few rows that reach far in every channel: no factor helps the others.
    x[::40] *= 300
    model = graph()
    products = smooth_products(model, [{"x": x}])
    assert {"first_product", "second_product"} <= set(products.delicate)
    assert not products.rounded
    assert [node.op_type for node in model.graph.node] == [n.op_type for n in graph().graph.node]


def test_what_is_no_number_is_not_taken_for_no_loss():
    x = rows_with_outliers([])
    x[5, 5] = np.nan
    assert not smooth_products(graph(), [{"x": x}]).rounded


def test_the_rounded_weights_are_what_is_written(tmp_path):
    inputs = [{"x": rows_with_outliers([3])}]
    onnx.save(graph(), tmp_path / "exact.onnx")
    _quantize(tmp_path / "exact.onnx", tmp_path / "int8.onnx", inputs, lambda *_: None)
    expected = smooth_products(graph(), inputs).rounded
    written = onnx.load(tmp_path / "int8.onnx").graph
    made_by = {name: node for node in written.node for name in node.output}
    weights = {each.name: numpy_helper.to_array(each) for each in written.initializer}
    products = {node.name: node for node in written.node if node.name in expected}
    assert set(products) == {"first_product", "second_product"}
    for name, node in products.items():
        values, scales, zeros = (weights[each] for each in made_by[node.input[1]].input)
        np.testing.assert_array_equal(values, expected[name].values)
        np.testing.assert_array_equal(scales, expected[name].scales)
        assert not zeros.any()
    with pytest.raises(ExportError, match="none of the texts can be read"):
        _quantize(tmp_path / "exact.onnx", tmp_path / "none.onnx", [], lambda *_: None)


def test_int8_graphs_have_seven_bits_and_attend_in_single_precision(tiny_bundle):
    graph = onnx.load(tiny_bundle / INT8_NETWORK).graph
    made_by = {name: node for node in graph.node for name in node.output}
    weights = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    in_int8 = attending = 0
    for node in graph.node:
        if node.op_type != "MatMul":
            continue
        left, right = (made_by.get(name) for name in node.input)
        is_left, is_right = (
            side is not None and side.op_type == "DequantizeLinear" for side in (left, right)
        )
        if is_left:
            in_int8 += 1
            assert np.abs(weights[right.input[0]]).max() <= 64
        elif not is_right and node.input[1] not in weights:
            attending += 1
    assert in_int8 > 10
    # Scores and means in an encoder layer, and twice in each of two decoder layers.
    assert attending == 2 * (1 + 2 * 2)
