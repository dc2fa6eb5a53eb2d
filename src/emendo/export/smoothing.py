"""Prepares products with weights for int8.

A few channels of an encoder's activations are a hundred times larger than the others, and one scale
for all would leave the others without precision. As in SmoothQuant (Xiao et al. 2023), each channel
of an input is divided by a factor and its weights are multiplied by it: the product does not
change, and both sides lose less by rounding. As in GPTQ (Frantar et al. 2023), weights are rounded
channel by channel, and later ones compensate for the errors of earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import onnx
    from numpy.typing import NDArray

    Inputs = Sequence[dict[str, NDArray[Any]]]

# Heads with few columns are small and important, so they stay in single precision.
FEW_COLUMNS = 16
_MATRIX = 2
# Weights have seven bits: the products of eight overflow where AVX2 adds them up in pairs.
_MOST = 64
_ACTIVATION_STEPS = 255
# Shares of the outliers that the weights can take; the best is chosen for each input.
_SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
# The loss of a typical row, relative to its variation, above which a product is not quantised.
_LOSS = 0.05
# Rows of an input on which its loss is measured and its weights are rounded.
_ROWS = 8192
# Inputs that are recorded at once, to save memory.
_WATCHED = 16
_SMALLEST = 1e-5
# GPTQ's damping: the share of its mean added to the diagonal, so that it can be inverted.
_DAMPING = 0.01
# Columns are rounded independently of each other: so many at once, and the loss is measured on no
# more, to save memory.
_COLUMNS = 8192


@dataclass(frozen=True)
class RoundedWeights:
    """The weights of a product: integers, and a scale for each column."""

    values: NDArray[np.int8]
    scales: NDArray[np.float32]


@dataclass(frozen=True)
class Smoothed:
    """How a graph's products are quantised."""

    rounded: dict[str, RoundedWeights] = field(default_factory=dict)
    """Weights, by the product's name."""
    delicate: list[str] = field(default_factory=list)
    """Products that stay in single precision: they would lose too much, or have no weights."""


@dataclass(frozen=True)
class _Channels:
    """Recorded values of an input."""

    lowest: NDArray[np.floating]
    highest: NDArray[np.floating]
    rows: NDArray[np.floating]

    def divided(self, factors: NDArray[np.floating]) -> _Channels:
        return _Channels(self.lowest / factors, self.highest / factors, self.rows / factors)

    def rounded_rows(self) -> NDArray[np.floating]:
        """Return the rows as they are in eight bits with one scale."""
        low, high = min(self.lowest.min(), 0.0), max(self.highest.max(), 0.0)
        scale = max(float(high - low), _SMALLEST) / _ACTIVATION_STEPS
        zero = float(np.round(-low / scale))
        steps = np.clip(np.round(self.rows / scale) + zero, 0, _ACTIVATION_STEPS)
        return np.asarray((steps - zero) * scale)


def smooth_products(
    model: ModelProto, inputs: Inputs, on_progress: Callable[[int, int], object] | None = None
) -> Smoothed:
    """Smooth the inputs of a graph's products with weights, in place, and round the weights.

    `on_progress` is called with the number of inputs done and the total.
    """
    graph = model.graph
    weights = {each.name: each for each in graph.initializer}
    smoothed = Smoothed()
    by_input: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        if node.op_type != "MatMul":
            continue
        weight = weights.get(node.input[1])
        # Attention multiplies activations: in int8 this loses more and is not faster.
        if weight is None or len(weight.dims) != _MATRIX or weight.dims[-1] < FEW_COLUMNS:
            smoothed.delicate.append(node.name)
        else:
            by_input.setdefault(node.input[0], []).append(node)
    divisions = {}
    for number, (name, seen) in enumerate(_watch(model, list(by_input), inputs), 1):
        if on_progress:
            on_progress(number, len(by_input))
        nodes = by_input[name]
        matrices = [numpy_helper.to_array(weights[node.input[1]]) for node in nodes]
        factors, loss = _best_factors(seen, matrices)
        # Written so that NaN also counts as too much.
        if not loss <= _LOSS:
            smoothed.delicate.extend(node.name for node in nodes)
            continue
        inverse = _inverse(seen.divided(factors).rounded_rows())
        divisions[name] = helper.make_node("Mul", [name, f"{name}.inverse"], [f"{name}.even"])
        graph.initializer.append(numpy_helper.from_array(1 / factors, f"{name}.inverse"))
        for node, matrix in zip(nodes, matrices, strict=True):
            even = matrix * factors[:, None]
            smoothed.rounded[node.name] = _round_weights(even, inverse)
            node.input[0] = f"{name}.even"
            node.input[1] = f"{node.name}.weight"
            graph.initializer.append(numpy_helper.from_array(even, node.input[1]))
    _insert(graph, divisions)
    return smoothed


def put_rounded(graph: onnx.GraphProto, rounded: Mapping[str, RoundedWeights]) -> None:
    """Replace the weights that a quantiser wrote by the rounded ones."""
    weights = {each.name: each for each in graph.initializer}
    made_by = {node.output[0]: node for node in graph.node}
    for node in graph.node:
        found = rounded.get(node.name) if node.op_type == "MatMul" else None
        if found is None:
            continue
        values, scales = (weights[name] for name in made_by[node.input[1]].input[:2])
        values.CopyFrom(numpy_helper.from_array(found.values, values.name))
        scales.CopyFrom(numpy_helper.from_array(found.scales, scales.name))


