"""Verbs with the tense and the number of a clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsed_sentences import Token


def be(*, is_past: bool, is_plural: bool = False, subject: str = "") -> str:
    """Return the form of "be" for a subject."""
    if is_past:
        return "were" if is_plural else "was"
    return "am" if subject == "I" else "are" if is_plural else "is"


def inflected(participle: Token, *, is_past: bool, is_plural: bool, subject: str) -> str | None:
    """Return the finite form of a participle; None if its verb is not known."""
    from lemminflect import getInflection, getLemma

    lemma = (getLemma(participle.text.lower(), upos="VERB") or (participle.lemma,))[0]
    if lemma == "be":
        return be(is_past=is_past, is_plural=is_plural, subject=subject)
    tag = "VBD" if is_past else "VBP" if is_plural or subject == "I" else "VBZ"
    forms = getInflection(lemma, tag=tag)
    return forms[0] if forms else None
