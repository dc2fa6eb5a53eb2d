"""Which parts of an output are written, and what happens to the white space around them."""

import numpy as np
import pytest

from emendo.text import EditedText, TextTokenizer, render
from tests.conftest import FAMILIES


def without(tokenizer, text, dropped, **options) -> EditedText:
    """Keep every token but those of the characters at these positions of the text."""
    source = tokenizer.encode(text)
    # The view begins with a virtual space, instead of the text's own white space.
    shift = source.lead - 1
    gone = {
        unit
        for unit, (start, end) in enumerate(source.unit_spans.tolist())
        if any(start + shift <= place < end + shift for place in dropped)
    }
    kept = [k for k, unit in enumerate(source.unit.tolist()) if unit >= 0 and unit not in gone]
    return render(tokenizer, source, source.keep_ids[kept], kept, **options)


@pytest.mark.parametrize("word", ["b", "😀", "₂", "\u200b"])
def test_what_is_kept_separates_a_change_from_one_that_is_not_made(small_tokenizer, word):
    """A surrogate cannot be deleted; if both were one stretch, neither change would be made."""
    text = f"a {word} \ud800 c"
    place = text.index("\ud800")
    assert without(small_tokenizer, text, [0, place]).text == f"{word} \ud800 c"
    assert without(small_tokenizer, text, [0, place], together=True).text == text
    assert without(small_tokenizer, text, [0]).text == f"{word} \ud800 c"
    assert without(small_tokenizer, text, [0], together=True).text == f"{word} \ud800 c"


def test_the_first_word_separates_changes_like_any_other(small_tokenizer):
    text = "\ud800 b c"
    assert without(small_tokenizer, text, [1, 2]).text == "\ud800 c"


def test_a_repeated_byte_has_a_separator_inside_its_character(small_tokenizer):
    source = small_tokenizer.encode("₂")
    inside = np.flatnonzero(source.unit >= 0)
    assert -1 in source.unit[inside[0] : inside[-1]]


@pytest.mark.parametrize(
    ("text", "dropped", "output"),
    [
        pytest.param("Q  b c", [0], "b c", id="spaces after the first word go with it"),
        pytest.param("Q  b c", [0, 3], "c", id="and those after the second"),
        pytest.param("b c  Q", [5], "b c", id="spaces before the last word go with it"),
        pytest.param("b c  Q", [2, 5], "b", id="and those before the last but one"),
        pytest.param("b  c  Q", [3, 6], "b", id="with spaces before both"),
        pytest.param("Q  b  Q", [0, 6], "b", id="at both ends"),
        pytest.param("Q  b c Q", [0, 3, 7], "c", id="two at the start and one at the end"),
        pytest.param("Q c b  Q", [0, 4, 7], "c", id="one at the start and two at the end"),
        pytest.param("Q\n\nb", [0, 3], "", id="all words"),
        pytest.param("Q \n b", [0], "b", id="other white space"),
    ],
)
def test_outer_white_space_goes_with_the_outer_word(tokenizer, text, dropped, output):
    assert without(tokenizer, text, dropped).text == output
    padded = without(tokenizer, f"\n {text}\t", [place + 2 for place in dropped])
    assert padded.text == f"\n {output}\t"


def test_white_space_inside_stays_when_a_word_goes(small_tokenizer):
    assert without(small_tokenizer, "a  dog  c", [3]).text == "a   c"


def plan(tokenizer, text, parts, **options) -> EditedText:
    """Write what the parts say: numbers are tokens to keep, texts are written as words."""
    source = tokenizer.encode(text)
    labels, origins = [], []
    for part in parts:
        if isinstance(part, int):
            new, where = [source.keep_ids[part]], [part]
        else:
            new = tokenizer.encode_target(part, source).labels.tolist()
            where = [-1] * len(new)
        labels += new
        origins += where
    return render(tokenizer, source, labels, origins, **options)


@pytest.mark.parametrize(
    ("text", "parts", "output"),
    [
        # After <s>: " ", "Q", " ", <rep>, " ", "b", " c"
        pytest.param("Q  b c", [1, 3, "dog", 7], "dog c", id="after the first word"),
        # After <s>: " ", "b", " c", " ", <rep>, " ", "Q"
        pytest.param("b c  Q", [1, 2, "dog", 4], "b dog", id="before the last word"),
    ],
)
def test_a_new_word_stays_beside_an_outer_word_that_goes(small_tokenizer, text, parts, output):
    assert plan(small_tokenizer, text, parts).text == output


def test_the_only_word_is_replaced(small_tokenizer):
    assert small_tokenizer.encode("a").unit.tolist() == [-1, 0, -1]
    assert plan(small_tokenizer, "a", ["dog"]).text == "dog"


def test_a_word_before_the_first_one_is_an_edit_of_its_own(small_tokenizer):
    """The surrogate beside the first word cannot be deleted."""
    text = "a \ud800 c"
    # After <s>: " a", " ", three bytes, " c"
    assert plan(small_tokenizer, text, ["dog", 1, 6]).text == "dog a \ud800 c"
    assert plan(small_tokenizer, text, ["dog", 1, 6], together=True).text == text
    padded = plan(small_tokenizer, f"\n {text}", ["dog", 1, 6])
    assert [(e.start, e.end, e.replacement) for e in padded.edits] == [(2, 2, "dog ")]


def test_a_part_of_the_first_character_is_undone_with_what_follows(small_tokenizer):
    source = small_tokenizer.encode("ё dog a")
    assert source.unit.tolist() == [-1, 0, 0, 1, 2, -1]
    for part in (1, 2):
        assert plan(small_tokenizer, "ё dog a", [part, 4]).text == "ё dog a"
    assert plan(small_tokenizer, "ё dog a", [1, 2, 4]).text == "ё a"


def test_a_part_of_the_last_character_is_undone(small_tokenizer):
    # After <s>: " a", " ", four bytes
    for missing in (3, 4, 5, 6):
        kept = [part for part in range(1, 7) if part != missing]
        assert plan(small_tokenizer, "a 😀", kept).text == "a 😀"


def test_a_word_after_a_part_of_a_character_ends_what_is_undone():
    unigram = TextTokenizer(FAMILIES["unigram"]())
    source = unigram.encode("½ b c")
    assert source.unit.tolist() == [-1, 0, 1, 1, 2, 3, 4, -1], "NFKC makes two tokens of ½"
    for part in (2, 3):
        assert plan(unigram, "½ b c", [1, part, 4]).text == "½ b"


def test_each_label_has_an_origin(small_tokenizer):
    source = small_tokenizer.encode("a")
    with pytest.raises(ValueError, match="shorter"):
        render(small_tokenizer, source, source.keep_ids[1:2], [])
