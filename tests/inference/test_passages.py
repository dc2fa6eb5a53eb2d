"""Documents under a model that reads passages: what it reads, and what becomes of its edits."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo import Edit, Editor
from emendo.bundle import Level
from emendo.errors import BundleError
from emendo.text import EditedText
from tests.in_steps import InSteps
from tests.text.test_segmentation import documents


class Joiner(InSteps):
    """Joins every two sentences by "and", as a model of fusion may."""

    max_tokens = 24

    def __init__(self):
        self.seen = []

    def count_tokens(self, passage):
        return len(re.findall(r"\w+|[^\w\s]", passage)) + 2

    def edit_sentences(self, passages, level):
        self.seen += passages
        return [EditedText(passage, tuple(self.edits(passage))) for passage in passages]

    def edits(self, passage):
        assert not re.search(r"[\n\r\u2028\u2029\x0b\x0c\x85]", passage), "a passage is a line"
        for match in re.finditer(r"(\.)\s+([A-Z])", passage):
            yield Edit(match.start(1), match.end(1), " and", 0.9)
            yield Edit(match.start(2), match.end(2), match[2].lower(), 0.9)


def fused(text, **options):
    joiner = Joiner()
    edited = Editor(joiner, task="fusion", unit="passage").edit(text, **options)
    return edited, joiner.seen


def test_a_paragraph_is_read_at_once():
    edited, seen = fused("The cat came. The dog left.\n\nWe saw it. They did not.")
    assert sorted(seen) == ["The cat came. The dog left.", "We saw it. They did not."]
    assert edited.text == "The cat came and the dog left.\n\nWe saw it and they did not."


def test_lone_sentences_are_not_read():
    text = "# The Plan\n\nThe cat came.\n\n- The first item.\n- The second item.\n\n| a | b |\n"
    edited, seen = fused(text, markup="markdown")
    assert (edited.text, seen) == (text, [])


def test_a_long_paragraph_is_cut_between_sentences():
    text = " ".join(["The cat saw the old dog."] * 7)
    edited, seen = fused(text)
    # Seven tokens each and two edges: three of them fit.
    assert seen == [" ".join(["The cat saw the old dog."] * 3)]
    assert edited.text.count(" and the") == 4
    assert edited.text.count(". The") == 2


def test_a_sentence_that_fits_with_no_other_is_left():
    long = "The cat " + "very " * 30 + "slowly came."
    edited, seen = fused(f"The dog left. {long} The cat came. The dog left.")
    assert seen == ["The cat came. The dog left."]
    assert edited.text == f"The dog left. {long} The cat came and the dog left."


def test_other_languages_are_not_read():
    german = "Das ist nicht der Hund, den wir gestern gesehen haben."
    text = f"The cat came. The dog left. {german} {german} We saw it. They did not."
    edited, seen = fused(text)
    assert sorted(seen) == ["The cat came. The dog left.", "We saw it. They did not."]
    assert german in edited.text


def test_edits_of_a_passage_are_made_together_or_not_at_all():
    """Without the small letter, "and The" would be left."""
    text = "The cat came. Theodor left."
    assert fused(text)[0].text == "The cat came and theodor left."
    assert fused(text, dictionary=["Theodor"])[0].text == text
    # What is protected elsewhere does not matter.
    assert fused(text, dictionary=["cat"])[0].text == "The cat came and theodor left."


def test_markup_inside_an_edit_keeps_the_whole_passage():
    text = "The cat came. <b>The</b> dog left."
    edited, seen = fused(text, markup="html")
    assert seen == ["The cat came. The dog left."]
    assert edited.text in (text, "The cat came and <b>the</b> dog left.")


@pytest.mark.parametrize("end", ["\n", "\r\n", "  \n> "])
def test_wrapped_lines_stay_wrapped(end):
    start = "> " if ">" in end else ""
    edited, seen = fused(f"{start}The cat came.{end}The dog{end}left.")
    assert seen == ["The cat came. The dog left."]
    assert edited.text == f"{start}The cat came and{end}the dog{end}left."


@given(documents)
def test_any_document(text):
    editor = Editor(Joiner(), task="fusion", unit="passage")
    edited = editor.edit(text)
    assert edited.source == text
    document = editor.read(text)
    for sentence in document.sentences:
        assert len(sentence.pieces) == 1
        assert Joiner().count_tokens(sentence.line) <= Joiner.max_tokens
    pieces = list(editor.edit_stream(text))
    assert "".join(piece.source for piece in pieces) == text
    assert "".join(piece.text for piece in pieces) == edited.text


@given(st.text(max_size=80))
def test_what_is_not_changed_stays(text):
    class Silent(Joiner):
        def edits(self, passage):
            return ()

    assert Editor(Silent(), task="fusion", unit="passage").edit(text).text == text


def test_unknown_units_are_refused():
    with pytest.raises(BundleError, match="unit is 'page', and this emendo reads sentence and pas"):
        Editor(Joiner(), unit="page")


def test_the_editor_says_its_task():
    editor = Editor(Joiner(), task="fusion", unit="passage")
    assert repr(editor).startswith("Editor(task='fusion', languages=['en']")
    assert (Editor(Joiner()).task, Editor(Joiner()).unit) == ("correction", "sentence")
    assert editor.level() == Level()
