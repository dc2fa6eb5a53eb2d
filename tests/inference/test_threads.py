"""One editor and many threads: each gets what it would get alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from emendo import load_editor

pytest.importorskip("onnxruntime")

THREADS, CALLS = 8, 1000


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_threads_share_an_editor(tiny_bundle, edit_texts, backend):
    if backend == "openvino":
        pytest.importorskip("openvino")
    # Nothing is remembered, so that every call runs the graphs; fp32, so that a sentence comes
    # out alike on any processor.
    editor = load_editor(tiny_bundle, backend=backend, precision="fp32", cache_size=0)
    texts = [text for text in edit_texts if text][: CALLS // 10]
    expected = [editor.edit_sentences([text])[0] for text in texts]
    assert sum(bool(edited.edits) for edited in expected) > len(texts) / 2

    def edit(call):
        (edited,) = editor.edit_sentences([texts[call % len(texts)]])
        return edited

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(edit, range(CALLS)))
    for call, edited in enumerate(found):
        alone = expected[call % len(texts)]
        assert edited == alone
        assert edited.confidence == pytest.approx(alone.confidence, abs=1e-5)
