import numpy as np
import pytest

from emendo.inference import NetworkOutput, WordScores
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


class DoubtingBackend(ScriptedBackend):
    """Is sure of nothing: 0.8 of what it does at a slot, and 0.75 of a word."""

    def run(self, batch):
        certain = super().run(batch)
        chosen = certain.three_way == certain.three_way.max(axis=-1, keepdims=True)
        return NetworkOutput(np.log(np.where(chosen, 0.8, 0.1)), certain.states)

    def look_up(self, states, labels):
        words = super().look_up(states, labels)
        doubt = np.log(0.75)
        return WordScores(words.top_ids, words.top_scores + doubt, words.label_scores + doubt)


def test_a_link_is_as_likely_as_the_symbol_at_its_slot(small_tokenizer):
    backend = DoubtingBackend(small_tokenizer, {"cat": "dog"})
    alignment = align(backend, small_tokenizer, "a cat!")
    assert "".join(alignment.output) == " a dog!"
    found = {link.is_kept: link.probability for link in alignment.links}
    assert found == {True: pytest.approx(0.8), False: pytest.approx(0.8 * 0.75)}
