"""Batches, and what a network returns for them."""

from dataclasses import FrozenInstanceError, fields
from typing import NamedTuple

import numpy as np
import pytest

from emendo.inference import NetworkOutput, WordScores
from emendo.inference.backend import Batch
from emendo.labels import NO_LABEL


class Source(NamedTuple):
    ids: np.ndarray
    keep_ids: np.ndarray


def source(*tokens):
    return Source(np.array([0, *tokens, 2]), np.array([NO_LABEL, *tokens, NO_LABEL]))


def test_a_batch_is_padded_on_the_right():
    batch = Batch.of([source(7), source(5, 6, 8)], pad_id=1)
    assert batch.input_ids.tolist() == [[0, 7, 2, 1, 1], [0, 5, 6, 8, 2]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    no = NO_LABEL
    assert batch.keep_ids.tolist() == [[no, 7, no, no, no], [no, 5, 6, 8, no]]


def test_a_batch_of_nothing():
    assert Batch.of([], pad_id=1).input_ids.shape == (0, 0)


@pytest.mark.parametrize("kind", [Batch, NetworkOutput, WordScores])
def test_arrays_are_neither_compared_nor_replaced(kind):
    arrays = [np.zeros(2) for _ in fields(kind)]
    first, second = kind(*arrays), kind(*arrays)
    assert first != second
    assert len({first, second}) == 2
    with pytest.raises(FrozenInstanceError):
        setattr(first, fields(kind)[0].name, np.ones(2))
