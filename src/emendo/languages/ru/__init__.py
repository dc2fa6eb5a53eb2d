"""Russian: sentence ends, and words that identify it."""

from emendo.languages.language import Language
from emendo.languages.ru.function_words import FUNCTION_WORDS
from emendo.languages.ru.sentence_ends import SENTENCE_ENDS

LANGUAGE = Language(
    "ru",
    "Russian",
    variants={"ru-RU": "Russia"},
    script="cyrillic",
    letters="ыэъё",
    function_words=FUNCTION_WORDS,
    sentence_ends=SENTENCE_ENDS,
)
