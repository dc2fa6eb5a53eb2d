"""What is read from a text, with vocabularies small enough to see why."""

import unicodedata
from itertools import pairwise

import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from emendo.errors import TokenizerError
from emendo.labels import NO_LABEL
from emendo.text import TextTokenizer

BYTE_NAMES = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
WORD_NAMES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def byte_level(*more) -> Tokenizer:
    """Make a tokenizer with one token for each byte, and entries that no text gives."""
    entries = [*BYTE_NAMES, *sorted(pre_tokenizers.ByteLevel.alphabet()), *more]
    raw = Tokenizer(models.BPE({entry: i for i, entry in enumerate(entries)}, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    raw.add_special_tokens(list(BYTE_NAMES))
    return raw


def wordpiece(*pieces, vocabulary=None) -> Tokenizer:
    """Make a tokenizer of these pieces, whose ids begin at 5."""
    entries = {entry: i for i, entry in enumerate([*WORD_NAMES, *pieces])}
    raw = Tokenizer(models.WordPiece({**entries, **(vocabulary or {})}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return raw


def test_a_text_read_byte_by_byte():
    tokenizer = TextTokenizer(byte_level())
    source = tokenizer.encode("\n\n!! éa")
    surfaces = [tokenizer.surface(token) for token in source.ids.tolist()]
    assert surfaces == [None, b" ", b"!", b"", b"!", b" ", b"\xc3", b"\xa9", b"a", None]
    assert source.keep_ids.tolist() == [NO_LABEL, *source.ids[1:-1].tolist(), NO_LABEL]
    assert source.unit.tolist() == [-1, 0, 1, -1, 2, 3, 4, 4, 5, -1]
    # In bytes of " !! éa", where the edges and the separator are empty.
    ends = [0, 1, 2, 2, 3, 4, 5, 6, 7, 7]
    assert source.spans.tolist() == [list(span) for span in zip([0, *ends], ends, strict=False)]
    # In its characters.
    assert source.unit_spans.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]
    assert source.unit_sizes.tolist() == [1, 1, 1, 1, 2, 1]
    assert (source.view, source.lead, source.spellings) == (" !! éa", 2, {})


DOG, DOT, F, IND, ISH = range(5, 10)


@pytest.fixture
def composing() -> TextTokenizer:
    """A tokenizer that reads "…" as three dots and a ligature as its letters; `<rep>` is 10."""
    raw = wordpiece("dog", ".", "f", "##ind", "##ish")
    raw.normalizer = normalizers.NFKC()
    return TextTokenizer(raw)


def test_a_spelling_that_add_cannot_write_has_a_label_for_each_of_its_tokens(composing):
    source = composing.encode("dog… ﬁnd dog")
    assert source.ids[1:-1].tolist() == [DOG, DOT, DOT, DOT, F, IND, DOG]
    assert source.keep_ids[1:-1].tolist() == [DOG, 11, 12, 13, 14, 15, DOG]
    assert source.unit[1:-1].tolist() == [0, 1, 1, 1, 2, 2, 3]
    assert source.unit_spans.tolist() == [[0, 4], [4, 5], [5, 9], [9, 13]]
    dots, find = "…".encode(), " ﬁnd".encode()
    assert source.spellings == {
        **{(DOT, dots, 0): 11, (DOT, dots, 1): 12, (DOT, dots, 2): 13},
        **{(F, find, 0): 14, (IND, find, 1): 15},
    }


@pytest.mark.parametrize(
    ("target", "labels", "unmakeable"),
    [
        pytest.param("ﬁnd", [14, 15], 0, id="a spelling of the source"),
        pytest.param("ﬁsh", [F, ISH], 2, id="the same token in another spelling"),
        pytest.param("fish", [F, ISH], 0, id="what ADD writes"),
        pytest.param("dog.", [DOG, DOT], 1, id="ADD writes a space before a full stop"),
        pytest.param("dog . . dog", [DOG, DOT, 10, DOT, DOG], 0, id="equal neighbours"),
        pytest.param("☂ dog", [1, DOG], 1, id="an unknown word"),
        pytest.param("☃", [16], 0, id="an unknown word of the source"),
    ],
)
def test_labels_of_a_target(composing, target, labels, unmakeable):
    source = composing.encode("dog… ﬁnd ☃")
    read = composing.encode_target(target, source)
    assert (read.labels.tolist(), read.unmakeable) == (labels, unmakeable)


@pytest.mark.parametrize("char", ["\x7f", "\x80", "\u07ff", "\u0800", "\uffff", "\U00010000"])
def test_spans_after_an_unknown_word_with_a_character_of_any_size(char):
    source = TextTokenizer(wordpiece(".")).encode(f"x{char}.")
    word = len(f" x{char}".encode())
    assert source.spans.tolist() == [[0, 0], [0, word], [word, word + 1], [word + 1, word + 1]]
    assert source.unit_spans.tolist() == [[0, 3], [3, 4]]


def test_bytes_that_are_not_those_of_the_text_share_the_span_of_their_character():
    """NFC reads the sign for an ångström, of three bytes, as the letter, of two."""
    raw = byte_level()
    raw.normalizer = normalizers.NFC()
    tokenizer = TextTokenizer(raw)
    source = tokenizer.encode("\u212ba")
    surfaces = [tokenizer.surface(token) for token in source.ids[1:-1].tolist()]
    assert surfaces == [b" ", b"\xc3", b"\x85", b"a"]
    assert source.spans[1:-1].tolist() == [[0, 1], [1, 4], [4, 4], [4, 5]]
    assert source.unit[1:-1].tolist() == [0, 1, 1, 2]
    assert source.unit_spans.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_names_of_control_tokens_are_read_letter_by_letter():
    tokenizer = TextTokenizer(byte_level())
    source = tokenizer.encode("<s>")
    surfaces = [tokenizer.surface(token) for token in source.ids[1:-1].tolist()]
    assert surfaces == [b" ", b"<", b"s", b">"]


def test_the_separator_gets_a_row_after_all_entries():
    tokenizer = TextTokenizer(wordpiece("dog"))
    assert (tokenizer.rep_id, tokenizer.vocab_size) == (6, 7)
    assert tokenizer.forbidden_ids == (0, 1, 2, 3, 4)
    assert tokenizer.surface(6) == b""


def test_the_separator_comes_after_added_words():
    raw = wordpiece("dog")
    raw.add_tokens([AddedToken("zebra"), AddedToken("gnu")])
    tokenizer = TextTokenizer(raw)
    assert tokenizer.encode("zebra gnu").ids[1:-1].tolist() == [6, 7]
    assert (tokenizer.rep_id, tokenizer.vocab_size) == (8, 9)


def test_a_vocabulary_with_holes():
    tokenizer = TextTokenizer(wordpiece("dog", vocabulary={"cat": 9}))
    assert (tokenizer.rep_id, tokenizer.vocab_size) == (10, 11)
    assert tokenizer.surface(9) == b" cat"
    assert tokenizer.surface(8) is None


@pytest.mark.parametrize(
    ("raw", "first", "size"),
    [
        pytest.param(wordpiece("[unused0]", "[unused1]", "[unused2]", "dog"), 5, 9, id="pieces"),
        pytest.param(
            wordpiece("[unused1]", "[unused2]", "[unused3]"), 5, 8, id="pieces from one on"
        ),
        pytest.param(
            byte_level("madeupword0000", "madeupword0001", "madeupword0002"),
            *(261, 264),
            id="bytes",
        ),
    ],
)
def test_the_separator_is_the_first_padding_entry_of_a_vocabulary(raw, first, size):
    tokenizer = TextTokenizer(raw)
    assert (tokenizer.rep_id, tokenizer.vocab_size) == (first, size)
    assert tokenizer.forbidden_ids == (0, 1, 2, 3, 4, first + 1, first + 2)


def test_an_added_token_among_the_padding_entries_is_a_word():
    raw = wordpiece("[unused0]", "[unused1]", "[unused2]")
    raw.add_special_tokens(["[unused1]"])
    tokenizer = TextTokenizer(raw)
    assert tokenizer.rep_id == 5
    assert 7 in tokenizer.forbidden_ids


@pytest.mark.parametrize("text", ["o\u0308. x", "E\u0301a x", "a o\u0308", "a\u0302\u0301x"])
def test_a_combining_mark_belongs_to_its_letter(text):
    """The normal form of the letter is one character, which is read as two or three bytes."""
    raw = byte_level()
    raw.normalizer = normalizers.NFC()
    source = TextTokenizer(raw).encode(text)
    spans = [tuple(span) for span in source.unit_spans.tolist()]
    # In the view, which begins with a space.
    starts = [0, *(k + 1 for k, sign in enumerate(text) if not unicodedata.combining(sign))]
    assert spans == list(pairwise([*starts, len(text) + 1]))


def test_the_separator_can_be_chosen():
    """An encoder that is trained on has it where it was."""
    tokenizer = TextTokenizer(wordpiece("[unused0]", "[unused1]", "dog"), rep_id=12)
    assert (tokenizer.rep_id, tokenizer.vocab_size) == (12, 13)
    assert tokenizer.forbidden_ids == (0, 1, 2, 3, 4, 5, 6)


def test_control_tokens_write_nothing():
    tokenizer = TextTokenizer(byte_level())
    assert [tokenizer.surface(token) for token in tokenizer.forbidden_ids] == [None] * 5


def test_a_tokenizer_is_read_from_its_folder(tmp_path):
    TextTokenizer(wordpiece("dog")).save(tmp_path / "tokenizer.json")
    tokenizer = TextTokenizer.from_pretrained(tmp_path, rep_id=9)
    assert tokenizer.rep_id == 9
    assert tokenizer.encode("dog").ids.tolist() == [2, 5, 3]


def test_a_name_that_is_no_model_is_refused():
    with pytest.raises(TokenizerError, match="no/such/model is not a folder"):
        TextTokenizer.from_pretrained("no/such/model")


def test_a_tokenizer_needs_a_control_token_at_each_end():
    raw = wordpiece("dog")
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 2)]
    )
    with pytest.raises(TokenizerError, match="puts 1 control tokens around a text"):
        TextTokenizer(raw)


def test_each_target_needs_its_source():
    tokenizer = TextTokenizer(wordpiece("dog"))
    with pytest.raises(ValueError, match="shorter"):
        tokenizer.encode_targets(("dog", "dog"), (tokenizer.encode("dog"),))
