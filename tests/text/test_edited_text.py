"""A text with its edits: how it is shown, and where its parts are in the output."""

import pytest

from emendo.errors import EditError
from emendo.text import Edit, EditedText, apply_edits

SOURCE = "She go to school yesterday."
GOES, THE, NOW = Edit(4, 6, "goes"), Edit(9, 9, " the"), Edit(17, 26, "now")


@pytest.mark.parametrize(
    ("edits", "shown"),
    [
        ((), "EditedText(no edits in 27 characters)"),
        ((GOES,), "EditedText(1 edit in 27 characters: 'go' -> 'goes')"),
        ((GOES, THE), "EditedText(2 edits in 27 characters: 'go' -> 'goes', '' -> ' the')"),
    ],
)
def test_its_repr_lists_the_edits(edits, shown):
    assert repr(EditedText(SOURCE, edits)) == shown


def test_its_repr_is_short_for_long_texts():
    source = "a" * 20 + "b" * 21 + "c" * 1200
    first = (Edit(0, 20, "x"), Edit(20, 41, "y" * 30))
    letters = tuple(Edit(100 + i, 101 + i, str(i)) for i in range(4))
    listed = (
        f"'{'a' * 20}' -> 'x', '{'b' * 19}…' -> '{'y' * 19}…', 'c' -> '0', 'c' -> '1', 'c' -> '2'"
    )
    five = EditedText(source, first + letters[:3])
    assert repr(five) == f"EditedText(5 edits in 1,241 characters: {listed})"
    six = EditedText(source, first + letters)
    assert repr(six) == f"EditedText(6 edits in 1,241 characters: {listed}, …)"


@pytest.mark.parametrize(
    ("taken", "left"),
    [
        pytest.param([], [0, 3, 5, 8, 13, 22], id="no span"),
        pytest.param([(0, 1)], [3, 5, 8, 13, 22], id="the first"),
        pytest.param([(3, 4)], [0, 13, 22], id="the first of three with spaces between them"),
        pytest.param([(6, 7)], [0, 13, 22], id="the second"),
        pytest.param([(9, 10)], [0, 13, 22], id="the third"),
        pytest.param([(10, 13)], [0, 3, 5, 8, 13, 22], id="from an end to the next start"),
        pytest.param([(14, 15)], [0, 3, 5, 8, 22], id="inside of one"),
        pytest.param([(12, 17)], [0, 3, 5, 8, 22], id="around one"),
        pytest.param([(22, 22), (20, 21)], [0, 3, 5, 8, 13, 22], id="beside an insertion"),
        pytest.param([(21, 23)], [0, 3, 5, 8, 13], id="around an insertion"),
        pytest.param([(3, 4), (21, 23)], [0, 13], id="two spans"),
    ],
)
def test_edits_beside_spans(taken, left):
    """Three of the edits have only spaces between them, and stay or go together."""
    spans = [(0, 1, "A"), (3, 4, "B"), (5, 7, "C"), (8, 10, "D"), (13, 16, "", 0.4), (22, 22, "!")]
    edited = EditedText("a .b cc dd eeefff gggg hh", tuple(Edit(*span) for span in spans), 0.4)
    kept = edited.beside(taken)
    assert [each.start for each in kept.edits] == left
    assert kept.confidence == (0.4 if 13 in left else 1)


def test_edits_belong_to_the_last_one_before_them():
    edited = EditedText("a.b.c d", tuple(Edit(place, place + 1, "x") for place in (0, 2, 4, 6)))
    assert [each.start for each in edited.beside([(4, 5)]).edits] == [0, 2]


def test_where_untouched_spans_and_replacements_are_in_the_output():
    edited = EditedText(SOURCE, (GOES, THE, NOW))
    assert edited.text == "She goes to the school now."
    spans = {(0, 3): "She", (7, 9): "to", (10, 16): "school", (26, 27): "."}
    assert [edited.text[slice(*span)] for span in edited.moved(spans)] == list(spans.values())
    assert [edited.text[slice(*span)] for span in edited.written()] == ["goes", " the", "now"]
    # At the place of an insertion, a span starts after it.
    assert edited.moved([(9, 10)]) == [(15, 16)]


