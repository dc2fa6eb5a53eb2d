"""Words that a language has, and edits that bring in others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.errors import FormatError
from emendo.text import Edit, EditedText
from emendo.text.known_words import KnownWords

KNOWN = KnownWords(["the", "dog", "dogs", "well", "known", "don't", "London", "NASA", "everyday"])


@pytest.mark.parametrize(
    "word",
    [
        "dog",
        "Dog",
        "DOG",
        "dog's",
        "dogs'",
        "don't",
        "don’t",
        "Don't",
        "London",
        "LONDON",
        "London's",
        "DOG'S",
        "LONDON’S",
        "DOGS'",
        "well-known's",
        "WELL-KNOWN'S",
        "NASA",
        "well-known",
        "3rd",
        "1990s",
    ],
)
def test_words(word):
    assert word in KNOWN


@pytest.mark.parametrize(
    "word",
    [
        "dgo",
        "london",
        "nasa",
        "dogg",
        "well-knwon",
        "-dog",
        "don2t",
        "x3rd",
        "twenty-dog",
        "dOg",
        "DOg",
        "doG's",
        "doG'S",
        "dog'S",
        "DGO'S",
        "well-knwon's",
    ],
)
def test_no_words(word):
    assert word not in KNOWN


def edited(source, *edits):
    return EditedText(source, tuple(Edit(*edit) for edit in edits), 0.5)


@pytest.mark.parametrize(
    ("source", "edit", "is_made"),
    [
        ("A dgo barks.", (2, 5, "dog"), True),
        ("A dgo barks.", (2, 5, "dogg"), False),
        ("A dgo barks.", (2, 5, ""), True),
        # A word of the text itself may move, known or not.
        ("Barks Ximena the?", (0, 12, "Ximena barks"), True),
        # A name may get its capital, but a misspelling stays one.
        ("We use ximenas here.", (7, 14, "Ximenas"), True),
        ("Then i'l go.", (5, 8, "I'l"), False),
        ("Then i'l go.", (5, 8, "don't"), True),
        ("It is every day.", (11, 12, ""), True),
        ("It is the dog.", (9, 10, ""), False),
        ("It is the dog.", (13, 13, "gish"), False),
        ("Well known.", (4, 5, "-"), True),
        ("I said so", (9, 9, "."), True),
        ("We have 3 of it", (8, 9, "3rd"), True),
    ],
)
def test_only_words_are_written(source, edit, is_made):
    found = KNOWN.only_words(edited(source, edit))
    assert bool(found.edits) == is_made


@pytest.mark.parametrize(
    ("source", "edit", "is_made"),
    [
        ("im sorry", (0, 2, "I'm"), True),
        ("im sorry", (0, 2, "I'"), False),
        ("im sorry", (0, 2, "I’"), False),
        ("im sorry", (0, 2, "I's"), False),
        ("The dogs food", (8, 8, "'"), True),
        ("The dog' food", (4, 7, "dogs"), True),
        ("The 'dog' food", (5, 8, "dogs"), True),
        ("The 'dogs' is here", (5, 9, "dog"), True),
        ("The 'dogs' is here", (4, 10, "'dog'"), True),
        ("The 'dog is here", (8, 8, "'"), True),
        ("'Dog,' he said", (4, 5, ""), True),
        ("The dog food", (4, 7, "dog's"), True),
    ],
)
def test_apostrophes_are_not_cut_off(source, edit, is_made):
    known = KnownWords(["I", "I'm", "dog", "dogs"])
    assert bool(known.only_words(edited(source, edit)).edits) == is_made


def test_others_stay_with_what_they_offer():
    source = "Teh dgo."
    wrong = Edit(0, 3, "Hte", 0.9)
    right = Edit(4, 7, "dog", 0.8, alternatives=("dogg", "well"))
    found = KNOWN.only_words(EditedText(source, (wrong, right), 0.5))
    assert found.edits == (right,)
    assert found.edits[0].alternatives == ("well",)
    assert found.confidence == 0.8


def test_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# from somewhere\ndog\nLondon\n", encoding="utf-8")
    known = KnownWords.from_file(path)
    assert "dog" in known
    assert "London" in known
    assert "#" not in known
    assert "" not in known


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"dog\n\xff\n")
    with pytest.raises(FormatError, match=r"words.txt is not UTF-8"):
        KnownWords.from_file(path)


@given(st.text(max_size=40), st.data())
def test_any_text(source, data):
    """No edit of letters that no list has, wherever it stands."""
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    found = KNOWN.only_words(edited(source, (start, end, "qzqzqz")))
    assert not found.edits or "qzqzqz" in source.lower()


def test_what_is_corrected_is_not_offered():
    edit = Edit(2, 5, "dog", alternatives=("Dgo", "dogs", "dgo-dog", "well"))
    found = KNOWN.only_words(EditedText("A dgo barks well.", (edit,)))
    assert found.edits[0].alternatives == ("dogs", "well")
    # A name that the list does not have can be offered where it is right elsewhere.
    edit = Edit(2, 5, "dog", alternatives=("Ximena",))
    found = KNOWN.only_words(EditedText("A dgo barks, Ximena.", (edit,)))
    assert found.edits[0].alternatives == ("Ximena",)


def test_unchanged_words_beside_an_edit_do_not_count():
    """Alternatives to an edit introduce words, or do not, whatever stands beside it."""
    known = KnownWords(["was", "is", "we", "met", "there", "hello", "how"])
    for name in ("Ximenax", "we"):
        source = f"We met {name} there"
        place = len(f"We met {name}")
        edit = Edit(place, place, " was", alternatives=(" is", " iz"))
        (made,) = known.only_words(EditedText(source, (edit,), 0.5)).edits
        assert made.alternatives == (" is",)
        comma = Edit(place, place, ",", alternatives=(";", "s"))
        (made,) = known.only_words(EditedText(source, (comma,), 0.5)).edits
        assert made.alternatives == (";",)
