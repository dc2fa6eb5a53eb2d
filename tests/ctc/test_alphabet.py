import dataclasses

import numpy as np
import pytest

from emendo.ctc import BLANK, KEEP, Alphabet, SlotScores
from emendo.ctc.alphabet import count_slots, per_slot, per_token, slots_of, token_of
from emendo.labels import IGNORE, NO_LABEL


def test_symbols_that_are_no_tokens_are_told_apart():
    assert len({KEEP, BLANK, NO_LABEL, IGNORE}) == 4
    assert max(KEEP, BLANK, NO_LABEL, IGNORE) < 0, "tokens are their ids, from 0 up"


def test_columns_are_tokens_then_keep_then_blank():
    alphabet = Alphabet(3, 2)
    path = np.array([2, KEEP, BLANK, 0, 1])
    assert alphabet.columns(path).tolist() == [2, 3, 4, 0, 1]
    assert alphabet.symbols(alphabet.columns(path)).tolist() == path.tolist()
    assert alphabet.size == 5


def test_every_sentence_of_a_batch_has_its_own_slots():
    assert Alphabet(9, 2).slot_keep_ids(np.array([[5, 6], [7, 8]])).tolist() == [
        [5, 5, 6, 6],
        [7, 7, 8, 8],
    ]


def test_an_alphabet_is_a_small_value_that_never_changes():
    alphabet = Alphabet(3, 2)
    assert {alphabet: 1}[Alphabet(3, 2)] == 1
    assert not hasattr(alphabet, "__dict__")


def test_scores_never_change_and_are_no_values():
    """Arrays cannot be compared with ==, nor hashed."""
    arrays = [np.zeros((1, 2, 3)), *np.zeros((4, 1), dtype=np.int64)]
    scores = SlotScores(*arrays)
    assert scores != SlotScores(*arrays)
    assert len({scores, scores}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.rows = arrays[0]


@pytest.mark.parametrize("upsampling", [1, 3, 4])
def test_a_slot_belongs_to_the_token_that_has_it(upsampling):
    tokens = 5
    owners = per_slot(np.arange(tokens), upsampling)
    assert len(owners) == count_slots(tokens, upsampling)
    assert owners.tolist() == [token_of(slot, upsampling) for slot in range(len(owners))]
    for token in range(tokens):
        own = slots_of(token, token + 1, upsampling)
        assert own.tolist() == np.flatnonzero(owners == token).tolist()


def test_values_of_slots_by_token_leave_padding_out():
    path = np.array([0, 0, 1, 1, 2, 2, -2, -2])
    assert per_token(path, 3, 2).tolist() == [[0, 0], [1, 1], [2, 2]]
