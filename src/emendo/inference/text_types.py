"""Type checks for texts from callers: to Python, a `str` is also a list of letters."""

from __future__ import annotations

from collections.abc import Collection

from emendo.errors import TextTypeError


def check_text(text: object, *, name: str = "this") -> None:
    """Check that a value is a text.

    Args:
        text: The value.
        name: Its name in the error.

    Raises:
        TextTypeError: It is not a str.
    """
    if not isinstance(text, str):
        raise TextTypeError(
            f"a text must be a str, but {name} is {_described(text)}; "
            "read a file or decode bytes first, and leave out missing values"
        )


def check_texts(texts: object) -> None:
    """Check that a value is a list or another collection of texts.

    Raises:
        TextTypeError: It is a single text, not a collection, or contains something else.
    """
    if isinstance(texts, str | bytes):
        raise TextTypeError(
            f"expected several texts, but this is a single {type(texts).__name__}, whose "
            "letters would be edited one by one; give [text]"
        )
    if not isinstance(texts, Collection):
        raise TextTypeError(
            f"expected several texts, but this is {_described(texts)}; give a list of str"
        )
    for number, text in enumerate(texts):
        check_text(text, name=f"number {number}")


def check_words(words: object) -> None:
    """Check that a value is a list or another collection of words.

    Raises:
        TextTypeError: It is a single word, not a collection, or contains something else.
    """
    if isinstance(words, str | bytes) or not isinstance(words, Collection):
        raise TextTypeError(
            f"a dictionary must be a collection of words, but this is {_described(words)}; "
            "give a list of str"
        )
    for number, word in enumerate(words):
        if not isinstance(word, str):
            raise TextTypeError(
                f"a word must be a str, but word {number} of the dictionary is {_described(word)}"
            )


def _described(value: object) -> str:
    return "None (NoneType)" if value is None else f"of type {type(value).__name__}"
