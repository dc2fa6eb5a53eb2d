"""How engines are imported and chosen, their options, and what is said if they fail."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from emendo.bundle import Bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, LEXICON, NETWORK, FileEntry
from emendo.errors import BundleError, ConfigError, MissingExtraError
from emendo.inference import engines, loading
from emendo.inference.backend import Batch
from emendo.inference.engines import import_onnxruntime, import_openvino
from emendo.inference.loading import check_engine, choose_engine, open_backend
from tests.inference.conftest import CONFIG

REPORTER = "openvino_telemetry"


@pytest.mark.parametrize(
    ("before", "during"),
    [
        ({}, {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}),
        (
            {"ORT_DISABLE_TELEMETRY": "0"},
            {"ORT_DISABLE_TELEMETRY": "0", "ORT_TELEMETRY_DISABLED": "1"},
        ),
    ],
)
def test_telemetry_is_off_before_onnx_runtime_is_imported(monkeypatch, before, during):
    """Unless its user has decided otherwise."""
    monkeypatch.setattr(os, "environ", before)
    monkeypatch.setattr(engines, "import_module", lambda name: (name, dict(os.environ)))
    assert import_onnxruntime() == ("onnxruntime", during)


def test_openvino_is_imported_without_its_reporter(monkeypatch):
    monkeypatch.delitem(sys.modules, "openvino", raising=False)
    monkeypatch.delitem(sys.modules, REPORTER, raising=False)
    monkeypatch.setattr(engines, "import_module", lambda name: (name, sys.modules[REPORTER]))
    assert import_openvino() == ("openvino", None)
    assert REPORTER not in sys.modules, "others can import it"
    theirs = ModuleType(REPORTER)
    monkeypatch.setitem(sys.modules, REPORTER, theirs)
    assert import_openvino() == ("openvino", None)
    assert sys.modules[REPORTER] is theirs


def test_openvino_that_is_already_imported_is_taken(monkeypatch):
    theirs = ModuleType("openvino")
    monkeypatch.setitem(sys.modules, "openvino", theirs)
    assert import_openvino() is theirs


@pytest.fixture
def onnx_backend():
    pytest.importorskip("onnxruntime")
    return pytest.importorskip("emendo.inference.onnx_backend")


@pytest.fixture
def openvino_backend():
    return pytest.importorskip("emendo.inference.openvino_backend")


@pytest.fixture
def sum_graph(tmp_path):
    """A graph that adds two arrays."""
    onnx = pytest.importorskip("onnx")
    from onnx.helper import (
        make_graph,
        make_model,
        make_node,
        make_opsetid,
        make_tensor_value_info,
    )

    a, b, c = (make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n"]) for name in "abc")
    graph = make_graph([make_node("Add", ["a", "b"], ["c"])], "sum", [a, b], [c])
    model = make_model(graph, ir_version=9, opset_imports=[make_opsetid("", 17)])
    onnx.save_model(model, tmp_path / "sum.onnx")
    return tmp_path / "sum.onnx"


ONES = np.ones(3, np.float32)


def test_onnx_runtime_runs_a_graph_with_all_its_inputs(onnx_backend, sum_graph):
    graph = onnx_backend.OnnxGraph(sum_graph)
    assert [each.tolist() for each in graph(ONES, 2 * ONES)] == [[3, 3, 3]]
    for wrong in ((ONES,), (ONES, ONES, ONES)):
        with pytest.raises(ValueError, match="argument 2 is"):
            graph(*wrong)


def test_openvino_runs_a_graph_with_all_its_inputs(openvino_backend, sum_graph):
    graph = openvino_backend.OpenVinoGraph(sum_graph)
    assert [each.tolist() for each in graph(ONES, 2 * ONES)] == [[3, 3, 3]]
    for wrong in ((ONES,), (ONES, ONES, ONES)):
        with pytest.raises(BundleError, match=f"has 2 inputs instead of {len(wrong)}"):
            graph(*wrong)


def test_what_is_said_of_a_file_that_no_engine_reads(onnx_backend, openvino_backend, tmp_path):
    path = tmp_path / "cut.onnx"
    path.write_bytes(b"\x08\x09\x12")
    with pytest.raises(BundleError, match=r"ONNX Runtime cannot load .*cut.onnx: "):
        onnx_backend.OnnxGraph(path)
    with pytest.raises(BundleError, match=r"OpenVINO cannot load .*cut.onnx: "):
        openvino_backend.OpenVinoGraph(path)


def test_options_of_onnx_runtime(onnx_backend, monkeypatch):
    """One thread unless more are asked for, no memory kept for later, no warnings but errors."""
    seen = []

    def open_session(path, sess_options, providers):
        seen.append((sess_options, providers))
        return SimpleNamespace(get_inputs=list)

    monkeypatch.setattr(onnx_backend.ort, "InferenceSession", open_session)
    onnx_backend.OnnxGraph("a")
    onnx_backend.OnnxGraph("a", threads=3, providers=("CUDAExecutionProvider",))
    (usual, providers), (other, own) = seen
    assert [usual.intra_op_num_threads, other.intra_op_num_threads] == [1, 3]
    assert [providers, own] == [["CPUExecutionProvider"], ["CUDAExecutionProvider"]]
    for options in (usual, other):
        assert options.inter_op_num_threads == 1
        assert not options.enable_cpu_mem_arena
        assert not options.enable_mem_pattern
        assert options.log_severity_level == 3


class Compiled:
    """What OpenVINO compiles; its requests end when two of them run at once."""

    inputs = outputs = ("one",)

    def __init__(self):
        self.requests = 0
        self.both = Barrier(2)

    def create_infer_request(self):
        self.requests += 1
        return self

    def infer(self, inputs, *, share_inputs):
        del share_inputs
        self.both.wait(timeout=10)
        return inputs


def test_options_of_openvino(openvino_backend, monkeypatch):
    seen = []

    def compile_model(core, path, device, options):
        seen.append(options)
        return Compiled()

    monkeypatch.setattr(openvino_backend.ov.Core, "compile_model", compile_model)
    openvino_backend.OpenVinoGraph("a")
    openvino_backend.OpenVinoGraph("a", threads=3, is_bf16=True)
    usual, other = seen
    assert [usual["INFERENCE_NUM_THREADS"], other["INFERENCE_NUM_THREADS"]] == [1, 3]
    assert [usual["INFERENCE_PRECISION_HINT"], other["INFERENCE_PRECISION_HINT"]] == ["f32", "bf16"]
    assert usual["NUM_STREAMS"] == other["NUM_STREAMS"] == 1


def test_threads_have_requests_of_their_own(openvino_backend, monkeypatch):
    compiled = Compiled()
    monkeypatch.setattr(openvino_backend.ov.Core, "compile_model", lambda *_: compiled)
    graph = openvino_backend.OpenVinoGraph("a")
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            found = list(pool.map(graph, (ONES, 2 * ONES)))
            assert [each[0].tolist() for each in found] == [[1, 1, 1], [2, 2, 2]]
    assert compiled.requests == 2, "and use them again"


@pytest.fixture
def opened(monkeypatch):
    """Replace the graphs of an engine by some that keep how they are opened, and run."""

    def replace_graphs(module, name):
        files, shapes = {}, []

        def open_graph(path, **options):
            files[path.name] = options

            def run(ids, mask):
                shapes.append(ids.shape)
                slots = np.zeros((len(ids), 2 * ids.shape[1], 3))
                return slots, slots

            return run

        monkeypatch.setattr(module, name, open_graph)
        return files, shapes

    return replace_graphs


def run(backend):
    ids = np.zeros((5, 9), np.int64)
    return backend.run(Batch(ids, ids, ids)).three_way.shape


def test_a_bundle_in_onnx_runtime(onnx_backend, bundle, opened):
    files, shapes = opened(onnx_backend, "OnnxGraph")
    assert run(onnx_backend.open_onnx(bundle)) == (5, 18, 3)
    assert shapes == [(5, 9)]
    assert set(files) == {NETWORK, LEXICON}
    assert files[NETWORK] == {"threads": 1, "providers": ("CPUExecutionProvider",)}


def test_a_bundle_in_openvino(openvino_backend, bundle, opened):
    """It compiles for each new shape, so it is given few."""
    files, shapes = opened(openvino_backend, "OpenVinoGraph")
    assert run(openvino_backend.open_openvino(bundle)) == (5, 18, 3)
    assert shapes == [(6, 16)]
    assert set(files) == {NETWORK, LEXICON}
    assert files[NETWORK] == {"threads": 1, "is_bf16": False}


FP32 = (NETWORK, LEXICON)
INT8 = (INT8_NETWORK, INT8_LEXICON)


def listing(*names):
    """Return a bundle that says it has these files."""
    entry = FileEntry(sha256="0" * 64, bytes=1)
    return Bundle(Path("b"), replace(CONFIG, files=dict.fromkeys(names, entry)))


@pytest.fixture
def machine(openvino_backend, monkeypatch):
    """Pretend that a machine has engines, a processor, and units for bf16 in it."""

    def pretend(*, has_units, engines=("onnxruntime", "openvino"), processor="x86_64"):
        monkeypatch.setattr(openvino_backend, "has_bf16", lambda: has_units)
        monkeypatch.setattr(loading, "find_spec", lambda name: name if name in engines else None)
        monkeypatch.setattr("platform.machine", lambda: processor)

    return pretend


@pytest.mark.parametrize(
    ("files", "has_units", "asked", "chosen"),
    [
        (FP32 + INT8, True, {"backend": "openvino"}, ("openvino", "bf16")),
        (FP32 + INT8, False, {"backend": "openvino"}, ("openvino", "fp32")),
        (INT8, True, {"backend": "openvino"}, ("openvino", "int8")),
        (INT8, True, {}, ("onnx", "int8")),
        (INT8, True, {"backend": "onnx"}, ("onnx", "int8")),
        (FP32, True, {"backend": "onnx"}, ("onnx", "fp32")),
        (FP32, True, {"precision": "bf16"}, ("openvino", "bf16")),
        (FP32, False, {"backend": "openvino", "precision": "bf16"}, ("openvino", "bf16")),
        (FP32 + INT8, True, {"backend": "openvino", "precision": "fp32"}, ("openvino", "fp32")),
    ],
)
def test_what_is_not_asked_for_depends_on_bundle_and_processor(
    machine, files, has_units, asked, chosen
):
    machine(has_units=has_units)
    assert choose_engine(listing(*files), **asked) == chosen


@pytest.mark.parametrize(
    ("engine", "chosen"),
    [("openvino", ("openvino", "int8")), ("onnxruntime", ("onnx", "int8"))],
)
@pytest.mark.parametrize("has_units", [True, False])
def test_auto_takes_the_only_engine(machine, engine, chosen, has_units):
    machine(has_units=has_units, engines=(engine,))
    assert choose_engine(listing(*FP32, *INT8), precision="int8") == chosen


@pytest.mark.parametrize(
    ("processor", "chosen"),
    [("AMD64", ("openvino", "bf16")), ("aarch64", ("onnx", "fp32"))],
)
def test_auto_takes_openvino_on_x86_alone(machine, processor, chosen):
    machine(has_units=True, processor=processor)
    assert choose_engine(listing(*FP32)) == chosen


def test_no_engine_is_installed(machine):
    machine(has_units=True, engines=())
    with pytest.raises(MissingExtraError, match=r'pip install "emendo\[edit\]"'):
        choose_engine(listing(*FP32))


def test_what_there_is_instead_of_unknown_names():
    for backend, precision, message in (
        ("tensorrt", "auto", "there is no backend 'tensorrt'; there is auto, onnx and openvino"),
        ("onnx", "fp8", "there is no precision 'fp8'; there is auto, fp32, bf16 and int8"),
    ):
        with pytest.raises(ConfigError) as found:
            check_engine(backend, precision)
        assert str(found.value) == message
    with pytest.raises(ConfigError, match="ONNX Runtime has no bf16"):
        choose_engine(listing(*FP32), backend="onnx", precision="bf16")


CPU = ("CPUExecutionProvider",)


@pytest.mark.parametrize(
    ("engine", "precision", "options"),
    [
        ("onnx", "fp32", {"is_int8": False, "providers": CPU}),
        ("onnx", "int8", {"is_int8": True, "providers": CPU}),
        ("openvino", "fp32", {"is_int8": False, "is_bf16": False}),
        ("openvino", "bf16", {"is_int8": False, "is_bf16": True}),
        ("openvino", "int8", {"is_int8": True, "is_bf16": False}),
    ],
)
def test_the_engine_that_is_chosen_is_opened(
    onnx_backend, openvino_backend, monkeypatch, engine, precision, options
):
    monkeypatch.setattr(onnx_backend, "open_onnx", lambda _, **given: ("onnx", given))
    monkeypatch.setattr(openvino_backend, "open_openvino", lambda _, **given: ("openvino", given))
    bundle = listing(*FP32, *INT8)
    expected = (engine, {"threads": 1, "meanwhile": None, **options})
    assert open_backend(bundle, backend=engine, precision=precision) == expected


def test_providers_are_those_that_are_asked_for(onnx_backend, monkeypatch):
    monkeypatch.setattr(onnx_backend, "open_onnx", lambda _, **options: options)
    found = open_backend(listing(*FP32), providers=["CUDAExecutionProvider"], threads=3)
    assert (found["providers"], found["threads"]) == (["CUDAExecutionProvider"], 3)
