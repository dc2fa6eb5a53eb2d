"""What callers hand over as text, checked: a `str` is a list of letters to Python."""

from __future__ import annotations

from collections.abc import Collection

from emendo.errors import TextTypeError


def check_text(text: object, *, name: str = "this") -> None:
    """Make sure that something is a text.

    Args:
        text: Whatever was given.
        name: What the error calls it.

    Raises:
        TextTypeError: It is none.
    """
    if not isinstance(text, str):
        raise TextTypeError(
            f"a text must be a str, and {name} is {_described(text)}; "
            "read a file or decode bytes first, and leave out what is missing"
        )


def check_texts(texts: object) -> None:
    """Make sure that something is a list of texts, or the like.

    Raises:
        TextTypeError: It is a single text, no collection, or holds something else.
    """
    if isinstance(texts, str | bytes):
        raise TextTypeError(
            f"several texts were expected, and this is a single {type(texts).__name__}, whose "
            "letters would be edited one by one; give [text]"
        )
    if not isinstance(texts, Collection):
        raise TextTypeError(
            f"several texts were expected, and this is {_described(texts)}; give a list of str"
        )
    for number, text in enumerate(texts):
        check_text(text, name=f"number {number}")


def _described(value: object) -> str:
    return "None (NoneType)" if value is None else f"of type {type(value).__name__}"
