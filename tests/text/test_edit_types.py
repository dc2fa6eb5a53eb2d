"""What kind of mistake an edit repairs."""

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emendo.languages import load_language
from emendo.languages.en.words import CLASSES
from emendo.text import Edit, EditedText, edit_type, merge_edits
from emendo.text.edit_types import EDIT_TYPES


def edits_between(source, target):
    """The edits that turn one text into the other, as an editor makes them."""
    return merge_edits(source, [(0, len(source), target)]).edits


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("I recieved your leter.", "I received your letter.", ["spelling", "spelling"]),
        ("They are begining now.", "They are beginning now.", ["spelling"]),
        ("She lives in london.", "She lives in London.", ["casing"]),
        ("My dvd is old.", "My DVD is old.", ["casing"]),
        ("Tea or coffee", "Tea or coffee?", ["punctuation"]),
        ("However I stayed.", "However, I stayed.", ["punctuation"]),
        ("I dont know.", "I don't know.", ["punctuation"]),
        ("The dog wagged it's tail.", "The dog wagged its tail.", ["confused word"]),
        ("Your late, it’s true.", "You're late, it’s true.", ["confused word"]),
        ("We could of gone.", "We could have gone.", ["confused word"]),
        ("Their is more then one.", "There is more than one.", ["confused word"] * 2),
        ("My uncle car broke down.", "My uncle's car broke down.", ["punctuation"]),
        ("Come in , please.", "Come in, please.", ["spacing"]),
        ("We went in to town.", "We went into town.", ["spacing"]),
        ("A well known song", "A well-known song", ["spacing"]),
        ("He bought house.", "He bought a house.", ["article"]),
        ("an dog barked", "a dog barked", ["article"]),
        ("The life is short.", "Life is short.", ["article"]),
        ("We met in Monday.", "We met on Monday.", ["preposition"]),
        ("Listen me!", "Listen to me!", ["preposition"]),
        ("I entered into the room.", "I entered the room.", ["preposition"]),
        ("My sister work here.", "My sister works here.", ["agreement"]),
        ("The boys was late.", "The boys were late.", ["agreement"]),
        ("They has two cats.", "They have two cats.", ["agreement"]),
        ("It don't matter.", "It doesn't matter.", ["agreement"]),
        ("Yesterday we walk home.", "Yesterday we walked home.", ["tense"]),
        ("She enjoys to swim.", "She enjoys swimming.", ["tense"]),
        ("I have saw it.", "I have seen it.", ["tense"]),
        ("They want leave now.", "They want to leave now.", ["tense"]),
        ("We waiting for you.", "We are waiting for you.", ["tense"]),
        ("He must goes.", "He must go.", ["tense"]),
        ("I have two brother.", "I have two brothers.", ["number"]),
        ("Three womans sang.", "Three women sang.", ["number"]),
        ("All these works are hard.", "All these work are hard.", ["number"]),
        ("Me and Tom sang.", "I and Tom sang.", ["pronoun"]),
        ("Give it to he.", "Give it to him.", ["pronoun"]),
        ("She lost she bag.", "She lost her bag.", ["pronoun"]),
        ("This cars are new.", "These cars are new.", ["pronoun"]),
        ("He did a big mistake yesterday.", "He made a big mistake yesterday.", ["word choice"]),
        ("a strong rain", "a heavy rain", ["word choice"]),
        ("The food was well.", "The food was good.", ["word choice"]),
        ("We talked long the night.", "We talked long into the night.", ["preposition"]),
        ("The soup very hot.", "The soup is very hot.", ["missing word"]),
        ("I think is tomorrow that we go.", "I think tomorrow that we go.", ["extra word"]),
        ("He returned back yesterday evening home.", "He returned yesterday evening home.", ["preposition"]),
        ("Please repeat again it slowly.", "Please repeat it slowly.", ["extra word"]),
        ("same", "same", []),
    ],
)  # fmt: skip
def test_types(source, target, expected):
    edits = edits_between(source, target)
    assert EditedText(source, edits).text == target
    assert [edit_type(source, edit) for edit in edits] == expected


