"""Properties of text that must hold for any Unicode and every family of tokenizers."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, processors

from emendo.ctc import BLANK, KEEP, collapse
from emendo.errors import TokenizerError
from emendo.labels import NO_LABEL
from emendo.text import TextTokenizer, apply_edits, render
from tests.conftest import FAMILIES, IS_LONG

# Texts of six parts on average, a third of them nasty: each nasty part comes about twelve times.
EXAMPLES = 1000 if IS_LONG else 300
NASTY = (
    "😀", "👨\u200d👩\u200d👧", "🏳️\u200d🌈", "👍🏽", "🇩🇪", "\r\n", "\u00a0", "\u2028", "e\u0301", "a\u0300\u0301", "שלום",
    "\u202eabc", "\x00", "\ud800", "\udfff", "<s>", "</s>", "<mask>", "<unk>", "<pad>", "<rep>", "[SEP]",
    "madeupword0000", "[unused0]", "had had", "!!!", "ﬁ", "½", "…", "㍿", "ｱﾞ", "\u00ad", "\u200b", "\ufeff",
    "▁", "Ġ", "##", "##s", "ẞ", "İ", "  ", "\t", "中国", "ไทย", "don't", "x" * 300, "\ufffd", "\U000e0001",
)  # fmt: skip
texts = st.lists(
    st.one_of(
        st.sampled_from(NASTY),
        st.text(st.characters(exclude_categories=()), max_size=8),
        st.sampled_from(["The", " dog", " likes", " a", " cat", ".", " ", ", "]),
    ),
    max_size=12,
).map("".join)


def keep_all(source):
    """Collapse the path that keeps every token; the edges can only be blank."""
    path = [BLANK if keep_id == NO_LABEL else KEEP for keep_id in source.keep_ids for _ in range(2)]
    return collapse(path, source.keep_ids.tolist(), 2)


@settings(max_examples=EXAMPLES)
@given(text=texts)
@example(text="had had")
@example(text="!!! !!! ...")
@example(text="  \n ")
@example(text="")
@example(text="é" * 5000)
@example(text="a" * 10_000 + " " + "😀" * 2500)
def test_all_keep_is_the_identity(tokenizer: TextTokenizer, text):
    source = tokenizer.encode(text)
    output = keep_all(source)
    edited = render(tokenizer, source, output.labels, output.origins)
    assert edited.text == text
    assert edited.edits == ()


@settings(max_examples=EXAMPLES)
@given(text=texts)
def test_spans_tile_the_view_and_units_never_cut_a_character(tokenizer: TextTokenizer, text):
    source = tokenizer.encode(text)
    spans = source.spans
    assert spans[0].tolist() == [0, 0]
    np.testing.assert_array_equal(spans[1:, 0], spans[:-1, 1])
    assert spans[-1, 1] <= len(source.view.encode())
    np.testing.assert_array_equal(source.unit_spans[1:, 0], source.unit_spans[:-1, 1])
    assert source.unit_sizes.sum() == (source.unit >= 0).sum()
    assert not set(source.ids[1:-1].tolist()) & set(tokenizer.forbidden_ids) - {tokenizer._unk_id}
    kept = source.keep_ids[1:-1]
    assert (kept[1:] != kept[:-1]).all(), "neighbours that would merge have <rep> between them"


@settings(max_examples=EXAMPLES)
@given(text=texts, seed=st.integers(0, 2**32))
def test_any_path_gives_valid_edits(tokenizer: TextTokenizer, text, seed):
    rng = random.Random(seed)
    source = tokenizer.encode(text)
    edited = random_edit(tokenizer, source, rng)
    check_edited(edited)
    later = random_edit(tokenizer, tokenizer.encode(edited.text), rng)
    both = edited.then(later)
    assert both.source == text
    assert both.text == later.text
    check_edited(both)


def random_edit(tokenizer, source, rng):
    """Render a random path, mostly KEEP, over the source."""
    forbidden = set(tokenizer.forbidden_ids)

    def add():
        while (token := rng.randrange(tokenizer.vocab_size)) in forbidden:
            pass
        return token

    path = []
    for keep_id in source.keep_ids.tolist():
        mood = rng.choice(["keep"] * 6 + ["delete", "add", "mixed"])
        for _ in range(2):
            options = {"keep": [KEEP], "delete": [BLANK], "add": [KEEP, add()]}
            symbol = rng.choice(options.get(mood, [KEEP, BLANK, add()]))
            path.append(BLANK if symbol == KEEP and keep_id == NO_LABEL else symbol)
    output = collapse(path, source.keep_ids.tolist(), 2)
    return render(tokenizer, source, output.labels, output.origins)


def check_edited(edited):
    source, output = edited.source, edited.text
    assert apply_edits(source, edited.edits) == output
    assert surrogates(source) == surrogates(output), "what is no character is protected"
    "".join(c for c in output if c not in surrogates(output)).encode()
    for edit in edited.edits:
        assert source[edit.start : edit.end] != edit.replacement
        assert not surrogates(source[edit.start : edit.end] + edit.replacement)
    if output.strip() and source.strip():
        lead, trail = len(source) - len(source.lstrip()), len(source) - len(source.rstrip())
        assert output[:lead] == source[:lead]
        assert len(output) - len(output.lstrip()) == lead, "no new outer white space"
        assert len(output) - len(output.rstrip()) == trail


def surrogates(text):
    return [c for c in text if "\ud800" <= c <= "\udfff"]


@settings(max_examples=300)
@given(text=texts)
def test_a_text_is_its_own_target(tokenizer: TextTokenizer, text):
    source = tokenizer.encode(text)
    target = tokenizer.encode_target(text, source)
    assert target.unmakeable == 0
    np.testing.assert_array_equal(target.labels, source.keep_ids[1:-1])


@settings(max_examples=300)
@given(text=texts, other=texts)
def test_a_makeable_target_is_written_by_its_labels(tokenizer: TextTokenizer, text, other):
    source = tokenizer.encode(text)
    target = tokenizer.encode_target(other, source)
    if target.unmakeable or surrogates(text) or surrogates(other):
        return
    where = {int(keep_id): k for k, keep_id in enumerate(source.keep_ids)}
    pieces = [
        tokenizer.surface(label) if label < tokenizer.vocab_size else span_of(source, where[label])
        for label in target.labels.tolist()
    ]
    read = tokenizer.encode(other)
    assert b"".join(pieces) == read.view.encode()[: read.spans[-1, 1]]


def span_of(source, token):
    start, end = source.spans[token]
    return source.view.encode()[start:end]


def test_control_tokens_in_a_text_are_text(tokenizer: TextTokenizer):
    source = tokenizer.encode("x<s>y <mask> [SEP] z")
    inner = set(source.ids[1:-1].tolist())
    assert not inner & {tokenizer.bos_id, tokenizer.eos_id, tokenizer.mask_id, tokenizer.pad_id}


def test_the_separator_is_never_read_from_text(tokenizer: TextTokenizer):
    source = tokenizer.encode("madeupword0000 <rep> [unused0] [unused1]")
    assert tokenizer.rep_id not in source.ids[source.unit >= 0]


def test_entries_that_text_can_give_are_no_separators():
    from tokenizers import AddedToken

    raw = FAMILIES["wordpiece"]()
    raw.add_tokens([AddedToken("[unused0]", special=False), "[unused1]"])
    tokenizer = TextTokenizer(raw)
    text = "see [unused0] and [unused1] here"
    source = tokenizer.encode(text)
    output = keep_all(source)
    assert render(tokenizer, source, output.labels, output.origins).text == text
    assert tokenizer.vocab_size > max(tokenizer.rep_id, tokenizer.mask_id)


def test_control_tokens_that_are_not_marked_as_such_are_never_written():
    vocabulary = {
        name: i for i, name in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"])
    }
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    assert set(TextTokenizer(raw).forbidden_ids) == {0, 1, 2, 3, 4}


def test_long_texts_are_not_truncated(tokenizer: TextTokenizer):
    text = "The quick brown fox . " * 500
    assert len(tokenizer.encode(text)) > 2000


def test_a_lower_casing_tokenizer_is_told(small_tokenizer):
    from tokenizers import normalizers

    lower = FAMILIES["wordpiece"]()
    lower.normalizer = normalizers.BertNormalizer(lowercase=True)
    assert not TextTokenizer(lower).is_cased
    assert small_tokenizer.is_cased


def test_errors_say_what_to_do(tmp_path):
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        TextTokenizer.from_file(tmp_path / "missing.json")
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(TokenizerError, match="cannot read"):
        TextTokenizer.from_file(tmp_path / "broken.json")
