from hypothesis import given
from hypothesis import strategies as st

from emendo import Edit, EditedText, apply_edits
from emendo.text import split_sentences
from emendo.text.document_m2 import m2_of_document
from emendo.text.m2 import read_m2


def blocks(text, *edits):
    return "".join(s.format() for s in m2_of_document(EditedText(text, edits)))


def test_words_are_parted_and_edits_are_as_short_as_they_can_be():
    text = "She go store.\n\nI can not see an dog."
    edits = (
        Edit(4, 6, "goes", type="agreement"),
        Edit(6, 6, " to the", type="missing word"),
        Edit(20, 21, "", type="spacing"),
        Edit(29, 35, "dogs", type="number"),
    )
    assert blocks(text, *edits) == (
        "S She go store .\n"
        "A 1 2|||agreement|||goes|||REQUIRED|||-NONE-|||0\n"
        "A 2 2|||missing word|||to the|||REQUIRED|||-NONE-|||0\n\n"
        "S I can not see an dog .\n"
        "A 1 3|||spacing|||cannot|||REQUIRED|||-NONE-|||0\n"
        "A 4 6|||number|||dogs|||REQUIRED|||-NONE-|||0\n\n"
    )


def test_nothing_but_space_is_nothing():
    assert blocks("Well  done.", Edit(4, 6, " ")) == "S Well done .\n\n"
    assert blocks("a b", Edit(1, 3, "")).endswith("|||-NONE-|||REQUIRED|||-NONE-|||0\n\n")


@given(st.text(alphabet="ab .,'\n\ud800", max_size=30), st.data())
def test_any_edits_make_of_the_words_what_they_make_of_the_text(text, data):
    edits, corrected = [], []
    for start, end in split_sentences(text):
        cuts = sorted(data.draw(st.sets(st.integers(start, end), max_size=6)))
        own = [
            Edit(left, right, data.draw(st.text(alphabet="ax ", max_size=4)))
            for left, right in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        edits += own
        moved = [Edit(e.start - start, e.end - start, e.replacement) for e in own]
        corrected.append(apply_edits(text[start:end], moved))
    found = list(m2_of_document(EditedText(text, tuple(edits))))
    for sentence, output in zip(found, corrected, strict=True):
        letters = output.replace("\ud800", "\ufffd")
        assert "".join(sentence.corrected().split()) == "".join(letters.split())
    assert list(read_m2("".join(s.format() for s in found).split("\n"))) == found
