"""Whole sentences: which texts the rules read, and a clause written as one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsed_sentences import Parse

_STRANGE = re.compile(
    r"[\[\]{}|<>*=_\\♡❤\t\n•…#@]|::|https?:|www\.|\.\.|--| - | [’']|['’] [a-z]|\b[A-Z]\) "
)
_OPENING = re.compile(r"[A-Z][a-z]|[AI] |[A-Z]{2,}|[“\"]?[A-Z]|\d")
_END = re.compile(r"[.!?][”\"’)]?\Z")
# Words and marks of a sentence.
_LEAST, _MOST = 4, 55


def is_plain(parse: Parse) -> bool:
    """Whether it is a whole sentence of prose: a statement with a subject and a finite verb."""
    if not _LEAST <= len(parse.tokens) <= _MOST:
        return False
    text = parse.text
    if _STRANGE.search(text) or not _OPENING.match(text) or not _END.search(text):
        return False
    roots = sum(token.dep == "ROOT" for token in parse.tokens)
    return (
        roots == 1
        and is_balanced(text)
        and parse.subject(parse.root) is not None
        and parse.finite(parse.root) is not None
    )


def is_balanced(text: str) -> bool:
    """Whether quotes and brackets are closed."""
    return (
        text.count("(") == text.count(")")
        and text.count("“") == text.count("”")
        and text.count('"') % 2 == 0
    )


def sentence(text: str) -> str:
    """Return a clause as a sentence: with a capital at its start and a full stop at its end."""
    text = text.strip().lstrip(",; ").rstrip(",;: ")
    text = text if _END.search(text) else f"{text}."
    return text[:1].upper() + text[1:]
