"""Known misspellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.errors import FormatError
from emendo.text import Edit
from emendo.text.misspellings import Misspellings
from tests.conftest import ROOT

TABLE = Misspellings(
    {
        "teh": "the",
        "recieve": "receive",
        "wensday": "Wednesday",
        "alot": "a lot",
        "goin": "going",
    },
    confidence=0.9,
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I recieve teh mail.", "I receive the mail."),
        ("  “Recieve teh mail!”", "  “Receive the mail!”"),
        # Quoted words, and words without their last letter.
        ('He wrote "recieve" and ‘teh’.', 'He wrote "recieve" and ‘teh’.'),
        ('He wrote "recieve teh" there.', 'He wrote "receive the" there.'),
        ("I'm goin' home, goin’ now.", "I'm goin' home, goin’ now."),
        ("I'm goin home, ‘teh dogs’ food", "I'm going home, ‘the dogs’ food"),
        ("It rains alot on wensday", "It rains a lot on Wednesday"),
        # Names, initials and parts of words are left alone.
        ("I met Recieve at TEH gate.", "I met Recieve at TEH gate."),
        ("Teh is a name.", "Teh is a name."),
        ("teh-recieve recieve's x_teh", "teh-recieve recieve's x_teh"),
        ("see x.teh and teh.", "see x.teh and the."),
        ("", ""),
    ],
)
def test_words_are_corrected(text, meant):
    assert TABLE.correct(text).text == meant


def test_where_and_how_sure():
    edited = TABLE.correct("😀 Is teh end near?")
    assert edited.edits == (Edit(5, 8, "the"),)
    assert edited.edits[0].confidence == edited.confidence == 0.9
    assert TABLE.correct("The end.").confidence == 1


ENGLISH = Misspellings.from_file(ROOT / "models/emendo-en/misspellings.tsv")


@pytest.mark.parametrize(
    "text",
    [
        "I think youre right",
        "so whos there",
        "wheres my phone",
        "hed like it",
        "the womens team",
        'He said, "Ich bin ein Berliner", and als and vor.',
    ],
)
def test_words_without_their_apostrophe_or_of_other_languages_are_no_misspellings(text):
    assert ENGLISH.correct(text).edits == ()


@given(
    st.lists(
        st.sampled_from(["teh", "Recieve", "alot", "wensday", " ", "-", "'s", "é", "😀", "\n"])
    )
)
def test_any_text(parts):
    text = "".join(parts)
    edited = TABLE.correct(text)
    for edit in edited.edits:
        wrong = text[edit.start : edit.end].lower()
        assert TABLE.correct(wrong).text.lower() == edit.replacement.lower()
    assert TABLE.correct(edited.text).edits == ()


def test_a_file(tmp_path):
    path = tmp_path / "misspellings.tsv"
    path.write_text("# from somewhere\nteh\tthe\n", encoding="utf-8")
    assert Misspellings.from_file(path).correct("teh").text == "the"
    for line in ("teh", "teh\t", "\tthe", "teh\tthe\tthey"):
        path.write_text(f"tge\tthe\n{line}\n", encoding="utf-8")
        with pytest.raises(FormatError, match="line 2"):
            Misspellings.from_file(path)


def test_the_english_table_leaves_right_text_alone():
    table = Misspellings.from_file(ROOT / "models/emendo-en/misspellings.tsv")
    assert table.correct("I definately recieved it untill tommorow.").text == (
        "I definitely received it until tomorrow."
    )
    everyday = (ROOT / "models/emendo-en/everyday.tsv").read_text(encoding="utf-8").splitlines()
    right = [text for line in everyday for text in line.split("\t")[1].split("||")]
    right += (ROOT / "models/emendo-en/tricky.txt").read_text(encoding="utf-8").splitlines()
    assert [text for text in right if table.correct(text).edits] == []
