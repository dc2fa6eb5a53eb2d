"""A network with more slots edits as before, and training can tell its slots apart."""

import pytest
import torch

from emendo.data.collator import PairCollator
from emendo.inference import SentenceEditor
from emendo.modeling import TorchBackend
from emendo.modeling.more_slots import with_more_slots
from emendo.text import EditPair
from tests.conftest import encode_all, scramble

PAIRS = [
    EditPair("I like an dog.", "I like dogs."),
    EditPair("He go store", "He goes to the store."),
]


def edited(model, tokenizer, texts):
    editor = SentenceEditor(TorchBackend(model.eval()), tokenizer, confidences=False)
    return [each.text for each in editor.edit_sentences(texts)]


@pytest.mark.parametrize(
    ("before", "after", "had_positions", "has_positions"),
    [(2, 4, False, True), (2, 6, False, False), (2, 4, True, True), (1, 3, True, True)],
)
def test_edits_stay_the_same(
    tiny_model, small_tokenizer, edit_texts, before, after, had_positions, has_positions
):
    # In double precision, so that no slot is a tie that rounding decides.
    model = tiny_model(1, upsampling=before, slot_positions=had_positions)
    model = scramble(model, 1, scale=0.6).double()
    grown = with_more_slots(model, after, slot_positions=has_positions).double()
    assert (grown.config.upsampling, grown.config.slot_positions) == (after, has_positions)
    assert model.config.upsampling == before
    found = edited(model, small_tokenizer, edit_texts)
    assert found != edit_texts
    assert edited(grown, small_tokenizer, edit_texts) == found


def test_equal_slots_learn_different_things(tiny_model, small_tokenizer):
    model = scramble(tiny_model(upsampling=2, slot_positions=False))
    grown = with_more_slots(model, 4, slot_positions=True).train()
    batch = PairCollator(small_tokenizer.pad_id, 4)(encode_all(PAIRS, small_tokenizer, 4))
    torch.manual_seed(0)
    grown(**batch).loss.backward()
    slots = grown.model.decoder.positions.slots.grad
    weights = grown.model.upsampler.projection.weight.grad.unflatten(0, (4, -1))
    for gradient in (slots, weights):
        for first, second in ((0, 1), (2, 3)):
            apart = (gradient[first] - gradient[second]).norm()
            assert apart > 0.01 * gradient[first].norm()
