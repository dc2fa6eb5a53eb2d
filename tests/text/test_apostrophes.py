"""Edits write the apostrophes that their sentence has."""

import pytest

from emendo.text import Edit, EditedText
from emendo.text.apostrophes import like_those_of


def changed(sentence, *edits):
    found = like_those_of(sentence, EditedText(sentence, edits)).edits
    return [(edit.replacement, edit.alternatives) for edit in found]


@pytest.mark.parametrize("sentence", ["dont it’s", "dont ‘go’", "dont “go”"])
def test_curly_where_all_others_are(sentence):
    edit = Edit(0, 4, "don't", alternatives=("didn't", "do"))
    assert changed(sentence, edit) == [("don’t", ("didn’t", "do"))]
    assert changed(sentence, Edit(4, 4, "'s")) == [("’s", ())]


@pytest.mark.parametrize("sentence", ["dont", "dont it's", "dont it’s it's", '“dont” "'])
def test_straight_otherwise(sentence):
    assert changed(sentence, Edit(0, 4, "don't")) == [("don't", ())]


def test_quotation_marks_stay():
    assert changed("go it’s", Edit(0, 2, "'go'")) == [("'go’", ())]


def test_an_edit_that_then_changes_nothing_is_none():
    assert changed("I don’t", Edit(2, 7, "don't")) == []
    edit = Edit(2, 7, "didn't", alternatives=("don't", "didn’t", "do"))
    assert changed("I don’t", edit) == [("didn’t", ("do",))]
