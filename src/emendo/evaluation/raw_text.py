"""A raw-text protocol for tools that take natural text: detokenise, run, retokenise, score.

Test sets are tokenised ("I do n't know , he said ."), but most tools take text as people write it.
Text that the tool does not change keeps the tokens of the test set, so the round trip adds no
edits. Only text that the tool wrote is tokenised by rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from emendo.errors import FormatError
from emendo.text.words import split_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Style = Literal["bea", "conll"]
"""Whose tokens: "well - known", "haven't" (BEA: spaCy 1.9) or "well-known", "have n't" (NLTK)."""

# --- From tokens to text. What stands at the word before it, and what at the word after it.
_CLOSING = re.compile(r"[,;:]|[.!?…]+|[)\]}»”]+|n['’]t|['’](?:s|m|ve|re|ll|d)|[%°]", re.IGNORECASE)
_OPENING = re.compile(r"[(\[{«“„‘¿¡]+")
_QUOTES = frozenset(("'", '"', "''"))
_CURRENCY = frozenset("$£€¥#")
_DOTS, _PAUSES = frozenset(("..", "...", "....", "…")), frozenset(",;:!?")
# Tokens that were one word.
_HALVES = re.compile(
    r"can not|(?:gon|wan) na|got ta|i m"
    r"|(?:do|does|did|is|are|was|were|would|could|should|had|have|has|wo|ca|ai) nt",
    re.IGNORECASE,
)
# After a hyphen these begin a new clause: it was a dash between spaces.
_AFTER_DASH = re.compile(
    r"an?|the|this|that|these|those|it|he|she|we|they|i|you|my|your|his|her|our|their|its|there"
    r"|and|but|or|so|because|although|though|if|when|where|while|as|for|with|from|of|which|who"
    r"|what|how|why|is|are|was|were|be|has|have|had|will|would|can|could|should|not|no|all|even"
    r"|only|just|like|especially|usually|also|maybe|indeed|once|then",
    re.IGNORECASE,
)
_BEFORE_CAPITAL = re.compile(r"all|anti|ex|inter|mid|non|post|pre|pro|trans|un")

# --- From text to tokens. What comes off the front and the back of a word, what cuts it inside.
_PREFIX = re.compile(r"\.{2,}|--+|[…,:;!?¿¡()\[\]{}<>*#&%=—–$£€¥\"'`«»“”„‘’]|\+(?!\d)")
_SUFFIX = re.compile(
    r"(?:\.{2,}|--+|[…,:;!?()\[\]{}<>*#&=—–\"`«»“”‘’']|['’]s|(?<=\d)[$£€¥]"
    r"|(?<=[a-zß-ÿа-яё0-9%²$£€¥)\]}\"'”’»-])\.|(?<=[A-ZА-ЯЁ][A-ZА-ЯЁ])\.)$"
)
_INFIX = re.compile(
    r"\.{2,}|…|(?<=[^\W\d_])(?:-+|[–—~/:<>=,])(?=[^\W\d_])|(?<=\d)[+*^-](?=\d)"
    r"|(?<=[a-zß-ÿ])\.(?=[A-Z])"
)
_CONTRACTION: dict[Style, re.Pattern[str]] = {
    "bea": re.compile(
        r"(do|does|did|is|are|was|were|would|could|should|had|must|need|might|wo|ca|ai)(n['’]?t)"
        r"|(can)(not)|(gon|wan)(na)|(got)(ta)|(\w+)(['’](?:m|ve|re|ll|d))|(\d+)([ap]m)",
        re.IGNORECASE,
    ),
    "conll": re.compile(
        r"(\w+)(n['’]t|['’](?:m|ve|re|ll|d))|(can)(not)|(\d[\d.,]*)(%)", re.IGNORECASE
    ),
}
# Never cut: addresses, faces, words that own their full stop (BEA has "etc ." in two), 's alone.
_WHOLE = re.compile(
    r"(?:https?:|www\.)\S*[\w/]|\S+@\S+\.\w+|[:;]-?[()DP]|(?:mrs?|ms|dr|st|jr|co|inc|ltd|vs|ph\.d)\."
    r"|(?:[a-z]\.){2,}|n['’]t|['’](?:s|m|ve|re|ll|d)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class RawSentence:
    """A tokenised sentence as natural text; token k is `text[start:end]` of `spans[k]`."""

    tokens: tuple[str, ...]
    text: str
    spans: tuple[tuple[int, int], ...]
    style: Style = "bea"


def detokenise(tokens: Sequence[str], *, style: Style = "bea") -> RawSentence:
    """Write a tokenised sentence as natural text, with the position of each token.

    Raises:
        FormatError: A token is empty or has white space in it.
    """
    text = ""
    spans: list[tuple[int, int]] = []
    for token, glued in zip(tokens, _glued(tokens, style), strict=True):
        if not token or any(map(str.isspace, token)):
            raise FormatError(f"token {len(spans)} is {token!r}: split tokens at white space")
        if not glued:
            text += " "
        spans.append((len(text), len(text) + len(token)))
        text += token
    return RawSentence(tuple(tokens), text, tuple(spans), style)


def retokenise(sentence: RawSentence, corrected: str) -> str:
    """Tokenise a tool's version of `sentence.text`.

    A source token is kept if the tool did not change it and nothing new is joined to it: after
    "Mr" a new full stop makes the token "Mr.", after "However" a new comma is a separate token.

    Returns:
        The tokens, separated by spaces; unchanged text has the source's own.
    """
    origins = _origins(sentence.text, corrected)
    labels: list[tuple[str, int] | None] = [None] * len(corrected)
    image: dict[int, int] = {}
    for start, end in _token_spans(corrected, sentence.style):
        labels[start:end] = [("new", start)] * (end - start)
        first = origins[start]
        if first is not None and origins[start:end] == [*range(first, first + end - start)]:
            image.update(zip(range(first, first + end - start), range(start, end), strict=True))
    for start, end in sentence.spans:
        at = image.get(start)
        if at is not None and all(image.get(start + k) == at + k for k in range(end - start)):
            labels[at : at + end - start] = [("source", at)] * (end - start)
    return " ".join(
        "".join(char for char, _ in run)
        for label, run in groupby(zip(corrected, labels, strict=True), key=lambda pair: pair[1])
        if label
    )


def _origins(source: str, output: str) -> list[int | None]:
    """Return the source position of every character of the output, word by word."""
    origins: list[int | None] = [None] * len(output)
    before, after = split_words(source), split_words(output)
    matcher = SequenceMatcher(
        None,
        [source[word.body : word.end] for word in before],
        [output[word.body : word.end] for word in after],
        autojunk=False,
    )
    for i, j, size in matcher.get_matching_blocks():
        for old, new in zip(before[i : i + size], after[j : j + size], strict=True):
            origins[new.body : new.end] = range(old.body, old.end)
    return origins


def _glued(tokens: Sequence[str], style: Style) -> list[bool]:
    """Return for every token whether it follows the previous one without a space."""
    glued = [False] * (len(tokens) + 1)
    quoted: set[str] = set()
    for k, token in enumerate(tokens):
        before = tokens[k - 1] if k else ""
        after = tokens[k + 1] if k + 1 < len(tokens) else ""
        if token in _QUOTES:
            opens = token not in quoted and _opens(tokens, k)
            quoted ^= {token} if opens or token in quoted else set()
            glued[k + opens] = True
        elif token[:1] in _QUOTES and token[-1] != token[0] and not _CLOSING.fullmatch(token):
            # NLTK leaves the opening mark at its word, and splits off only the closing one.
            quoted.add(token[0])
        elif _CLOSING.fullmatch(token) or _HALVES.fullmatch(f"{before} {token}"):
            glued[k] = not (token in _DOTS and before[-1:] in _PAUSES)
        elif _OPENING.fullmatch(token) or (token in _CURRENCY and after[:1].isdigit()):
            glued[k + 1] = True
        elif token in _CURRENCY and before[-1:].isdigit():
            glued[k] = True
        elif style == "bea" and _joins(tokens, k):
            glued[k] = glued[k + 1] = True
    glued[0] = True
    return glued[:-1]


def _opens(tokens: Sequence[str], k: int) -> bool:
    """Whether the quotation mark at `k`, with none open before it, opens one."""
    mark, before, after = tokens[k], tokens[k - 1] if k else "", tokens[k + 1 : k + 2]
    if not before or not after:
        return not before
    later = [j for j in range(k + 1, len(tokens)) if tokens[j] == mark]
    if mark == "'" and before[-1] in "sS" and not _AFTER_DASH.fullmatch(before):
        # The owners' apostrophe, unless the closing mark of a pair clearly follows.
        return bool(later) and tokens[later[0] - 1][-1] not in "sS"
    if mark == "'" and len(after[0]) <= 2 and not later:
        return False
    return bool(later) or not _CLOSING.fullmatch(after[0])


def _joins(tokens: Sequence[str], k: int) -> bool:
    """Whether the hyphen or slash at `k` made one word of its neighbours."""
    if tokens[k] not in ("-", "/") or not 0 < k < len(tokens) - 1:
        return False
    before, after = tokens[k - 1], tokens[k + 1]
    if before[-1].isdigit() and after[0].isdigit():
        return True
    if not (before[-1].isalpha() and after[0].isalpha()):
        return False
    if tokens[k] == "/" or "-" in (*tokens[k - 2 : k - 1], *tokens[k + 2 : k + 3]):
        return True
    if after[0].isupper() and before[0].islower():
        return bool(_BEFORE_CAPITAL.fullmatch(before))
    return not _AFTER_DASH.fullmatch(after)


def _token_spans(text: str, style: Style) -> Iterator[tuple[int, int]]:
    """Tokenise a text like a test set."""
    for word in re.finditer(r"\S+", text):
        start = word.start()
        for part in _split(word[0], style):
            yield start, start + len(part)
            start += len(part)


def _split(word: str, style: Style) -> list[str]:
    """Split a word without white space into its tokens, in order."""
    front: list[str] = []
    back: list[str] = []
    while word and not _WHOLE.fullmatch(word):
        if prefix := _PREFIX.match(word):
            front.append(prefix[0])
            word = word[prefix.end() :]
        elif suffix := _SUFFIX.search(word):
            back.append(suffix[0])
            word = word[: suffix.start()]
        else:
            break
    if halves := _CONTRACTION[style].fullmatch(word):
        front += (half for half in halves.groups() if half)
    elif style == "bea" and not _WHOLE.fullmatch(word):
        done = 0
        for infix in _INFIX.finditer(word):
            front += (word[done : infix.start()], infix[0])
            done = infix.end()
        front.append(word[done:])
    else:
        front.append(word)
    return [part for part in (*front, *reversed(back)) if part]
