"""Errors in the form of a word: agreement, tense, form of verbs, number of nouns, degree.

Forms come from lemminflect; which form a word is, and what its neighbours are, is a guess
(`read_sentence`). A wrong guess makes an odd error, never a wrong target.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from emendo.errors import require
from emendo.synthesis.changes import Change, pick, replace

if TYPE_CHECKING:
    from random import Random

    from emendo.synthesis.sentence import Sentence

_PENN = {"V": "VB", "Z": "VBZ", "D": "VBD", "P": "VBN", "G": "VBG", "N": "NN", "S": "NNS"}
_SINGULAR = frozenset(
    ["he", "she", "it", "this", "that", "one", "everyone", "everybody", "someone", "nobody"]
)
# Nouns that end a verb's subject tell its number; after these classes a verb is no finite one.
_NOT_FINITE_AFTER = frozenset("mtxn")
_MAX_CACHED = 50_000
# Words that show a tense.
_PAST = frozenset(["was", "were", "had", "did", "yesterday", "ago", "last", "once", "then"])
_PRESENT = frozenset(
    ["is", "are", "am", "do", "does", "now", "today", "usually", "always", "often"]
)
# Words that show the number of the noun after them.
_ONE = frozenset(["a", "an", "this", "that", "each", "every", "one", "another"])
_MANY = frozenset(["these", "those", "many", "few", "several", "both", "various", "all", "other"])
# Verbs after which learners mix "to go" and "going".
_TAKES_GERUND = frozenset(
    [
        "enjoy",
        "avoid",
        "finish",
        "stop",
        "keep",
        "suggest",
        "recommend",
        "consider",
        "mind",
        "practice",
        "deny",
        "imagine",
        "miss",
    ]
)
_TAKES_INFINITIVE = frozenset(
    [
        "want",
        "decide",
        "hope",
        "plan",
        "need",
        "learn",
        "try",
        "agree",
        "expect",
        "promise",
        "refuse",
        "wish",
        "seem",
        "manage",
    ]
)


@lru_cache(_MAX_CACHED)
def inflect(lemma: str, tag: str) -> str:
    """Return a form of a lemma, "" where there is none."""
    require("making errors in the forms of words", "synthesize", "lemminflect")
    from lemminflect import getInflection

    # British and American spellings come both; the first is the more frequent.
    forms = getInflection(lemma, _PENN[tag])
    return forms[0] if forms else ""


def _form(sentence: Sentence, index: int, tag: str) -> str:
    token = sentence.tokens[index]
    if "'" in token.lower or token.is_name or not token.lower.isalpha():
        return ""
    form = inflect(token.lemma, tag)
    return "" if form == token.lower else form


def _third_person(sentence: Sentence, index: int) -> bool:
    """Whether the word before a verb makes one expect the third person singular."""
    i = index - 1
    while sentence.tag(i) in "r":
        i -= 1
    return sentence.lower(i) in _SINGULAR or sentence.tag(i) in "N?"


def _is_finite(sentence: Sentence, index: int) -> bool:
    """Whether a base form is more than an infinitive: they work."""
    i = index - 1
    while sentence.tag(i) == "r":
        i -= 1
    before = sentence.tag(i)
    if before in _NOT_FINITE_AFTER or sentence.lower(i).endswith("n't"):
        return False
    if sentence.tag(i - 1) in "mx":
        # Could you know?
        return False
    return before in "iSwz?" or sentence.lower(i) in ("and", "who", "which", "that")


def make_disagree(sentence: Sentence, rng: Random) -> Change | None:
    """Write "he work" for "he works", or "they works"."""
    options: list[tuple[float, Change]] = []
    for i, token in enumerate(sentence.tokens):
        if token.tag == "Z" and (form := _form(sentence, i, "V")):
            options.append((3.0, replace(sentence, i, i + 1, form)))
        elif token.tag == "V" and _is_finite(sentence, i) and (form := _form(sentence, i, "Z")):
            options.append((1.0, replace(sentence, i, i + 1, form)))
    return pick(options, rng)


def change_tense(sentence: Sentence, rng: Random) -> Change | None:
    """Write a verb in another tense: "she go" or "she goes" for "she went"."""
    options: list[tuple[float, Change]] = []
    # Without another verb of that tense, or a time, nobody could tell that the tense is wrong.
    past = _evidence(sentence, "D", _PAST)
    present = _evidence(sentence, "VZ", _PRESENT)
    for i, token in enumerate(sentence.tokens):
        if not token.lower.isalpha():
            continue
        if token.tag == "D" and token.text.islower():
            _change_past(options, sentence, i, past)
        elif token.tag == "Z" or (token.tag == "V" and _is_finite(sentence, i)):
            _offer(options, sentence, i, "D", present)
            form = inflect(token.lemma, "G")
            auxiliary = "is" if token.tag == "Z" else "are"
            options.append((0.4, replace(sentence, i, i + 1, f"{auxiliary} {form}")))
        elif token.tag == "P" and sentence.lower(i - 1) in ("has", "have", "had"):
            # has seen: saw
            if form := inflect(token.lemma, "D"):
                options.append((0.6, replace(sentence, i - 1, i + 1, form)))
        elif token.tag == "G" and sentence.lower(i - 1) in ("is", "are"):
            tag = "Z" if sentence.lower(i - 1) == "is" else "V"
            if form := _form(sentence, i, tag):
                options.append((0.6, replace(sentence, i - 1, i + 1, form)))
    return pick(options, rng)


def _evidence(sentence: Sentence, tags: str, words: frozenset[str]) -> float:
    """Return a weight: high where the sentence shows its tense elsewhere, too."""
    seen = sum(token.tag in tags or token.lower in words for token in sentence.tokens)
    return 2.0 if seen > 1 else 0.2


def _change_past(
    options: list[tuple[float, Change]], sentence: Sentence, i: int, weight: float
) -> None:
    token = sentence.tokens[i]
    third = _third_person(sentence, i)
    _offer(options, sentence, i, "Z" if third else "V", weight)
    # He go: wrong in any tense.
    _offer(options, sentence, i, "V", 0.7 if third else weight / 3)
    if form := inflect(token.lemma, "P"):
        options.append((weight / 3, replace(sentence, i, i + 1, f"{_have(third)} {form}")))
        options.append((weight / 6, replace(sentence, i, i + 1, f"had {form}")))
    if form := inflect(token.lemma, "G"):
        options.append((weight / 8, replace(sentence, i, i + 1, f"was {form}")))


def _have(third: bool) -> str:
    return "has" if third else "have"


def change_verb_form(sentence: Sentence, rng: Random) -> Change | None:
    """Write a form that its neighbours do not allow: "can goes", "enjoy to swim", "was make"."""
    options: list[tuple[float, Change]] = []
    for i, token in enumerate(sentence.tokens):
        before = sentence.tag(i - 1)
        if not token.text.islower() or before in (",", "^", "#"):
            continue
        if token.tag == "V":
            _change_base(options, sentence, i, before)
        elif token.tag == "G":
            _change_gerund(options, sentence, i, before)
        elif token.tag == "P" and before in "bhrn":
            _offer(options, sentence, i, "V", 1.2)
            _offer(options, sentence, i, "D", 2.0)
            _offer(options, sentence, i, "G", 0.8 if before == "b" else 0.3)
        elif token.tag == "P" and before in "NS":
            _offer(options, sentence, i, "G", 1.0)
            _offer(options, sentence, i, "V", 0.5)
        elif token.tag == "D" and token.lemma + "ed" != token.lower:
            # Irregular verbs get regular endings: catched.
            if not token.lower.endswith("ed") and token.lower.isalpha() and len(token.lemma) > 2:
                ending = "d" if token.lemma.endswith("e") else "ed"
                options.append((0.15, replace(sentence, i, i + 1, token.lemma + ending)))
            _offer(options, sentence, i, "P", 0.5)
    return pick(options, rng)


def _change_base(
    options: list[tuple[float, Change]], sentence: Sentence, i: int, before: str
) -> None:
    if before == "t":
        _offer(options, sentence, i, "G", 1.0)
        _offer(options, sentence, i, "D", 0.8)
        _offer(options, sentence, i, "Z", 0.3)
        if i > 1 and sentence.tokens[i - 2].lemma in _TAKES_INFINITIVE:
            if form := _form(sentence, i, "G"):
                options.append((2.0, replace(sentence, i - 1, i + 1, form)))
            if form := sentence.lower(i):
                options.append((1.5, replace(sentence, i - 1, i + 1, form)))
    elif before in "mx" or sentence.lower(i - 1).endswith("n't") or before == "n":
        _offer(options, sentence, i, "D", 1.2)
        _offer(options, sentence, i, "Z", 0.8)
        _offer(options, sentence, i, "G", 0.5)
        _offer(options, sentence, i, "P", 0.3)
        if before == "m":
            options.append((0.6, replace(sentence, i, i + 1, f"to {sentence.lower(i)}")))
    elif before == "o" or sentence.lower(i - 2) in ("make", "makes", "made", "let", "lets"):
        options.append((0.8, replace(sentence, i, i + 1, f"to {sentence.lower(i)}")))


def _change_gerund(
    options: list[tuple[float, Change]], sentence: Sentence, i: int, before: str
) -> None:
    if before == "b":
        _offer(options, sentence, i, "V", 1.2)
        _offer(options, sentence, i, "P", 0.4)
    elif before == "p":
        _offer(options, sentence, i, "V", 2.0)
        if form := _form(sentence, i, "V"):
            options.append((0.7, replace(sentence, i, i + 1, f"to {form}")))
    elif before in "VZD":
        weight = 3.0 if sentence.tokens[i - 1].lemma in _TAKES_GERUND else 1.0
        if form := _form(sentence, i, "V"):
            options.append((weight, replace(sentence, i, i + 1, f"to {form}")))
            options.append((weight / 2, replace(sentence, i, i + 1, form)))


def _offer(
    options: list[tuple[float, Change]], sentence: Sentence, index: int, tag: str, weight: float
) -> None:
    if form := _form(sentence, index, tag):
        options.append((weight, replace(sentence, index, index + 1, form)))


def change_number(sentence: Sentence, rng: Random) -> Change | None:
    """Write the plural of a noun for the singular, or the other way round."""
    options: list[tuple[float, Change]] = []
    for i, token in enumerate(sentence.tokens):
        if not token.text.islower() or len(token.lower) < 3:
            continue
        if token.tag == "S":
            _offer(options, sentence, i, "N", _shown_number(sentence, i, _MANY))
        elif token.tag == "N" and sentence.tag(i + 1) != "N":
            _offer(options, sentence, i, "S", _shown_number(sentence, i, _ONE))
    return pick(options, rng)


def _shown_number(sentence: Sentence, index: int, words: frozenset[str]) -> float:
    """Return a weight: high where words before a noun show its number, low where none could."""
    i = index - 1
    while sentence.tag(i) in "JR" and i > 0:
        i -= 1
    if sentence.lower(i) in words or sentence.tag(i) in "u#":
        return 2.0
    if sentence.tag(i) in "aed'":
        return 0.2
    # A noun without any article before it: a plural, or nothing that is counted.
    return 1.0 if words is _MANY else 0.4
