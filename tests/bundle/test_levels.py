"""Levels: what is left of a text's edits, and how sure that is."""

import pytest

from emendo import Edit, EditedText
from emendo.bundle import Level

EDITED = EditedText(
    "a b c", (Edit(0, 1, "x", 0.5), Edit(2, 3, "y", 0.9), Edit(4, 5, "z", 0.8)), 0.4
)


def test_all_edits_are_as_sure_as_they_were_together():
    assert Level(edit_threshold=0.5).filter(EDITED).confidence == 0.4


def test_some_edits_are_as_sure_as_the_least_of_them():
    """The network was asked about all edits together, not about those that are left."""
    some = Level(edit_threshold=0.6).filter(EDITED)
    assert some.text == "a y z"
    assert some.confidence == 0.8


def test_a_type_can_have_its_own_threshold():
    edited = EditedText("a b", (Edit(0, 1, "x", 0.5, "noun"), Edit(2, 3, "y", 0.5, "verb")))
    level = Level(edit_threshold=0.6, type_thresholds=(("noun", 0.4),))
    assert level.filter(edited).text == "x b"
    assert level.at_least(0.45).filter(edited).text == "x b"
    assert level.at_least(0.55).filter(edited).text == "a b"
    assert level.at_least(0.55).edit_threshold == 0.6
    assert Level(type_thresholds=(("noun", 0.4),)).needs_confidences
    assert not Level(type_thresholds=(("noun", 0.0),)).needs_confidences


def test_the_list_of_words_has_its_own_threshold():
    edited = EditedText(
        "a b",
        (Edit(0, 1, "x", 0.5, "spelling", is_listed=True), Edit(2, 3, "y", 0.5, "spelling")),
    )
    of_network, of_list = ("spelling", 0.6), ("listed", 0.4)
    assert Level(type_thresholds=(of_network, of_list)).filter(edited).text == "x b"
    # Bundles of older versions have none.
    assert Level(type_thresholds=(of_network,)).filter(edited).text == "a b"
    assert Level(type_thresholds=(("spelling", 0.4),), edit_threshold=1.0).filter(edited).text == (
        "x y"
    )


def test_no_edit_is_certain():
    for level in (Level(edit_threshold=0.95), Level(sentence_threshold=0.5)):
        untouched = level.filter(EDITED)
        assert (untouched.text, untouched.confidence) == ("a b c", 1.0)


def test_other_edits_of_a_sentence_support_an_edit():
    """Equation 10: (1 + 0.9 / 0.2) ** 0.5 is 2.35, so odds of 1 become 2.35, and 0.5 becomes 0.70."""
    level = Level(edit_threshold=0.7, support=0.5)
    unsure, sure = Edit(0, 1, "x", 0.5), Edit(2, 3, "y", 0.9)
    assert level.filter(EditedText("a b", (unsure,))).text == "a b"
    assert level.filter(EditedText("a b", (unsure, sure))).text == "x y"
    assert level.filter(EditedText("a b", (unsure,)), [0.9]).text == "x b"
    assert Level(edit_threshold=0.7).filter(EditedText("a b", (unsure, sure))).text == "a y"
    assert level.supported(EditedText("a b", (unsure, sure))) == pytest.approx(
        [0.701, 0.943], abs=1e-3
    )
    assert level.supported(EditedText("a b", (unsure,))) == [0.5]


def test_support_changes_no_certainty():
    impossible, certain = Edit(0, 1, "x", 0.0), Edit(2, 3, "y", 1.0)
    assert Level(support=1.0).supported(EditedText("a b", (impossible, certain))) == [0, 1]


def test_a_minimum_holds_whatever_the_other_edits():
    both = EditedText("a b", (Edit(0, 1, "x", 0.5), Edit(2, 3, "y", 0.9)))
    level = Level(support=1.0).at_least(0.6)
    assert level.filter(both).text == "a y"
    assert level.at_least(0.4) == level
    assert Level(minimum=0.1).needs_confidences
