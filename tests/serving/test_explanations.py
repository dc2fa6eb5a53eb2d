"""Each message is one sentence, and names the words at hand."""

import pytest

from emendo import Edit
from emendo.serving.languagetool.corrections import Correction, corrections
from emendo.text import EDIT_TYPES, edit_type
from emendo.text.annotated_text import AnnotatedText, Part
from emendo.text.explanations import explain


@pytest.mark.parametrize(
    ("source", "edit", "said"),
    [
        ("I recieve it.", (2, 9, "receive"), "“recieve” is probably meant to be “receive”"),
        ("He bought house.", (9, 9, " a"), "The article “a” seems to be missing before “house”."),
        ("I like the Paris.", (7, 11, ""), "The article “the” does not seem to be needed before “Paris”."),
        ("In fact it is.", (7, 7, ","), "A comma seems to be missing after “fact”."),
        ("She, is here.", (3, 4, ""), "The comma does not seem to be needed after “She”."),
        ("She work here.", (4, 8, "works"), "The verb “work” does not seem to agree"),
        ("He is in in to it.", (9, 14, "into"), "“in to”"),
        ("I see it.", (0, 9, "I " + "see " * 40), "…"),
        ("Hi,how are you?", (3, 3, " "), "A space seems to be missing after “Hi”."),
        ("Hi,  how are you?", (3, 5, " "), "There is a space too many after “Hi”."),
    ],
)  # fmt: skip
def test_messages(source, edit, said):
    typed = Edit(*edit)
    typed = Edit(*edit, type=edit_type(source, typed))
    message = explain(source, typed)
    assert said in message
    assert message.endswith(".")


@pytest.mark.parametrize("kind", EDIT_TYPES)
@pytest.mark.parametrize(
    ("start", "end", "new"), [(4, 8, "new"), (4, 4, " new"), (4, 9, ""), (0, 0, "New "), (8, 9, "")]
)
def test_every_type_has_something_to_say(kind, start, end, new):
    message = explain("The word here.", Edit(start, end, new, type=kind))
    assert message[0].isupper() or message[0] == "“"
    assert message.endswith(".")
    assert "“" in message
    assert "  " not in message


def test_edits_that_come_to_cover_each_other_are_one():
    source = "go store now"
    edits = (Edit(0, 2, "went"), Edit(2, 2, " to the"), Edit(9, 12, ""))
    (first, last) = corrections(AnnotatedText.of(source), edits)
    assert first == Correction(0, 2, edits[:2])
    assert first.replacements(source) == ["went to the"]
    assert source[last.start : last.end] == "store now", "a deletion takes the word before along"
    assert last.replacements(source) == ["store "]


def test_alternatives_stand_in_the_same_place():
    source = "go store"
    edit = Edit(2, 2, " to the", alternatives=(" to a", " to the"))
    (found,) = corrections(AnnotatedText.of(source), [edit])
    assert found.replacements(source) == ["go to the", "go to a"]


def test_runs_of_text():
    parts = [
        Part("", "<b>", is_text=False),
        Part("ab", "ab", is_text=True),
        Part("", "</b>", is_text=False),
        Part("\n", "<p>", is_text=False),
        Part("cd", "cd", is_text=True),
        Part("", "", is_text=True),
        Part("ef", "ef", is_text=True),
    ]
    text = AnnotatedText(parts)
    assert text.plain == "ab\ncdef"
    assert text.whole == "<b>ab</b><p>cdef"
    assert [text.left_limit(k) for k in range(8)] == [0, 0, 0, 3, 3, 3, 3, 3]
    assert [text.right_limit(k) for k in range(8)] == [2, 2, 2, 7, 7, 7, 7, 7]
    assert text.place(0, 2) == (3, 5)
    assert text.place(3, 7) == (12, 16)
    assert AnnotatedText([]).place(0, 0) == (0, 0)


def test_confused_words_get_a_reason_of_their_own():
    edit = Edit(0, 4, "You're", type="confused word")
    assert explain("Your late.", edit) == (
        "“Your” means “belonging to you”; “You're” is short for “you are” and seems to be meant "
        "here."
    )
    edit = Edit(3, 8, "plane", type="confused word")
    assert "easily confused" in explain("By plain.", edit)
