"""Protected spans: addresses, paths, code, quantities, placeholders, emoji, own words.

Every pattern starts at a recognisable place and backtracks a bounded distance, so that the time
grows linearly with the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from emendo.text.informal import informal_spans
from emendo.text.markdown import scan_markdown
from emendo.text.own_words import own_word_spans
from emendo.text.surrogates import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from emendo.text.edits import Edit, EditedText
    from emendo.text.segmentation import Span

_EXTENSIONS = (
    "txt|md|rst|adoc|tex|csv|tsv|json|jsonl|yaml|yml|toml|ini|cfg|conf|xml|html|htm|css|scss|js|jsx|mjs|ts|"
    "tsx|py|pyi|ipynb|rb|rs|go|java|kt|c|h|cc|cpp|hpp|cs|swift|php|pl|sh|bash|zsh|bat|ps1|sql|lua|log|lock|"
    "pdf|doc|docx|xls|xlsx|ppt|pptx|odt|ods|png|jpg|jpeg|gif|svg|webp|ico|bmp|tiff|mp3|mp4|wav|ogg|avi|mkv|"
    "mov|zip|tar|gz|xz|bz2|7z|rar|exe|dll|deb|rpm|apk|iso|bin|dat|db|onnx|whl|env|proto"
)
_DOMAINS = (
    "com|org|net|edu|gov|mil|info|biz|io|dev|app|ai|eu|de|ru|uk|fr|ch|nl|pl|ua|jp|cn|br|ca|au"
)
# Inside a word between spaces with a character that plain words do not have.
_WORD_WITH_MARK = re.compile(r"\S+")
_MARK = re.compile(r"[@#/\\%&.:]")
_SENTENCE_MARKS = ".,;:!?)\"'”’"
_ADDRESSES = tuple(
    re.compile(pattern)
    for pattern in (
        # Addresses with a scheme, and those that begin with www.
        r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.\-]{1,30}://|(?:mailto|doi|urn):|www\.)"
        r"[^\s<>\"«»“”„]+",
        # E-mail, names with an @ before them, tags.
        r"(?<![\w.+\-])[\w.+%\-]{1,64}@[\w\-]+(?:\.[\w\-]+)+",
        r"@(?<![\w@.]@)\w[\w\-]*(?:[./@][\w\-]+)*",
        r"#(?<![\w&#]#)\w+(?:-\w+)*",
        # Files, and domains with or without a path.
        rf"(?<![\w./\\@\-+])[\w\-]+(?:\.[\w\-]+)*\.(?i:{_EXTENSIONS})(?![\w\-])",
        rf"(?<![\w./\\@\-+])[\w\-]+(?:\.[\w\-]+)*\.(?:{_DOMAINS})(?![\w\-])(?:[/?#][^\s<>\"«»“”„]*)?",
        # Paths: from a root, from home, from here, from a drive or a server.
        r"(?<![\w.:/\\<~])(?:~|\.{1,2})?(?:/[\w.@+~%\-]+)+/?",
        r"(?<!\w)[A-Za-z]:[\\/][^\s\"<>|?*]*",
        r"\\(?<!\\\\)\\[\w.$\-]+\\[^\s\"<>|?*]*",
    )
)
# A relative path: only if a dot or an underscore distinguishes it from "and/or".
_RELATIVE_PATH = re.compile(r"(?<![\w./\\@+\-])[\w.@+\-]+(?:/[\w.@+~\-]+)+/?")
_CODES = re.compile(
    r"%(?:(?:\(\w+\))?(?:\d{1,2}\$)?[-+#0]{0,3}\d{0,4}(?:\.\d{1,4})?(?:hh?|ll?|[Lqjzt])?"
    r"[diouxXeEfFgGcrsa](?!\w)|%|\w+%|@)"
    r"|\\[A-Za-z]+"
    r"|&(?:\w{1,31}|#\d{1,7}|#x[\da-fA-F]{1,6});"
)
# Placeholders of templates and shells, and tags: these may contain spaces.
_PLACEHOLDERS = re.compile(
    r"\{(?<!\{\{)\{*[^{}\r\n]*\}+"
    r"|\$(?:\{[^{}\r\n]*\}|\([^()\r\n]*\)|[A-Za-z_]\w*)"
    r"|</?[A-Za-z][^<>\r\n]*>"
)
_FUNCTION = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\(\)")
# Code between backticks, but not `quotes' or apostrophes (don`t).
_CODE = re.compile(r"(?<!\w)`[^`'\r\n]+`(?!\w)")
# An ellipsis as printed in books, which to a network looks like too many full stops.
_SPACED_ELLIPSIS = re.compile(r"\.(?:[ \u00a0]\.){2,}")
_TRAILING = frozenset(".,;:!?'’\"*_~…")
_BRACKETS = {")": "(", "]": "["}

_UNITS = """
    km/h m/s mph kph fps rpm dpi ppi kbit/s Mbit/s Gbit/s kB/s MB/s GB/s kbps Mbps Gbps bps km² m²
    cm² mm² m³ cm³ km2 m2 m3 km hm dm cm mm µm μm nm m mi ft yd ha kg mg µg μg g lb lbs oz t ml mL
    cl dl l L ms µs μs ns s sec min h hr hrs am pm a.m. p.m. Hz kHz MHz GHz THz mV kV V mA kA mW kW
    MW GW W kWh MWh Wh J kJ MJ cal kcal N kN Pa kPa hPa MPa psi dB mol mmol ppm ppb bit kbit Mbit
    Gbit B kB KB MB GB TB PB KiB MiB GiB TiB px pt em rem K °C °F ° % ‰ € $ £ ¥ ₽ ₴ EUR USD GBP CHF
    JPY RUB UAH CNY PLN км/ч км м см мм мкм кг г мг т л мл ч мин с сек мс Гц кГц МГц ГГц В кВ Вт кВт
    кВтч А КБ МБ ГБ ТБ руб. руб
