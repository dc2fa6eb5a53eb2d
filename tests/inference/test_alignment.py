from emendo.inference.alignment import align
from emendo.inference.alignment_drawing import draw_alignment
from emendo.modeling import TorchBackend
from tests.conftest import scramble
from tests.inference.test_editor import ScriptedBackend


def test_kept_and_added_tokens_are_told_apart(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    alignment = align(backend, small_tokenizer, "a cat!")
    assert "".join(alignment.source) == " a cat!"
    assert "".join(alignment.output) == " a dog!"
    kept = [alignment.output[link.output] for link in alignment.links if link.is_kept]
    assert "".join(kept) == " a!"
    assert all(0 <= link.probability <= 1 + 1e-6 for link in alignment.links)


def test_the_drawing_is_safe_and_whole(tiny_model, small_tokenizer):
    backend = TorchBackend(scramble(tiny_model(2), 2, scale=0.6))
    alignment = align(backend, small_tokenizer, "<b> & had had 😀")
    drawing = draw_alignment(alignment)
    assert drawing.count("<line") == len(alignment.links)
    assert "<b>" not in drawing
    assert drawing.startswith("<svg")
