"""Which parts of an output are written, and what happens to the white space around them."""

import numpy as np
import pytest

from emendo.text import EditedText, render


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
        pytest.param("Q  b  Q", [0, 6], "b", id="at both ends"),
        pytest.param("Q\n\nb", [0, 3], "", id="all words"),
        pytest.param("Q \n b", [0], "b", id="other white space"),
    ],
)
def test_outer_white_space_goes_with_the_outer_word(tokenizer, text, dropped, output):
    assert without(tokenizer, text, dropped).text == output
    padded = without(tokenizer, f"\n {text}\t", [place + 2 for place in dropped])
    assert padded.text == f"\n {output}\t"
