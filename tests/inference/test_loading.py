"""Editors from bundles: the same edits in every engine, alone and in any company."""

import pickle
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from emendo import load_editor
from emendo.bundle import Level, open_bundle, seal_bundle
from emendo.bundle.format import CONFIG, LEXICON, MISSPELLINGS, NETWORK, TOKENIZER
from emendo.errors import BundleError, MissingExtraError
from emendo.inference import SentenceEditor, loading
from emendo.inference.loading import choose_engine

pytest.importorskip("onnxruntime")

ENGINES = [
    ("onnx", "fp32"),
    ("onnx", "int8"),
    ("openvino", "fp32"),
    ("openvino", "bf16"),
    ("openvino", "int8"),
]


@pytest.fixture(scope="module", params=ENGINES, ids="-".join)
def engine(request, tiny_bundle):
    backend, precision = request.param
    if backend == "openvino":
        pytest.importorskip("openvino")
    return precision, load_editor(tiny_bundle, backend=backend, precision=precision)


def edits(editor, texts):
    return [edited.edits for edited in editor.edit_sentences(texts)]


def test_edits_are_those_of_the_network(engine, tiny_run, small_tokenizer, edit_texts):
    from emendo.modeling import CopyCTCForEditing, TorchBackend

    precision, editor = engine
    model = CopyCTCForEditing.from_pretrained(tiny_run / "model")
    expected = edits(SentenceEditor(TorchBackend(model), small_tokenizer), edit_texts)
    same = sum(a == b for a, b in zip(expected, edits(editor, edit_texts), strict=True))
    # A random network is much less sure of itself than a trained one.
    assert same / len(expected) >= {"fp32": 1.0, "bf16": 0.75, "int8": 0.5}[precision]


def test_a_sentence_is_edited_alike_in_any_company(engine, edit_texts):
    _, editor = engine
    texts = edit_texts[:60]
    together = dict(zip(texts, edits(editor, texts), strict=True))
    shuffled = random.Random(1).sample(texts, len(texts))
    # Batches of other sizes, padded otherwise, and no batch at all.
    for size in (1, 7, 31):
        for start in range(0, len(shuffled), size):
            part = shuffled[start : start + size]
            assert edits(editor, part) == [together[text] for text in part]


def test_the_bias_of_a_level_keeps_more(tiny_bundle, edit_texts, tmp_path):
    folder = tmp_path / "b"
    shutil.copytree(tiny_bundle, folder)
    level = '{"keep_bias": 50, "sentence_threshold": 0.0, "edit_threshold": %s}'
    neutral = '"balanced": {'
    text = (folder / CONFIG).read_text()
    assert neutral in text
    (folder / CONFIG).write_text(text.replace(neutral, f'"precise": {level % 0.0}, {neutral}'))
    bold, shy = (load_editor(folder, level=name) for name in (None, "precise"))
    assert any(e.source not in e.text for e in bold.edit_sentences(edit_texts))
    # The random network still adds at the edges, where there is nothing to keep.
    assert all(e.source in e.text for e in shy.edit_sentences(edit_texts))
    with pytest.raises(ValueError, match=r"no level 'thorough'; levels: (balanced|precise)"):
        load_editor(folder, level="thorough")
    # A threshold that nothing passes.
    level = level.replace("50", "0") % 1.5
    (folder / CONFIG).write_text(text.replace(neutral, f'"precise": {level}, {neutral}'))
    sure = load_editor(folder, level="precise")
    assert not any(e.edits for e in sure.edit_sentences(edit_texts))


def test_how_sure_known_misspellings_are_is_the_bundles_to_say(tiny_bundle, tmp_path):
    shutil.copytree(tiny_bundle, tmp_path / "b")
    (tmp_path / "b" / MISSPELLINGS).write_text("zqxj\tzq\n")
    config = replace(open_bundle(tmp_path / "b").config, misspelling_confidence=0.125)
    seal_bundle(tmp_path / "b", config)
    editor = load_editor(tmp_path / "b", backend="onnx", precision="fp32")
    (edited,) = editor.edit_sentences(["zqxj"], level=Level(keep_bias=100.0))
    assert min(edit.confidence for edit in edited.edits) == 0.125


