"""Emoji, chat abbreviations, greetings and sign-offs."""

import pytest

from emendo.text import Edit, EditedText
from emendo.text.informal import informal_spans
from emendo.text.protection import drop_protected, protected_spans


def found(text):
    return {text[start:end] for start, end in informal_spans(text)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Great work 👍.", {"👍"}),
        ("We did it 👩🏽‍🚀🇩🇪 today", {"👩🏽‍🚀🇩🇪"}),
        ("Press 1️⃣ ✔️ now", {"1️⃣", "✔️"}),
        ("Nice :-) see you ;D and <3", {":-)", ";D", "<3"}),
        ("whatever ¯\\_(ツ)_/¯", {"¯\\_(ツ)_/¯"}),
        ("btw idk, imo its the cache tbh", {"btw", "idk", "imo", "tbh"}),
        ("OMG, LOL!", {"OMG", "LOL"}),
        ("Dear Mrs. Novak,\nI write", set()),
        ("Dear Anna,\nthank you for your letter.", {","}),
        ("Hi all,\r\n\r\nI am fine.\r\n\r\nBest wishes,\r\nOle", {",", "Best wishes,"}),
        ("See above.\nKind regards\n", {"Kind regards"}),
        ("Yours sincerely,", {"Yours sincerely,"}),
    ],
)
def test_meant_as_it_is(text, meant):
    assert found(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "The ratio is 3:1 (see p. 8).",
        "At 8:30 (or so) we left; then: nothing.",
        "He is kind of tall, and I love it.",
        "Best whishes,",
        "Thanks for the help, I love it",
        "Lolita and Tyson met Imogen.",
        "my-lol it's cuz's",
        "Hi there, how are you?",
        "Ty is my brother, and Op Art is dead.",
    ],
)
def test_not_meant(text):
    assert found(text) == set()


def test_edits_of_them_are_dropped():
    source = "btw its done 👍"
    edits = (Edit(0, 3, "by"), Edit(4, 7, "it's"), Edit(13, 14, "Named"), Edit(14, 14, "."))
    kept = drop_protected(EditedText(source, edits), protected_spans(source))
    assert kept.text == "btw it's done 👍."
