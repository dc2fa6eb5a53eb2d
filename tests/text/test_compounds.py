"""Compounds of known words."""

import pytest

from emendo.text.compounds import Compounds
from emendo.text.known_words import KnownWords

WORDS = KnownWords(["haus", "tür", "arbeit", "markt", "sonne", "schein", "woche", "ende", "eis"])
GERMAN = Compounds(WORDS, ("", "s", "n"))


@pytest.mark.parametrize(
    "word", ["hausarbeit", "arbeitsmarkt", "wochenende", "sonnenschein", "hausarbeitsmarkt"]
)
def test_known_words_with_links_between_them(word):
    assert word in GERMAN


@pytest.mark.parametrize(
    "word",
    [
        "haus",  # One word: the list has it.
        "hausx",
        "hausarbiet",
        "arbeitzmarkt",
        "arbeits",  # A link, and nothing after it.
        "haustür",  # A part of three letters.
        "eismarkt",
        "hausarbeitsmarktende",  # Four parts.
        "",
    ],
)
def test_nothing_else(word):
    assert word not in GERMAN


def test_without_links_no_words_are_written_together():
    assert "hausarbeit" not in Compounds(WORDS, ())


def test_only_what_can_be_a_word_is_looked_at():
    looked_up = []

    class Counted:
        def __contains__(self, word):
            looked_up.append(word)
            return True

    words = Compounds(Counted(), ("",))
    assert "a" * 48 in words
    looked_up.clear()
    assert "a" * 49 not in words
    assert looked_up == []
