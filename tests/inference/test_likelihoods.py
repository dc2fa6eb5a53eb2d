"""Likelihoods of given outputs, from the chances of a made-up network."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from emendo.ctc.alphabet import slots_of
from emendo.inference import Batch
from emendo.inference import likelihoods as module
from emendo.inference.likelihoods import Question, likelihoods
from emendo.inference.slot_scoring import three_way_log_probs
from emendo.text import TextTokenizer
from tests.conftest import FAMILIES
from tests.inference.scripted_networks import ChanceBackend, piece, unsure_of_a_cat


def chances(backend, tokenizer, asked):
    """The chance of each output; words are looked up at the slots of the unsure word."""
    sources = tokenizer.encode_many([text for text, _ in asked])
    batch = Batch.of(sources, tokenizer.pad_id)
    output = backend.run(batch)
    keep_ids = backend.alphabet.slot_keep_ids(batch.keep_ids)
    three_way = three_way_log_probs(output.three_way, keep_ids)
    questions = []
    for row, (source, (_, outputs)) in enumerate(zip(sources, asked, strict=True)):
        place = source.ids.tolist().index(backend.word)
        labels = [np.array(each, dtype=np.int64) for each in outputs]
        questions.append(Question(row, source, labels, slots_of(place, place + 1, 2)))
    return [np.exp(found) for found in likelihoods(backend, questions, output, three_way)]


def test_an_output_may_have_one_token_or_none(small_tokenizer):
    the, cat, dog, fox = (piece(small_tokenizer, word) for word in ("the", "cat", "dog", "fox"))
    backend = unsure_of_a_cat(small_tokenizer)
    (found,) = chances(backend, small_tokenizer, [("cat", [[cat], [dog], [], [the], [fox]])])
    assert found == pytest.approx([0.27, 0.42, 0.1, 0, 0.21], abs=1e-6)
    (found,) = chances(backend, small_tokenizer, [("cat", [[]])])
    assert found == pytest.approx([0.1], abs=1e-6)


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [(12, [2, 2, 1, 1, 1]), (11, [1] * 7), (5, [1] * 7), (18, [3, 2, 1, 1]), (48, [5, 2])],
)
def test_outputs_are_summed_in_groups_of_bounded_size(small_tokenizer, monkeypatch, limit, sizes):
    """Five outputs of one token, then two of two tokens; the text has six slots."""
    groups = []
    real = module.log_likelihoods

    def recorded(blank, emissions, *rest):
        groups.append(emissions.shape)
        return real(blank, emissions, *rest)

    monkeypatch.setattr(module, "log_likelihoods", recorded)
    the, cat, dog, fox = (piece(small_tokenizer, word) for word in ("the", "cat", "dog", "fox"))
    asked = [("cat", [[cat], [dog], [fox], [the], [cat], [dog, fox], [the, cat]])]
    backend = unsure_of_a_cat(small_tokenizer)
    (whole,) = chances(backend, small_tokenizer, asked)
    assert groups == [(7, 6, 2)]
    groups.clear()
    monkeypatch.setattr(module, "_MOST_CELLS", limit)
    (found,) = chances(backend, small_tokenizer, asked)
    assert found == pytest.approx(whole)
    assert [size for size, _, _ in groups] == sizes
    assert all(size == 1 or size * S * M <= limit for size, S, M in groups)


def test_a_batch_of_texts_has_a_likelihood_for_each_output(small_tokenizer):
    the, cat, dog, fox = (piece(small_tokenizer, word) for word in ("the", "cat", "dog", "fox"))
    backend = unsure_of_a_cat(small_tokenizer)
    asked = [
        ("the cat", [[the, dog], [the, cat], [the]]),
        ("cat", [[fox]]),
        ("the the cat", [[the, small_tokenizer.rep_id, the, fox], [the, fox]]),
    ]
    first, second, third = chances(backend, small_tokenizer, asked)
    assert first == pytest.approx([0.42, 0.27, 0.1], abs=1e-6)
    assert second == pytest.approx([0.21], abs=1e-6)
    assert third == pytest.approx([0.21, 0], abs=1e-6)


def test_what_no_token_spells_can_only_be_kept():
    """Whatever the network says of other tokens, and of numbers beyond the vocabulary."""
    tokenizer = TextTokenizer(FAMILIES["wordpiece"]())
    source = tokenizer.encode("cat 😀")
    beyond = int(source.keep_ids[-2])
    assert beyond == tokenizer.vocab_size
    words = {0: 0.2, 1: 0.2, beyond: 0.1}
    backend = ChanceBackend(tokenizer, "😀", (0.3, 0.2, words), (0.0, 1.0, {}))
    cat = piece(tokenizer, "cat")
    (found,) = chances(backend, tokenizer, [("cat 😀", [[cat, beyond], [cat, 1], [cat]])])
    assert found == pytest.approx([0.3, 0.2, 0.2], abs=1e-6)


def test_a_question_is_neither_compared_nor_replaced(small_tokenizer):
    """It has arrays."""
    source = small_tokenizer.encode("the cat")
    first, second = (Question(0, source, [], slots_of(0, 2, 2)) for _ in range(2))
    assert first != second
    assert len({first, second}) == 2
    with pytest.raises(FrozenInstanceError):
        first.row = 1
