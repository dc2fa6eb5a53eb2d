"""Detects the language of a sentence, well enough to skip sentences in other languages.

The script identifies most languages; for Latin and Cyrillic letters the function words do. A
sentence is refused only if the evidence is clear: names, fragments and learners' errors pass.

A choice between languages needs less evidence: the one with the most is chosen.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from emendo.languages import known_languages, load_language

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

# Letters after an apostrophe are an ending, not a word: the dog 's.
_WORD = re.compile(r"(?<!['’])[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPTS = {
    "latin": "A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ",
    "cyrillic": "Ѐ-ԯᲀ-ᲊⷠ-ⷿꙀ-ꚟ",
    "greek": "Ͱ-Ͽἀ-῿",
    "hebrew": "\u0590-\u05ff\ufb1d-\ufb4f",
    "arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
    "devanagari": "\u0900-\u097f",
    "thai": "\u0e00-\u0e7f",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "kana": "\u3040-\u30ff\u31f0-\u31ff",
    "han": "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "armenian": "\u0530-\u058f",
    "georgian": "\u10a0-\u10ff",
}
"""Ranges of letters by script."""
_LETTER_RUNS = {name: re.compile(f"[{letters}]+") for name, letters in _SCRIPTS.items()}
_BEYOND_LATIN = re.compile(
    "[\u0370-\u1cff\u1f00-\u1fff\u2de0-\u2dff\u2e80-\ufdff\ufe70-\uffef\U00020000-\U0003ffff]"
)
# An ideograph or a syllable counts as two or three letters.
_WEIGHTS = {"han": 3, "kana": 2, "hangul": 2}
# Japanese is written in ideographs and kana: a few of the latter are enough.
_KANA_SHARE = 0.1

# The evidence needed in a long sentence and in a possible fragment, and the factor by which it must
# outweigh the evidence for any other language.
_SURE = 1.0
_SURE_OF_FRAGMENT = 1.9
_FRAGMENT = 4
_RATIO = 2.0
# A word that also occurs in other languages counts less (`Language.shared_words`).
_SHARED = 0.5
_LETTER_WEIGHT = 0.5
# This many words without any function word of the language are in another language.
_STRANGE = 9
# The start of a text is enough to detect its language.
_MAX_CHARACTERS = 2000


class _Evidence(NamedTuple):
    """The evidence for languages."""

    scripts: dict[str, str]
    """The language of a script, if it has only one."""
    words: dict[str, frozenset[str]]
    """Languages by function word."""
    weak: frozenset[str]
    """Words that count less."""
    letters: dict[str, frozenset[str]]
    """Languages by rare letter."""
    rare_letter: re.Pattern[str]


@cache
def _evidence() -> _Evidence:
    """Return the evidence of all languages, gathered when it is first needed."""
    languages = known_languages()
    in_script = Counter(language.script for language in languages)
    owners: dict[str, set[str]] = {}
    letters: dict[str, set[str]] = {}
    for language in languages:
        for word in language.function_words:
            owners.setdefault(word, set()).add(language.code)
        for letter in language.letters:
            letters.setdefault(letter, set()).add(language.code)
    weak: set[str] = set()
    for language in languages:
        if language.shared_words:
            weak |= language.shared_words
            weak |= {word for word in language.function_words if len(owners[word]) > 1}
    return _Evidence(
        {
            each.script: each.code
            for each in languages
            if in_script[each.script] == 1 and each.script
        },
        {word: frozenset(codes) for word, codes in owners.items()},
        frozenset(weak),
        {letter: frozenset(codes) for letter, codes in letters.items()},
        re.compile(f"[{re.escape(''.join(letters))}]"),
    )


def detect_language(text: str) -> str | None:
    """Return the language of a text as a two-letter code, or None if it is unclear.

    Languages in Latin and Cyrillic letters are detected by function words, others by their script;
    `emendo.languages.known_languages` lists them.
    """
    text = text[:_MAX_CHARACTERS]
    script = _main_script(text)
    told = _evidence().scripts.get(script) if script else None
    if told:
        return told
    scores, words = _scores(text)
    ranked = sorted(scores.values(), reverse=True)
    if not ranked or not _is_sure(ranked[0], ranked[1] if len(ranked) > 1 else 0.0, words):
        return None
    return max(scores, key=scores.__getitem__)


def is_in(text: str, languages: Collection[str]) -> bool:
    """Whether a text may be in one of these languages: False only if it clearly is not.

    Args:
        text: A sentence.
        languages: Two-letter codes. If there are none, or one is unknown to the detector, every
            text passes.
    """
    return judge_language(text, languages) is not False


def judge_language(text: str, languages: Collection[str]) -> bool | None:
    """Return whether a text is in one of these languages, or None if it is unclear."""
    own_languages = [load_language(code) for code in languages]
    if not own_languages or not all(language.script for language in own_languages):
        return True
    text = text[:_MAX_CHARACTERS]
    script = _main_script(text)
    if script is None:
        return None
    if all(script != language.script for language in own_languages):
        # Japanese may be written without kana.
        may_be = any(script in language.other_scripts for language in own_languages)
        return None if may_be else False
    if script in _evidence().scripts:
        return True
    scores, words = _scores(text)
    own = max((scores.get(code, 0.0) for code in languages), default=0.0)
    other = max((score for code, score in scores.items() if code not in languages), default=0.0)
    if _is_sure(other, own, words) or (own == 0 and words >= _STRANGE):
        return False
    return True if _is_sure(own, other, words) else None


def choose_languages(text: str, groups: Sequence[Collection[str]]) -> tuple[int, ...]:
    """Return which of several groups of languages have the most evidence in a text.

    Args:
        text: A paragraph.
        groups: Two-letter codes; no language is in two groups.

    Returns:
        The number of the group; more than one if the text does not show which.
    """
    text = text[:_MAX_CHARACTERS]
    script = _main_script(text)
    fitting = [
        k
        for k, group in enumerate(groups)
        if any(script in (each.script, *each.other_scripts) for each in map(load_language, group))
    ]
    if len(fitting) < 2:
        return tuple(fitting or range(len(groups)))
    scores, _ = _scores(text)
    own = {k: max(scores.get(code, 0.0) for code in groups[k]) for k in fitting}
    best = max(own.values())
    return tuple(k for k in fitting if own[k] == best)


def _main_script(text: str) -> str | None:
    """Return the script of most letters, or None for a text without letters."""
    if text.isascii() or not _BEYOND_LATIN.search(text):
        return "latin" if _LETTER_RUNS["latin"].search(text) else None
    counts = Counter(
        {
            name: _WEIGHTS.get(name, 1) * sum(len(run) for run in pattern.findall(text))
            for name, pattern in _LETTER_RUNS.items()
        }
    )
    script, count = counts.most_common(1)[0]
    if not count:
        return None
    if script == "han" and counts["kana"] >= _KANA_SHARE * count:
        return "kana"
    return script


def _is_sure(best: float, rival: float, words: int) -> bool:
    enough = _SURE if words > _FRAGMENT else _SURE_OF_FRAGMENT
    return best >= enough and best >= _RATIO * rival


def _scores(text: str) -> tuple[Mapping[str, float], int]:
    """Return the evidence for each language, and the number of words."""
    lowered = text.lower().replace("’", "'")
    words = _WORD.findall(lowered)
    evidence = _evidence()
    scores: dict[str, float] = {}
    # A repeated word is not new evidence.
    for word in set(words):
        codes = evidence.words.get(word)
        if codes is not None:
            weight = _SHARED if word in evidence.weak else 1.0
            for code in codes:
                scores[code] = scores.get(code, 0.0) + weight
    if not lowered.isascii():
        for letter in set(evidence.rare_letter.findall(lowered)):
            for code in evidence.letters[letter]:
                scores[code] = scores.get(code, 0.0) + _LETTER_WEIGHT
    return scores, len(words)