@pytest.mark.parametrize(
    ("source", "edit", "expected"),
    [
        pytest.param("its late", (2, 2, "'"), "confused word", id="inside a word"),
        pytest.param("well known", (4, 5, "-"), "spacing", id="hyphen for a space"),
        pytest.param("two car", (7, 7, "s"), "number", id="an ending"),
        pytest.param("she walk home", (8, 8, "s"), "agreement", id="an ending of a verb"),
        pytest.param("go store", (2, 2, " to the"), "missing word", id="two words"),
        pytest.param("store is shut", (0, 5, "The store"), "article", id="a new first word"),
        pytest.param("I left, it rained", (6, 10, ". It"), "punctuation", id="a new sentence"),
        pytest.param("fine 🙂", (4, 6, ""), "extra word", id="emoji"),
        pytest.param("a naive cliche", (8, 14, "cliche\u0301"), "spelling", id="marks are letters"),
        pytest.param("I know what is it.", (12, 17, "it is"), "word order", id="two words swapped"),
        pytest.param("Is raining again.", (0, 2, "It is"), "pronoun", id="a new subject"),
        pytest.param("of no value at all", (0, 18, "rather worthless"), "other", id="a rewrite"),
        pytest.param("- item", (0, 2, ""), "punctuation", id="a dash"),
        pytest.param("I must leave", (2, 6, "have to"), "word choice", id="another modal"),
        pytest.param("it is more big", (6, 14, "bigger"), "word choice", id="degrees"),
        pytest.param("same", (0, 4, "same"), "other", id="no change"),
        pytest.param("", (0, 0, ""), "other", id="nothing"),
        pytest.param("short", (90, 99, " words"), "missing word", id="outside the text"),
        pytest.param("short", (0, 5, "words " * 200), "other", id="a page"),
    ],
)
def test_spans(source, edit, expected):
    assert edit_type(source, Edit(*edit)) == expected


@pytest.mark.parametrize(
    ("source", "edit", "expected"),
    [
        ("Mein hund bellt.", (5, 9, "Hund"), "casing"),
        ("Das ist gutt.", (8, 12, "gut"), "spelling"),
        ("Das ist ein Haus.", (8, 11, "mein"), "spelling"),
        ("Das ist toll.", (8, 12, "schade"), "word choice"),
        ("Я люблю очень чай.", (2, 13, "очень люблю"), "word order"),
        ("Ich gehe Haus.", (8, 8, " nach"), "missing word"),
        ("Ich gehe nach nach Haus.", (8, 13, ""), "extra word"),
        ("Ich weiß, dass.", (4, 14, "kenne die Antwort"), "other"),
    ],
)
def test_languages_without_tables(source, edit, expected):
    assert edit_type(source, Edit(*edit), language="xx") == expected


words = st.sampled_from([*sorted(CLASSES), "cat", "cats", "works", "walked", ",", "'s", "-", "…"])
texts = st.one_of(
    st.text(max_size=30),
    st.lists(words, max_size=8).map(" ".join),
    st.text(st.characters(codec=None, categories=("Cs", "So", "Mn", "Zs", "P", "Lo")), max_size=12),
)


@settings(max_examples=1000)
@given(texts, st.integers(-3, 40), st.integers(-3, 40), texts, st.sampled_from(["en", "xx"]))
@example("\ud800", 0, 1, "\udfff", "en")
@example("👨\u200d👩\u200d👧", 1, 3, "", "en")
@example("İ", 0, 1, "i̇", "en")
def test_every_edit_has_a_type(source, start, end, replacement, language):
    assert edit_type(source, Edit(start, end, replacement), language=language) in EDIT_TYPES


def test_cost_does_not_grow_with_the_text():
    source = "word " * 200_000
    for edit in (
        Edit(500_000, 500_004, "words"),
        Edit(0, len(source), ""),
        Edit(3, 3, "x" * 10**6),
    ):
        assert edit_type(source, edit) in EDIT_TYPES
    assert edit_type("a" * 10**6, Edit(500_000, 500_001, "b")) in EDIT_TYPES


def test_words_are_remembered_only_so_long():
    tables = load_language("en").word_tables
    for number in range(60_000):
        tables.readings(f"x{number}")
    assert len(tables._readings) <= 50_000


def test_tables_are_read_when_needed():
    code = (
        "import sys, emendo.text, emendo.inference.loading, emendo.languages.en;"
        "assert 'emendo.languages.en.words' not in sys.modules;"
        "assert 'word_tables' not in vars(emendo.languages.en.LANGUAGE)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
