import numpy as np
import pytest

from emendo.inference import NetworkOutput, WordScores
from emendo.inference.alignment import Alignment, Link, align
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
    """Is sure of nothing: 0.8 of what it does at a slot, 0.75 of a word, 0.2 of "the"."""

    def __init__(self, tokenizer, replacements):
        super().__init__(tokenizer, replacements)
        (self.other,) = tokenizer.encode("the").ids[1:-1]

    def run(self, batch):
        certain = super().run(batch)
        chosen = certain.three_way == certain.three_way.max(axis=-1, keepdims=True)
        return NetworkOutput(np.log(np.where(chosen, 0.8, 0.1)), certain.states)

    def look_up(self, states, labels):
        words = super().look_up(states, labels)
        doubt = np.log(0.75)
        return WordScores(
            np.hstack([words.top_ids, np.full_like(words.top_ids, self.other)]),
            np.hstack([words.top_scores + doubt, words.top_scores + np.log(0.2)]),
            words.label_scores + doubt,
        )


def test_a_link_is_as_likely_as_the_symbol_at_its_slot(small_tokenizer):
    backend = DoubtingBackend(small_tokenizer, {"cat": "dog"})
    alignment = align(backend, small_tokenizer, "a cat!")
    assert "".join(alignment.output) == " a dog!"
    found = {link.is_kept: link.probability for link in alignment.links}
    assert found == {True: pytest.approx(0.8), False: pytest.approx(0.8 * 0.75)}


def test_separators_of_equal_tokens_are_in_the_source_alone(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    alignment = align(backend, small_tokenizer, "a a cat!")
    # The edges have no text, and the separator between " a" and " a" has none.
    assert alignment.source == ("", " a", "", " a", " cat", "!", "")
    assert "".join(alignment.output) == " a a dog!"
    kept = [
        (link.source, alignment.output[link.output]) for link in alignment.links if link.is_kept
    ]
    assert kept == [(1, " a"), (3, " a"), (5, "!")]


def test_a_sentence_that_stays_has_kept_tokens_alone(small_tokenizer):
    alignment = align(ScriptedBackend(small_tokenizer, {}), small_tokenizer, "a cat!")
    assert alignment.output == (" a", " cat", "!")
    assert alignment.links == tuple(Link(k + 1, k, True, 1.0) for k in range(3))


WORDS = Alignment(
    source=("The", " ", " old", " cat"),
    output=("The", " dogs", "!"),
    links=(Link(0, 0, True, 1.0), Link(3, 1, False, 0.5), Link(3, 2, False, 0.0)),
)
DRAWN = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 164 150" width="164" height="150" \
font-family="ui-monospace, monospace" font-size="15" role="img">
<title>The  old cat</title>
<rect width="164" height="150" fill="#ffffff"/>
<line x1="29.5" y1="38" x2="29.5" y2="112" stroke="#1a7f37" stroke-width="4.00" \
stroke-linecap="round" opacity="0.75"/>
<line x1="134.5" y1="38" x2="75.0" y2="112" stroke="#bc4c00" stroke-width="2.25" \
stroke-linecap="round" opacity="0.75"/>
<line x1="134.5" y1="38" x2="111.5" y2="112" stroke="#bc4c00" stroke-width="0.50" \
stroke-linecap="round" opacity="0.75"/>
<text x="29.5" y="30" text-anchor="middle" fill="#1f2328">The</text>
<text x="61.5" y="30" text-anchor="middle" fill="#1f2328"></text>
<text x="93.5" y="30" text-anchor="middle" fill="#8c959f">old</text>
<text x="134.5" y="30" text-anchor="middle" fill="#8c959f">cat</text>
<text x="29.5" y="130" text-anchor="middle" fill="#1a7f37">The</text>
<text x="75.0" y="130" text-anchor="middle" fill="#bc4c00">dogs</text>
<text x="111.5" y="130" text-anchor="middle" fill="#bc4c00">!</text>
</svg>
"""


def test_a_drawing():
    """Kept words are black and green, deleted ones grey, added ones brown."""
    assert draw_alignment(WORDS) == DRAWN
