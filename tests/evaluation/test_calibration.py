"""Confidences that mean what they say."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo import Edit, EditedText
from emendo.evaluation.calibration import JudgedEdit, fit_calibration, judge, reliability
from emendo.inference.calibration import Calibration, log_odds


def test_an_edit_is_right_if_the_correction_has_it():
    source = "She go to an school ."
    edits = (
        Edit(4, 6, "goes", 0.9, "agreement"),
        Edit(10, 12, "the", 0.8, "article"),
        Edit(19, 20, "", 0.7, "spacing"),
        Edit(21, 21, "!", 0.6, "punctuation"),
    )
    assert [
        each.is_right for each in judge([EditedText(source, edits)], ["She goes to a school."])
    ] == [
        True,
        False,
        True,
        False,
    ]


def test_one_edit_for_two_of_the_correction():
    edited = EditedText("I has went there", (Edit(2, 10, "have gone"),))
    assert judge([edited], ["I have gone there"])[0].is_right
    assert not judge([edited], ["I went there"])[0].is_right
    assert judge([EditedText("Fine.")], ["Good."]) == []


def drawn(kind, slope, height, count, seed):
    """Edits of a network that is right by another line than it says."""
    generator = random.Random(seed)
    for _ in range(count):
        said = generator.uniform(0.05, 0.999)
        odds = slope * math.log(said / (1 - said)) + height
        yield JudgedEdit(kind, said, generator.random() < 1 / (1 + math.exp(-odds)))


def test_lines_are_found_by_type():
    judged = [*drawn("spelling", 1.5, 1.0, 4000, 1), *drawn("article", 0.4, -1.0, 4000, 2)]
    lines = fit_calibration([*judged, *drawn("noun", 1, 0, 20, 3)])
    assert list(lines) == ["any", "article", "spelling"], "twenty nouns say too little"
    assert "listed" in fit_calibration([*judged, *drawn("listed", 1, 0, 20, 3)])
    assert lines["spelling"] == pytest.approx((1.5, 1.0), abs=0.2)
    assert lines["article"] == pytest.approx((0.4, -1.0), abs=0.2)
    calibration = Calibration(lines)
    after = [
        each._replace(
            confidence=calibration.apply(Edit(0, 0, "", each.confidence, each.group)).confidence
        )
        for each in judged
    ]
    # The two types err in opposite ways: each is looked at by itself.
    for part in (slice(0, 4000), slice(4000, 8000)):
        assert reliability(judged[part]).error > 0.1
        assert reliability(after[part]).error < 0.03


def test_the_list_of_words_has_its_own_line():
    edits = (Edit(0, 1, "b", 0.5, "spelling", is_listed=True), Edit(2, 3, "b", 0.5, "spelling"))
    judged = judge([EditedText("a a", edits)], ["b b"])
    assert [each.group for each in judged] == ["listed", "spelling"]
    lines = {"any": (1.0, -1.0), "spelling": (1.0, 1.0)}
    old, new = Calibration(lines), Calibration(lines | {"listed": (1.0, 2.0)})
    # Bundles of older versions have none.
    assert [log_odds(old.apply(edit).confidence) for edit in edits] == pytest.approx([1.0, 1.0])
    assert [log_odds(new.apply(edit).confidence) for edit in edits] == pytest.approx([2.0, 1.0])


def test_nothing_to_learn_from():
    assert fit_calibration([]) == {}
    assert reliability([]).error == 0
    always = fit_calibration([JudgedEdit("noun", 1.0, True)] * 5)
    assert all(math.isfinite(value) for value in always["any"])


def test_sure_edits():
    judged = [JudgedEdit("noun", 0.95, True)] * 3 + [JudgedEdit("noun", 0.9, False)]
    found = reliability(judged + [JudgedEdit("noun", 0.5, True)] * 4)
    assert (found.edits, found.sure_share, found.sure_right) == (8, 0.5, 0.75)
    assert found.error == pytest.approx((4 * 0.9375 - 3 + 4 - 2) / 8)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 5), st.floats(-5, 5))
def test_order_stays(one, other, slope, height):
    apply = Calibration({"any": (slope, height)}).apply
    low, high = (apply(Edit(0, 0, "", each)).confidence for each in sorted((one, other)))
    assert 0 <= low <= high <= 1


def test_certainty_is_held_at_odds_of_a_million_to_one():
    assert math.exp(log_odds(1.0)) == pytest.approx(999_999)
    assert log_odds(0.0) == pytest.approx(-log_odds(1.0))
    assert log_odds(0.75) == pytest.approx(math.log(3))


def test_a_type_has_its_own_line():
    calibration = Calibration({"any": (1, 0), "noun": (0, 0)})
    assert calibration.apply(Edit(0, 0, "", 0.9, "noun")).confidence == 0.5
    assert calibration.apply(Edit(0, 0, "", 0.9, "verb")).confidence == pytest.approx(0.9)
    assert Calibration().apply(Edit(0, 0, "", 0.9, "verb")).confidence == 0.9


def test_a_fit_of_very_sure_and_often_wrong_edits_ends():
    """Newton's whole steps go ever further from the best line here."""
    judged = [JudgedEdit("spelling", 0.99999, k % 2 == 0) for k in range(400)]
    judged += [JudgedEdit("spelling", 0.6, k % 5 == 0) for k in range(400)]
    lines = fit_calibration(judged)
    for slope, intercept in lines.values():
        sure, unsure = (
            1 / (1 + math.exp(-(slope * log_odds(each) + intercept))) for each in (0.99999, 0.6)
        )
        assert sure == pytest.approx(0.5, abs=0.02)
        assert unsure == pytest.approx(0.2, abs=0.02)


def test_confidences_that_mislead_become_the_share_that_is_right():
    """The surer, the more often wrong: the line may not fall, so it is flat, at the right height."""
    judged = [
        JudgedEdit("spelling", confidence, k % 10 < right)
        for confidence, right in ((0.99, 2), (0.9, 4), (0.6, 8))
        for k in range(300)
    ]
    for slope, intercept in fit_calibration(judged).values():
        assert slope == 0.01
        middle = 1 / (1 + math.exp(-(slope * log_odds(0.9) + intercept)))
        assert middle == pytest.approx(1.4 / 3, abs=0.01)
