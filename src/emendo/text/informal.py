"""Intended informal text: emoji, emoticons, chat abbreviations, greetings and sign-offs.

A network trained on sentences treats these as mistakes. Every pattern starts at a recognisable
place, and reads each character once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.text.segmentation import Span

_EMOJI = re.compile(
    # Pictures and their joiners, skin tones, variants and tags; flags; keycaps.
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
    "[\u200d\ufe0e\ufe0f\u20e3\u2640\u2642\U0001f000-\U0001faff\U000e0020-\U000e007f]*"
    "|[0-9#*]\ufe0f?\u20e3"
)
_EMOTICON = re.compile(
    # Eyes, perhaps a nose, a mouth; the same lying on the other side; hearts.
    r"(?<![\w:;])(?:[:;=][-'^o]?[)(\]\[DPpOo3/\\|*]|[xX]D|[)(\]\[][-']?[:;=]|<3+|</3|\^_{0,3}\^|-_+-"
    r"|[oO]_[oO]|T_T|¯\\_\(ツ\)_/¯)(?![\w])"
)
# Not "u" and "r", which are as often typing mistakes.
_CHAT_WORDS = """
    afaict afaik afk asap atm bbl bc bff brb btw cba cuz cya dm dms eta ffs fomo ftw fwiw fyi
    gg gr8 gtg hbu hmu icymi idc idgaf idk iirc ikr ily imho imo irl iykyk jk k kk l8r lgtm
    lmao lmfao lmk lol luv mfw msg nbd ngl nm np nsfw nvm obv ofc omfg omg omw oof ootd op pls
    plz pov ppl prob probs rly rn rofl rotfl rsvp rt sec smh srsly sry tbf tbh tbt tfw tgif
    thx tldr tmi tmr tmrw tnx ttyl tx ty tysm wbu wdym wfh wtf wtg wth wyd xoxo ygm yolo yw
"""
_CHAT = frozenset(_CHAT_WORDS.split())
_WORD = re.compile(r"(?<![\w'’-])[A-Za-z][A-Za-z0-9]{0,5}(?![\w'’-])")
_LINE = re.compile(r"[^\r\n]+")
_GREETING = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening))\b[^,.!?;:]{0,60},"
)
_SIGN_OFF = re.compile(
    r"(?:(?:with )?(?:my |our )?(?:(?:very |all )?(?:best|kind|kindest|warm|warmest|many|fond) )?"
    r"(?:wishes|regards|thanks)|(?:all )?(?:the |my )?(?:very )?best|(?:lots of |much )?love"
    r"|yours(?: (?:sincerely|faithfully|truly|ever))?|cheers|ciao"
    r"|(?:very )?(?:sincerely|respectfully|truly|cordially)(?: yours)?|take care|thank you"
    r"|see you(?: soon| then| later)?|talk soon|xx?x?),?"
)
_SHORT = 80


def informal_spans(text: str) -> Iterator[Span]:
    """Yield the spans of informal text, which are not changed."""
    for pattern in (_EMOJI, _EMOTICON):
        yield from (match.span() for match in pattern.finditer(text))
    for match in _WORD.finditer(text):
        if match.group().lower() in _CHAT and (match.group().islower() or match.group().isupper()):
            yield match.span()
    for match in _LINE.finditer(text):
        yield from _opening_or_close(match.group(), match.start())


def _opening_or_close(line: str, start: int) -> Iterator[Span]:
    """Yield the final comma of a greeting on its own line, or a whole sign-off."""
    words = line.strip()
    if not words or len(words) > _SHORT:
        return
    first = start + line.index(words[0])
    if _GREETING.fullmatch(words.lower()):
        yield first + len(words) - 1, first + len(words)
    elif _SIGN_OFF.fullmatch(words.lower()):
        yield first, first + len(words)
