"""Each kind of error does what its name says, to a sentence written for it."""

from random import Random

import pytest

pytest.importorskip("lemminflect")

from emendo.languages.en.error_makers.articles import starts_with_vowel
from emendo.synthesis.error_writer import ErrorWriter

WRITER = ErrorWriter()


def outputs(text, kind, tries=400):
    found = set()
    for seed in range(tries):
        wrong = WRITER.write_kind(text, kind, Random(seed))
        assert wrong.target == text
        found.add(wrong.source)
    return found


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("missing article", "He bought the old car.", "He bought old car."),
        ("missing article", "The car is old.", "Car is old."),
        ("extra article", "They live in peace.", "They live in the peace."),
        ("wrong article", "She ate an apple.", "She ate a apple."),
        ("wrong article", "There are many people here.", "There are much people here."),
        ("missing preposition", "We listen to music.", "We listen music."),
        ("extra preposition", "We discussed the plan.", "We discussed in the plan."),
        ("wrong preposition", "It depends on the weather.", "It depends of the weather."),
        ("wrong pronoun", "The man who called is here.", "The man which called is here."),
        ("missing pronoun", "She said that it was late.", "She said that was late."),
        ("agreement", "He works in a bank.", "He work in a bank."),
        ("agreement", "He doesn't like it.", "He don't like it."),
        ("agreement", "They live here.", "They lives here."),
        ("tense", "Yesterday she went home.", "Yesterday she goes home."),
        ("tense", "I have seen it before.", "I saw it before."),
        ("verb form", "He can swim well.", "He can swims well."),
        ("verb form", "I enjoy swimming here.", "I enjoy to swim here."),
        ("verb form", "He could have done it.", "He could of done it."),
        ("verb form", "They want to leave now.", "They want leaving now."),
        ("noun number", "He has three dogs.", "He has three dog."),
        ("countability", "We need more information.", "We need more informations."),
        ("degree", "This one is better.", "This one is more better."),
        ("negation", "I don't have any money.", "I don't have no money."),
        ("word form", "It is a beautiful house.", "It is a beautifully house."),
        ("word choice", "He told me a story.", "He said me a story."),
        ("conjunction", "It was late, but we stayed.", "It was late, and we stayed."),
        ("confusable", "They lost their keys.", "They lost there keys."),
        ("confusable", "It's a nice day.", "Its a nice day."),
        ("apostrophe", "We don't know.", "We dont know."),
        ("apostrophe", "That is John's car.", "That is Johns car."),
        ("spacing", "I like it a lot.", "I like it alot."),
        ("spacing", "First, we eat.", "First,we eat."),
        ("hyphen", "A well-known man came.", "A well known man came."),
        ("casing", "In May I was there.", "In may I was there."),
        ("casing", "In May I was there.", "In May i was there."),
        ("missing punctuation", "However, it rained.", "However it rained."),
        ("missing punctuation", "It rained all day.", "It rained all day"),
        ("extra punctuation", "I think that he left.", "I think, that he left."),
        ("wrong punctuation", "Where are you?", "Where are you."),
        ("word order", "He has a red car.", "He has a car red."),
        ("word order", "What is your name?", "What your name is?"),
        ("doubled word", "I saw the sea.", "I saw the the sea."),
        ("missing word", "He is a good man.", "He a good man."),
        ("extra word", "He must leave now.", "He must be leave now."),
        ("extra pronoun", "My brother is here.", "My brother it is here."),
        ("misspelling", "We receive letters.", "We recieve letters."),
    ],
)
def test_kinds(kind, text, expected):
    assert expected in outputs(text, kind)


def test_every_kind_has_a_maker():
    texts = (
        "However, I don't think that he has told John's friend what he wanted to do with the "
        "well-known, better books and the information that are in a lot of old houses in peace."
    )
    for kind in WRITER.kinds:
        assert any(WRITER.write_kind(texts, kind, Random(seed)).errors for seed in range(50)), kind


def test_a_kind_without_a_place():
    assert WRITER.write_kind("Rain fell softly.", "degree", Random(1)).errors == ()


def test_curly_apostrophes_stay_curly():
    assert "He don’t like it." in outputs("He doesn’t like it.", "agreement")


def test_addresses_and_numbers_are_left_alone():
    text = "See www.example.com/abc or 3,500 U.S. users@example.com addresses."
    for seed in range(200):
        wrong = WRITER.write(text, Random(seed))
        for part in ("www.example.com/abc", "3,500", "U.S.", "users@example.com"):
            assert part in wrong.source


@pytest.mark.parametrize(
    ("word", "expected"),
    [("apple", True), ("hour", True), ("university", False), ("uncle", True), ("dog", False),
     ("one", False), ("uninteresting", True), ("honest", True), ("user", False)],
)  # fmt: skip
def test_starts_with_vowel(word, expected):
    assert starts_with_vowel(word) is expected
