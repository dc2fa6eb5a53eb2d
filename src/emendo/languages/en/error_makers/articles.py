"""Whether "a" or "an" goes before a word."""

_VOWELS = frozenset("aeiou")
# Vowels by sound where the letter is none, and the other way round.
_SOUNDS_OPEN = ("hour", "honest", "honour", "honor", "heir")
_SOUNDS_CLOSED = ("uni", "use", "usu", "user", "euro", "one", "once", "ubiq", "ut", "ewe", "eu")


def starts_with_vowel(word: str) -> bool:
    """Whether "an" goes before the word."""
    if word.startswith(_SOUNDS_OPEN):
        return True
    if word.startswith(_SOUNDS_CLOSED) and not word.startswith(("unin", "unim", "utt", "oner")):
        return False
    return word[:1] in _VOWELS


def fit_article(word: str, following: str) -> str:
    """Return the form of an indefinite article before a word; any other word as it is."""
    if word not in ("a", "an"):
        return word
    return "an" if starts_with_vowel(following) else "a"
