"""German: sentence ends, and words that identify it."""

from emendo.languages.de.function_words import FUNCTION_WORDS
from emendo.languages.de.sentence_ends import SENTENCE_ENDS
from emendo.languages.language import Language

LANGUAGE = Language(
    "de",
    "German",
    variants={"de-AT": "Austria", "de-CH": "Swiss", "de-DE": "Germany"},
    script="latin",
    letters="ßäöü",
    function_words=FUNCTION_WORDS,
    sentence_ends=SENTENCE_ENDS,
)