def _watch(
    model: ModelProto, names: Sequence[str], inputs: Inputs
) -> Iterator[tuple[str, _Channels]]:
    """Run the current graph on texts, and yield some of its values."""
    untouched = ModelProto()
    untouched.CopyFrom(model)
    for start in range(0, len(names), _WATCHED):
        yield from _seen(untouched, names[start : start + _WATCHED], inputs).items()


def _seen(model: ModelProto, names: Sequence[str], inputs: Inputs) -> dict[str, _Channels]:
    watched = ModelProto()
    watched.CopyFrom(model)
    outputs = {each.name for each in model.graph.output}
    watched.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        for name in names
        if name not in outputs
    )
    session = ort.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    most = -(-_ROWS // len(inputs))
    parts: dict[str, list[_Channels]] = {name: [] for name in names}
    for batch in inputs:
        for name, values in zip(names, session.run(names, batch), strict=True):
            rows = values.reshape(-1, values.shape[-1])
            some = np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(int)
            parts[name].append(_Channels(rows.min(axis=0), rows.max(axis=0), rows[some]))
    return {
        name: _Channels(
            np.min([part.lowest for part in own], axis=0),
            np.max([part.highest for part in own], axis=0),
            np.concatenate([part.rows for part in own]),
        )
        for name, own in parts.items()
    }


def _best_factors(
    channels: _Channels, matrices: Sequence[NDArray[np.floating]]
) -> tuple[NDArray[np.float32], float]:
    """Return the factors for the channels, and the remaining loss."""
    reach = np.maximum(np.maximum(channels.highest, -channels.lowest), _SMALLEST)
    weight = np.maximum(np.max([np.abs(each).max(axis=1) for each in matrices], axis=0), _SMALLEST)
    products = [_Product.of(channels.rows, each) for each in matrices]
    best = np.ones(len(reach), dtype=np.float32)
    least = _loss(channels, products, best)
    for share in _SHARES:
        logs = share * np.log(reach) - (1 - share) * np.log(weight)
        factors = np.exp(np.clip(logs - logs.mean(), -7, 7)).astype(np.float32)
        loss = _loss(channels, products, factors)
        if loss < least:
            best, least = factors, loss
    return best, least


class _Product(NamedTuple):
    """Weights, or some columns if there are many, and their products with rows."""

    matrix: NDArray[np.floating]
    exact: NDArray[np.floating]
    usual: float
    """How much a typical row varies."""

    @classmethod
    def of(cls, rows: NDArray[np.floating], matrix: NDArray[np.floating]) -> _Product:
        matrix = matrix[:, :: -(-matrix.shape[1] // _COLUMNS)]
        exact = rows @ matrix
        usual = _usual_norm(exact - np.median(exact, axis=0))
        return cls(matrix, exact, max(usual, _SMALLEST))


def _loss(channels: _Channels, products: Sequence[_Product], factors: NDArray[np.float32]) -> float:
    """Return the rounding loss of a typical row of the worst product, relative to its variation.

    A typical row, because a few tokens with very large values would hide the loss.
    """
    rows = channels.divided(factors).rounded_rows()
    losses = []
    for product in products:
        even = product.matrix * factors[:, None]
        scales = _scales(even)
        found = rows @ (np.round(even / scales) * scales)
        losses.append(_usual_norm(found - product.exact) / product.usual)
    return max(losses)


def _usual_norm(rows: NDArray[np.floating]) -> float:
    return float(np.median(np.linalg.norm(rows, axis=1)))


def _scales(matrix: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(np.maximum(np.abs(matrix).max(axis=0), _SMALLEST**2) / _MOST)


def _inverse(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the upper Cholesky factor of the inverse of the channels' products."""
    products = rows.T.astype(np.float64) @ rows
    damping = max(_DAMPING * float(np.diag(products).mean()), _SMALLEST)
    products[np.diag_indices(len(products))] += damping
    return np.asarray(np.linalg.cholesky(np.linalg.inv(products)).T)


def _round_weights(matrix: NDArray[np.floating], inverse: NDArray[np.float64]) -> RoundedWeights:
    scales = _scales(matrix).astype(np.float32)
    values = np.empty(matrix.shape, dtype=np.int8)
    for start in range(0, matrix.shape[1], _COLUMNS):
        part = slice(start, start + _COLUMNS)
        left = matrix[:, part].astype(np.float64)
        for row in range(len(left)):
            steps = np.clip(np.round(left[row] / scales[part]), -_MOST, _MOST)
            values[row, part] = steps
            lost = (left[row] - steps * scales[part]) / inverse[row, row]
            left[row + 1 :] -= np.outer(inverse[row, row + 1 :], lost)
    return RoundedWeights(values, scales)


def _insert(graph: onnx.GraphProto, divisions: Mapping[str, onnx.NodeProto]) -> None:
    """Put each division right after its operand, and drop weights that are no longer used."""
    nodes = [divisions[each.name] for each in graph.input if each.name in divisions]
    for node in graph.node:
        nodes.append(node)
        nodes += [divisions[name] for name in node.output if name in divisions]
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    unused = [each for each in graph.initializer if each.name not in used]
    for each in unused:
        graph.initializer.remove(each)
