"""A trimmed vocabulary reads as the whole one did, wherever no dropped piece is involved."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from emendo.errors import TokenizerError
from emendo.text.trimming import count_pieces, pieces_to_keep, trim_tokenizer
from tests.conftest import CORPUS, FAMILIES
from tests.text.test_language import SENTENCES

# tests/text/test_lossless.py also runs on a trimmed tokenizer.
PIECES = [
    ("[PAD]", 0.0), ("[CLS]", 0.0), ("[SEP]", 0.0), ("[UNK]", 0.0),
    *((c, -9.0) for c in "▁abcdef,."),
    ("▁a", -4.0), ("ab", -5.0), ("▁ab", -4.5), ("cd", -5.0), ("▁cd", -4.5), ("▁abcd", -6.0),
    ("ef", -5.0), ("▁fade", -6.0), ("de", -5.5), ("▁▁", -8.0),
]  # fmt: skip


def unigram():
    tokenizer = Tokenizer(models.Unigram(PIECES, unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


FULL = unigram()
COUNTS = count_pieces(FULL, ["ab cd ab", "fade fade", "abcd."])
KEPT = pieces_to_keep(FULL, COUNTS, len(PIECES) - 4)
TRIMMED, OLD_IDS = trim_tokenizer(FULL, KEPT)


def test_counts_and_choice():
    vocabulary = FULL.get_vocab()
    assert COUNTS[vocabulary["▁ab"]] == 2
    assert COUNTS[vocabulary["▁fade"]] == 2
    kept = {PIECES[i][0] for i in KEPT}
    assert set("▁abcdef,.") | {"▁a", "[UNK]", "[CLS]"} <= kept
    assert {"▁ab", "▁fade", "▁cd"} <= kept
    # Never read, so never kept, whatever room there is.
    assert not {"ef", "de"} & kept


def test_ids_follow():
    assert [FULL.id_to_token(old) for old in OLD_IDS] == [
        TRIMMED.id_to_token(new) for new in range(len(OLD_IDS))
    ]
    assert TRIMMED.encode("ab").tokens == ["[CLS]", "▁ab", "[SEP]"]
    assert OLD_IDS[TRIMMED.token_to_id("[MASK]")] == FULL.token_to_id("[MASK]")
    assert json.loads(TRIMMED.to_str())["model"]["unk_id"] == TRIMMED.token_to_id("[UNK]")


@given(st.text("abcdef,. ", max_size=30))
def test_the_same_segmentation_where_nothing_is_dropped(text):
    whole = FULL.encode(text)
    read = [OLD_IDS[i] for i in TRIMMED.encode(text).ids]
    if set(whole.ids) <= set(OLD_IDS):
        assert read == whole.ids
    else:
        assert "".join(FULL.id_to_token(i) for i in read) == "".join(whole.tokens)


@pytest.mark.parametrize("family", ["unigram", "xlm-r"])
@pytest.mark.parametrize("code", ["de", "ru"])
def test_a_multilingual_vocabulary_trimmed_to_a_language_agrees_with_the_whole(family, code):
    """On text of the language, which all pieces are kept of, and wherever else nothing is dropped."""
    full = FAMILIES[family]()
    own = SENTENCES[code]
    counts = count_pieces(full, [own])
    kept = pieces_to_keep(full, counts, full.get_vocab_size())
    trimmed, old_ids = trim_tokenizer(full, kept)
    assert len(old_ids) < full.get_vocab_size(), "there is something to trim"
    shared = set(old_ids)
    same = 0
    for text in (own, *SENTENCES.values(), *CORPUS[:3], "", "😀 naïve, 42 %"):
        whole = full.encode(text)
        read = [old_ids[i] for i in trimmed.encode(text).ids]
        if set(whole.ids) <= shared:
            same += 1
            assert read == whole.ids
            assert trimmed.encode(text).offsets == whole.offsets
    assert same >= 3, "the language's own text, and the empty one"
    for token in ("<s>", "<pad>", "</s>", "<unk>"):
        assert trimmed.token_to_id(token) == full.token_to_id(token), "as the encoder has them"
    assert old_ids[trimmed.token_to_id("<mask>")] == full.token_to_id("<mask>")


def test_only_unigram_vocabularies_can_be_trimmed():
    with pytest.raises(TokenizerError, match="cannot be trimmed"):
        pieces_to_keep(FAMILIES["wordpiece"](), [], 10)