SIGNALLED = """
import os, signal, sys
from emendo import load_editor

editors = [load_editor(sys.argv[1], backend="openvino") for _ in range(2)]
# In the order they came.
while editors:
    del editors[0]
signal.signal(signal.SIGUSR1, lambda *_: None)
os.kill(os.getpid(), signal.SIGUSR1)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no signals")
def test_a_signal_after_openvino_was_used(tiny_bundle):
    """Signals get a stack from OpenVINO, which must not be gone when one comes."""
    pytest.importorskip("openvino")
    subprocess.run([sys.executable, "-c", SIGNALLED, tiny_bundle], check=True)


def cut(path):
    path.write_bytes(path.read_bytes()[:100])


def swap(path):
    path.write_bytes(path.read_bytes()[::-1])


@pytest.mark.parametrize("name", [TOKENIZER, NETWORK, LEXICON])
@pytest.mark.parametrize(
    ("harm", "message"),
    [(cut, "is incomplete"), (swap, "sha256 differs"), (lambda p: p.unlink(), "cannot be read")],
    ids=["cut", "swapped", "missing"],
)
def test_damaged_files_are_named(tiny_bundle, tmp_path, name, harm, message):
    shutil.copytree(tiny_bundle, tmp_path / "b")
    harm(tmp_path / "b" / name)
    with pytest.raises(BundleError, match=f"{name} .*{message}|{name} {message}"):
        load_editor(tmp_path / "b", backend="onnx", precision="fp32")


def test_what_is_no_bundle_names_the_command(tiny_run):
    with pytest.raises(BundleError, match=r"training run.*`emendo export .* OUT`"):
        load_editor(tiny_run)
    with pytest.raises(BundleError, match=r"not yet a bundle: run `emendo export .* OUT`"):
        load_editor(tiny_run / "model")


def test_wrong_choices_are_refused(tiny_bundle, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="no backend 'tensorrt'; there is auto"):
        load_editor(tiny_bundle, backend="tensorrt")
    with pytest.raises(ValueError, match="no precision 'fp8'"):
        load_editor(tiny_bundle, precision="fp8")
    with pytest.raises(ValueError, match="no bf16"):
        load_editor(tiny_bundle, backend="onnx", precision="bf16")
    shutil.copytree(tiny_bundle, tmp_path / "b")
    config = (tmp_path / "b" / CONFIG).read_text().replace("lexicon.int8.onnx", "config.json")
    (tmp_path / "b" / CONFIG).write_text(config)
    with pytest.raises(BundleError, match=r"no int8 graphs.*--int8"):
        load_editor(tmp_path / "b", backend="onnx", precision="int8")
    monkeypatch.setattr(loading, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'pip install "emendo\[edit\]"'):
        load_editor(tiny_bundle)


def test_nothing_is_unpickled(tiny_bundle, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a pickle was opened")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    (edited,) = load_editor(tiny_bundle, backend="onnx").edit_sentences(["I like a dog."])
    assert edited.source == "I like a dog."


@pytest.mark.parametrize("has_units", [True, False])
def test_auto_takes_openvino_for_bf16_alone(tiny_bundle, monkeypatch, has_units):
    openvino_backend = pytest.importorskip("emendo.inference.openvino_backend")
    monkeypatch.setattr(openvino_backend, "has_bf16", lambda: has_units)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    bundle = open_bundle(tiny_bundle)
    quick = ("openvino", "bf16") if has_units else ("onnx", "fp32")
    assert choose_engine(bundle) == quick
    assert choose_engine(bundle, precision="int8") == ("onnx", "int8")
    assert choose_engine(bundle, precision="fp32") == ("onnx", "fp32")
    assert choose_engine(bundle, providers=["CPUExecutionProvider"]) == ("onnx", "fp32")
