from collections import Counter

import numpy as np
import pytest
import torch

from emendo.data.collator import PairCollator
from emendo.data.encoding import EMPTY, LONG_SOURCE, NO_PATH, UNMAKEABLE, PairEncoder
from emendo.data.windows import edit_window
from emendo.errors import TokenizerError
from emendo.labels import NO_LABEL
from emendo.text import EditPair, TextTokenizer
from tests.conftest import FAMILIES, encode_all

SOURCE = np.array([NO_LABEL, 10, 11, 12, 13, 14, 15, NO_LABEL])


@pytest.mark.parametrize(
    ("labels", "reach", "window"),
    [
        pytest.param([10, 11, 12, 13, 14, 15], 2, "........", id="unchanged"),
        pytest.param([10, 11, 12, 99, 14, 15], 1, "...###..", id="replaced"),
        pytest.param([10, 11, 12, 13, 99, 14, 15], 1, "....##..", id="inserted"),
        pytest.param([10, 12, 13, 14, 15], 1, ".###....", id="deleted"),
        pytest.param([99, 10, 11, 12, 13, 14, 15], 1, "##......", id="at the start"),
        pytest.param([10, 11, 12, 13, 14, 15, 99], 1, "......##", id="at the end"),
        pytest.param(
            [10, 11, *range(90, 99), 12, 13, 14, 15], 1, "########", id="too much for the window"
        ),
        pytest.param([], 1, "########", id="all deleted"),
    ],
)
def test_edit_window(labels, reach, window):
    found = edit_window(SOURCE, np.array(labels, dtype=np.int64), reach=reach, upsampling=4)
    assert "".join(".#"[int(x)] for x in found) == window


def test_the_window_needs_room_for_a_word():
    with pytest.raises(ValueError, match="at least 1"):
        edit_window(SOURCE, SOURCE, reach=0, upsampling=4)


def test_the_window_always_leaves_a_path():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        upsampling = int(rng.integers(2, 5))
        inner = rng.permutation(100)[: rng.integers(1, 12)]
        source = np.concatenate(([NO_LABEL], inner, [NO_LABEL]))
        labels = [int(x) for x in inner if rng.random() > 0.2]
        for _ in range(int(rng.integers(0, 20))):
            labels.insert(int(rng.integers(0, len(labels) + 1)), 100 + len(labels))
        if len(labels) > len(source) * upsampling:
            continue
        window = edit_window(
            source, np.array(labels, dtype=np.int64), reach=1, upsampling=upsampling
        )
        assert has_path(source, labels, window, upsampling)


def has_path(source, labels, window, upsampling):
    """Whether labels can be laid out slot by slot: the least number placed after each slot."""
    done = {0}
    for token, label in enumerate(source):
        for _ in range(upsampling):
            done |= {
                k + 1 for k in done if k < len(labels) and (window[token] or labels[k] == label)
            }
    return len(labels) in done


def test_collator(small_tokenizer):
    encoded = encode_all(
        [EditPair("I like an dog.", "I like dogs."), EditPair("Hi", "Hi")], small_tokenizer, 4
    )
    batch = PairCollator(small_tokenizer.pad_id, 4, reach=1)(encoded)
    assert set(batch) == {"input_ids", "attention_mask", "keep_ids", "labels", "lexical_mask"}
    assert batch["lexical_mask"].shape == batch["input_ids"].shape
    assert not batch["lexical_mask"][1].any()
    padding = batch["attention_mask"] == 0
    assert (batch["input_ids"][padding] == small_tokenizer.pad_id).all()
    assert (batch["keep_ids"][padding] == NO_LABEL).all()
    assert (batch["labels"][1] == -100).sum() == len(encoded[0].labels) - len(encoded[1].labels)
    assert all(values.dtype == torch.int64 for values in batch.values())


def test_pairs_that_cannot_be_trained_on_are_counted():
    unigram = TextTokenizer(FAMILIES["unigram"]())
    pairs = [
        EditPair("a cat", "a dog"),
        EditPair("  ", "a dog"),
        EditPair("a", "a dog and a cat and a dog and a cat and a dog"),
        EditPair("fi", "the ﬁ"),
        EditPair("½ a ﬁ", "½ a cat ﬁ"),
        # Each spelling is there, but not in this order, and KEEP never turns back.
        EditPair("½ a ﬁ", "ﬁ a ½"),
        EditPair("dog " * 99, "dog"),
    ]
    refused = Counter()
    encoded = list(PairEncoder(unigram, 2, max_tokens=64).encode(pairs, refused))
    assert len(encoded) == 2
    assert refused == {EMPTY: 1, NO_PATH: 2, UNMAKEABLE: 1, LONG_SOURCE: 1}


def test_a_lower_casing_tokenizer_is_refused():
    from tokenizers import normalizers

    lower = FAMILIES["wordpiece"]()
    lower.normalizer = normalizers.BertNormalizer(lowercase=True)
    with pytest.raises(TokenizerError, match="cased"):
        PairEncoder(TextTokenizer(lower), 4, 512)