"""
_UNIT_NAMES = "|".join(
    re.escape(unit) + (r"(?!\w)" if unit[-1].isalnum() else "")
    for unit in sorted(_UNITS.split(), key=len, reverse=True)
)
_UNIT = re.compile(f"[ \u00a0\u202f\u2009]?(?:{_UNIT_NAMES})")
_NUMBER = re.compile(r"\d+(?:[.,:/\-–−’'×]\d+)*")
_BEFORE_NUMBER = re.compile(
    r"(?:(?P<currency>[A-Z]{0,3}[$€£¥₹₽₴][ \u00a0]?)?[+\-−±]?|(?P<v>[vV]))\Z"
)
_SCALE = re.compile("[ \u00a0]?(?:[kKmM]|bn|mn|million|billion|Mio\\.?|Mrd\\.?|млн|млрд)(?!\\w)")
_VERSION = re.compile(
    r"(?:[-.+]?(?:alpha|beta|dev|post|pre|rc|a|b|x)[.\-]?\d*)+(?!\w)|\.[x*](?!\w)"
)


def protected_spans(
    text: str,
    *,
    markdown: bool = False,
    words: Collection[str] = (),
    spans: Iterable[Span] = (),
) -> list[Span]:
    """Return the spans of a document that no edit may touch.

    Args:
        text: The document.
        markdown: Whether it is Markdown: code, link targets and marks are protected too.
        words: The user's own, protected as whole words, spelt as given.
        spans: Others that are protected.

    Returns:
        Sorted spans that do not touch each other.
    """
    found = [*spans, *(match.span() for match in SURROGATE.finditer(text))]
    patterns = (_PLACEHOLDERS, _SPACED_ELLIPSIS, _FUNCTION)
    # Markdown has rules of its own for code.
    for pattern in patterns if markdown else (*patterns, _CODE):
        found += (match.span() for match in pattern.finditer(text))
    found += _addresses(text)
    found += _quantities(text)
    found += informal_spans(text)
    if words:
        found += own_word_spans(text, words)
    if markdown:
        blocks, inside = scan_markdown(text)
        found += blocks
        found += inside
    return _merged(found)


def _addresses(text: str) -> Iterator[Span]:
    """Yield protected spans without spaces: addresses, names, paths, codes."""
    for word in _WORD_WITH_MARK.finditer(text):
        # Most words are letters and perhaps a comma.
        if word.group().isalpha() or not _MARK.search(word.group().rstrip(_SENTENCE_MARKS)):
            continue
        for pattern in _ADDRESSES:
            for match in pattern.finditer(text, *word.span()):
                yield _trimmed(text, *match.span())
        for match in _RELATIVE_PATH.finditer(text, *word.span()):
            start, end = _trimmed(text, *match.span())
            if "." in text[start:end] or "_" in text[start:end] or text[end - 1] == "/":
                yield start, end
        for match in _CODES.finditer(text, *word.span()):
            yield match.span()


def _trimmed(text: str, start: int, end: int) -> Span:
    """Remove the sentence's own punctuation from the end of an address."""
    surplus = {
        close: text.count(close, start, end) - text.count(opening, start, end)
        for close, opening in _BRACKETS.items()
    }
    while end - start > 1:
        last = text[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return start, end


def _quantities(text: str) -> Iterator[Span]:
    """Yield numbers with a unit or a currency, and numbers made of parts: dates, versions."""
    done = 0
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        # A version's tail has numbers, too, and each would search for its own tail.
        if start < done:
            continue
        before = _BEFORE_NUMBER.search(text, max(0, start - 5), start)
        assert before is not None
        is_money, is_version = bool(before["currency"]), bool(before["v"])
        start = before.start()
        has_parts = not match.group().isdigit()
        if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            if start == match.start() or is_version or not has_parts:
                continue
            # The sign belongs to the word: UTC+05:30, python-3.11.2.
            start, is_money = match.start(), False
        # "2.x" is a version, "5 b" is nothing.
        if is_money or has_parts or text.startswith(".x", end):
            tail = (_SCALE if is_money else _VERSION).match(text, end)
            end = tail.end() if tail else end
        unit = _UNIT.match(text, end)
        # "1990s" is a decade.
        if unit is not None and not (unit.group() == "s" and len(match.group()) > 3):
            end = unit.end()
        if has_parts or is_money or is_version or end > match.end():
            yield start, end
            done = end


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def drop_protected(edited: EditedText, spans: Sequence[Span]) -> EditedText:
    """Drop the edits that touch protected text.

    A replacement touches a span if they share a character, an insertion if it is strictly
    inside. At the border both are allowed, unless they would join a letter or a digit to one
    of the span's.

    Args:
        edited: A text and its edits.
        spans: From `protected_spans`, for the same text.

    Returns:
        The text with the other edits.
    """
    if not spans or not edited.edits:
        return edited
    starts = [start for start, _ in spans]
    return edited.only(
        edit for edit in edited.edits if not _touches(edited.source, edit, spans, starts)
    )


def _touches(source: str, edit: Edit, spans: Sequence[Span], starts: Sequence[int]) -> bool:
    # Only the spans around the edit matter: the last that starts before its end, and the next.
    k = bisect_left(starts, edit.end)
    if k > 0:
        _, end = spans[k - 1]
        if end > edit.start:
            return True
        if end == edit.start and _glues(source[end - 1], _first(source, edit)):
            return True
    if k < len(spans) and starts[k] == edit.end:
        return _glues(source[edit.end], _last(source, edit))
    return False


def _first(source: str, edit: Edit) -> str:
    """Return the new character at the start of the edit."""
    return edit.replacement[:1] or source[edit.end : edit.end + 1]


def _last(source: str, edit: Edit) -> str:
    """Return the new character before the end of the edit."""
    return edit.replacement[-1:] or source[max(0, edit.start - 1) : edit.start]


def _glues(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum()
