"""Pairs and M2: what is read is what is written."""

import pytest

from emendo.errors import FormatError
from emendo.text import EditPair, M2Edit, M2Sentence, format_pairs, read_m2, read_pairs

M2 = """S This are an sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||a||one|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Fine .

S I go store
A 2 2|||M:OTHER|||to|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 0 1|||UNK|||I|||REQUIRED|||-NONE-|||0
A 0 1|||U:PRON|||-NONE-|||REQUIRED|||-NONE-|||1

"""


def test_m2_round_trip():
    sentences = list(read_m2(M2.splitlines(keepends=True)))
    assert "".join(sentence.format() for sentence in sentences) == M2
    assert [s.annotators for s in sentences] == [(0, 1), (0,), (0, 1)]
    assert sentences[0].pair() == EditPair("This are an sentence .", "This is a sentence .")
    assert sentences[0].corrected(1) == "This are an sentence ."
    assert sentences[0].edits[1].corrections == ("a", "one")
    assert sentences[1].corrected() == "Fine ."
    assert sentences[2].corrected() == "I go to the store"
    assert sentences[2].corrected(1) == "go store"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "line 1"),
        ("S a\nA x y|||T|||c|||R|||N|||0", "line 2"),
        ("S a\nA 0 5|||T|||c|||R|||N|||0", "outside a sentence of 1"),
        ("S a\nA 0 1", "line 2"),
    ],
)
def test_m2_errors_name_the_line(text, message):
    with pytest.raises(FormatError, match=message):
        list(read_m2(text.splitlines()))


def test_m2_sentence_without_tokens():
    assert list(read_m2(["S", "S "])) == [M2Sentence(()), M2Sentence(())]
    assert not M2Edit(-1, -1, "noop", ("",)).is_change


def test_pairs_round_trip():
    pairs = [EditPair("a\tb", "c"), EditPair("", "d")]
    text = "".join(format_pairs(pairs))
    assert text == "S\ta\tb\nT\tc\n\nS\t\nT\td\n\n"
    assert list(read_pairs(text.splitlines(keepends=True))) == pairs
    assert list(read_pairs(["S\ta\n", "T\tb\n", "T\tc\n"])) == [("a", "b"), ("a", "c")]


@pytest.mark.parametrize(
    "text", ["X\ta", "T\ta", "S\ta\nS\tb", "S a", "S\ta\n\nS\tb\nT\tc", "S\ta"]
)
def test_pairs_errors_name_the_line(text):
    with pytest.raises(FormatError, match="line"):
        list(read_pairs(text.splitlines()))


def test_a_text_of_several_lines_is_no_block():
    with pytest.raises(FormatError, match="one line"):
        list(format_pairs([EditPair("a\nb", "c")]))
