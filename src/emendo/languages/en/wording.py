"""How edits are explained in English."""

from emendo.languages.en.confusables import MEANINGS
from emendo.languages.wording import Wording

_MARKS = {
    ",": "comma",
    ".": "full stop",
    ";": "semicolon",
    ":": "colon",
    "?": "question mark",
    "!": "exclamation mark",
    "'": "apostrophe",
    "’": "apostrophe",
    "-": "hyphen",
    "–": "dash",
    "—": "dash",
    '"': "quotation mark",
}

WORDING = Wording(
    quoted="“{}”",
    after="after {}",
    before="before {}",
    missing="{} seems to be missing",
    needless="{} does not seem to be needed",
    missing_marks={mark: f"A {name}" for mark, name in _MARKS.items()},
    needless_marks={mark: f"The {name}" for mark, name in _MARKS.items()},
    parts={
        "article": "The article {}",
        "preposition": "The preposition {}",
        "pronoun": "The pronoun {}",
    },
    missing_space="A space seems to be missing",
    needless_space="There is a space too many",
    wrong={
        "spelling": "Possible spelling mistake: {was} is probably meant to be {now}.",
        "casing": "The capitals of {was} seem to be wrong; write {now}.",
        "punctuation": "The punctuation of {was} seems to be wrong; write {now}.",
        "spacing": "{was} is usually written {now}.",
        "article": "Use the article {now} here instead of {was}.",
        "preposition": "Use the preposition {now} here instead of {was}.",
        "pronoun": "Use {now} here instead of {was}.",
        "agreement": "The verb {was} does not seem to agree with its subject; use {now}.",
        "tense": "The verb form {was} does not seem to fit here; use {now}.",
        "number": "Singular or plural: {was} should probably be {now}.",
        "word order": "The words {was} would usually stand in the order {now}.",
        "word choice": "The word {now} seems to fit better here than {was}.",
    },
    other="Consider {now} instead of {was}.",
    confused="{was} and {now} are easily confused; {now} seems to be meant here.",
    confused_meanings="{was} {was_means}; {now} {now_means} and seems to be meant here.",
    meanings=MEANINGS,
)