@pytest.mark.parametrize(
    ("later", "confidences"),
    [
        pytest.param(Edit(3, 4, "Y", 0.3), [0.3, 0.8], id="inside of new text"),
        pytest.param(Edit(2, 5, "zyx", 0.3), [0.3, 0.8], id="all of it"),
        pytest.param(Edit(0, 1, "A", 0.3), [0.3, 0.9, 0.8], id="before it"),
        pytest.param(Edit(6, 7, "C", 0.3), [0.9, 0.3, 0.8], id="after it"),
        pytest.param(Edit(8, 10, "D", 0.3), [0.9, 0.3], id="the last words"),
        pytest.param(Edit(10, 10, ".", 0.3), [0.9, 0.8, 0.3], id="at the end"),
    ],
)
def test_a_later_edit_counts_where_it_changes_something(later, confidences):
    first = EditedText("a b c d", (Edit(2, 3, "xyz", 0.9), Edit(6, 7, "dd", 0.8)), 0.85)
    both = first.then(EditedText(first.text, (later,), 0.25))
    assert both.text == apply_edits(first.text, [later])
    assert [each.confidence for each in both.edits] == confidences
    assert both.confidence == 0.25


def test_a_later_edit_inside_of_new_text_counts_for_all_of_it():
    first = EditedText("b c d e fgh i", (Edit(0, 5, "x y zed", 0.9), Edit(12, 13, "j", 0.8)))
    both = first.then(EditedText("x y zed e fgh j", (Edit(5, 6, "i", 0.3),)))
    assert both.text == "x y zid e fgh j"
    assert [each.confidence for each in both.edits] == [0.3, 0.3, 0.3, 0.8]
    long = EditedText("b c", (Edit(0, 1, "abcdefghij", 0.9),))
    (one,) = long.then(EditedText("abcdefghij c", (Edit(8, 9, "I", 0.3),))).edits
    assert (one.replacement, one.confidence) == ("abcdefghIj", 0.3)


def test_a_new_word_that_moves_does_not_get_the_origin_of_its_neighbour():
    first = EditedText("teh fox", (Edit(0, 3, "the", 0.6, "spelling", is_listed=True),))
    both = first.then(EditedText("the fox", (Edit(4, 4, "big ", 0.9),)))
    assert both.edits == (Edit(0, 3, "the"), Edit(3, 3, " big"))
    assert [(each.type, each.is_listed) for each in both.edits] == [
        ("spelling", True),
        ("other", False),
    ]


def test_a_round_without_edits_changes_nothing():
    first = EditedText("teh cat", (Edit(0, 3, "the", 0.9),), 0.9)
    assert first.then(EditedText("the cat")) is first
    unchanged = EditedText("the cat", confidence=0.4)
    both = unchanged.then(EditedText("the cat", (Edit(7, 7, ".", 0.6),), 0.6))
    assert both.edits == (Edit(7, 7, "."),)
    assert both.confidence == 0.4


@pytest.mark.parametrize(
    "edit", [Edit(-1, 0, "x"), Edit(2, 4, "x"), Edit(4, 4, "x"), Edit(2, 1, "x")]
)
def test_an_edit_must_be_inside_the_text(edit):
    with pytest.raises(EditError, match="outside a text of 3 characters"):
        apply_edits("abc", [edit])


def test_edits_at_the_borders_of_the_text_and_of_each_other():
    edits = [Edit(0, 0, "<"), Edit(0, 1, "A"), Edit(1, 2, "B"), Edit(3, 3, ">")]
    assert apply_edits("abc", edits) == "<ABc>"
    with pytest.raises(EditError, match="starts before position 2, where the previous edit ends"):
        apply_edits("abc", [Edit(0, 2, ""), Edit(1, 3, "")])
