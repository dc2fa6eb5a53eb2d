"""Unknown words and what they may have been meant to be."""

import pytest

from emendo.text.known_words import KnownWords
from emendo.text.near_words import NearWord, NearWords

KNOWN = KnownWords(
    ["village", "voyage", "villages", "vile", "the", "near", "I", "live", "in", "lake", "German"]
)


def unknown(text):
    found = NearWords(KNOWN).unknown(text)
    return [
        (text[start:end], [(each.text, each.distance) for each in near])
        for start, end, near in found
    ]


def test_words_near_an_unknown_one_nearest_first():
    assert unknown("I live in the vilage.") == [
        ("vilage", [("village", 1), ("vile", 2), ("villages", 2), ("voyage", 2)])
    ]
    assert unknown("near the viilage") == [("viilage", [("village", 1), ("villages", 2)])]
    assert unknown("liev near") == [("liev", [("live", 1)])], "two letters in each other's place"


def test_a_capital_is_no_letter():
    assert unknown("I live in german") == [("german", [("German", 0)])]
    assert unknown("Vilage") == [
        ("Vilage", [("Village", 1), ("Vile", 2), ("Villages", 2), ("Voyage", 2)])
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('He wrote "vilage" here', []),
        ('He wrote "my vilage" here', ["vilage"]),
        ("the villag’ and the vilage'", ["vilage"]),
    ],
)
def test_words_that_are_meant_so(text, words):
    known = KnownWords(["village", "He", "wrote", "here", "my", "the", "and"])
    assert [text[word.start : word.end] for word in NearWords(known).unknown(text)] == words


def test_two_words_written_as_one():
    known = NearWords(KnownWords(["a", "lot", "slot", "in", "like", "fact", "act"]))
    (word,) = known.unknown("like alot")
    assert set(word.near) == {NearWord(text, 1) for text in ("a lot", "lot", "slot")}
    (word,) = known.unknown("Infact")
    assert NearWord("In fact", 1) in word.near
    assert not any(" " in each.text for w in known.unknown("lota slotx") for each in w.near)


def test_contractions_without_their_apostrophe():
    known = NearWords(KnownWords(["don't", "done", "I", "who's", "whose", "you're", "G'day"]))
    near = {word.near[0].text for word in known.unknown("dont whos youre")}
    assert near == {"don't", "who's", "you're"}
    (word,) = known.unknown("Gday")
    assert NearWord("G'day", 1) in word.near
    assert not list(known.unknown("don't don’t"))


@pytest.mark.parametrize(
    "text",
    [
        "I live in the village.",
        "German",
        "the Vilage",  # May be a name.
        "lk lak",  # Too short.
        "vilage2 vil-age v.ilage",
        "the " + "village" * 5,
        "",
    ],
)
def test_left_alone(text):
    assert unknown(text) == []


def test_letters_that_an_apostrophe_replaces_and_endings_of_names():
    near = NearWords(KnownWords(["afraid", "mail", "lake"]))
    assert list(near.unknown("he said 'fraid")) == []
    assert list(near.unknown("lake.mial")) == []
    assert list(near.unknown("lake. mial"))


GERMAN = KnownWords(["haus", "arbeit", "markt", "wohnung", "die", "in"])


def test_where_nouns_have_capitals_they_are_looked_up():
    text = "die Wohnug in Arbeti"
    assert list(NearWords(GERMAN).unknown(text)) == []
    found = NearWords(GERMAN, nouns_have_capitals=True).unknown(text)
    assert [(text[start:end], near) for start, end, near in found] == [
        ("Wohnug", (NearWord("Wohnung", 1),)),
        ("Arbeti", (NearWord("Arbeit", 1),)),
    ]
    for left_alone in ("die WOHNUG", "die WohnUg", "die Wohnung", "die Wohnug-Arbeti"):
        assert list(NearWords(GERMAN, nouns_have_capitals=True).unknown(left_alone)) == []


def test_compounds_of_known_words_are_not_looked_up():
    text = "die Hausmarkt hausmarkt arbeitsmarkd"
    german = {"nouns_have_capitals": True, "compound_links": ("", "s")}
    near = NearWords(KnownWords(["hausmarke", "arbeitsmarke", "haus", "arbeit", "markt"]), **german)
    assert [text[each.start : each.end] for each in near.unknown(text)] == ["arbeitsmarkd"]


def test_words_with_foreign_accents_are_left_alone():
    words = KnownWords(["naive", "native", "über", "uber", "uhr", "мои", "facade"])
    for word in ("naïve", "Naïve", "façade"):
        assert list(NearWords(words).unknown(word)) == []
    # An accent that the language has makes another word.
    assert list(NearWords(words, letters="äöü").unknown("naive übér")) == []
    for word in ("nüive", "näive"):
        assert len(list(NearWords(words, letters="äöü").unknown(word))) == 1
    assert [each.near for each in NearWords(words).unknown("моий")] == [(NearWord("мои", 1),)]
