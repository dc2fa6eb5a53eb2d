"""A text and its correction, and files of them in S/T blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class EditPair(NamedTuple):
    """A source text and its target."""

    source: str
    target: str


def read_pairs(lines: Iterable[str]) -> Iterator[EditPair]:
    r"""Read blocks of `S<TAB>source` and `T<TAB>target` lines, a blank line between blocks.

    A block with several targets gives one pair for each.

    Raises:
        FormatError: A line is malformed; the message has its number.
    """
    source: str | None = None
    targets = 0
    number = 0
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        tag, tab, content = line.partition("\t")
        if not line:
            _check_block(source, targets, number)
            source = None
        elif tag == "S" and tab and source is None:
            source, targets = content, 0
        elif tag == "T" and tab and source is not None:
            targets += 1
            yield EditPair(source, content)
        else:
            raise FormatError(
                f"line {number}: expected S<TAB>source, T<TAB>target after it, or a blank line "
                f"between blocks, found {line[:60]!r}"
            )
    _check_block(source, targets, number)


def _check_block(source: str | None, targets: int, number: int) -> None:
    if source is not None and not targets:
        raise FormatError(f"the block that ends at line {number} has a source but no T line")


def format_pairs(pairs: Iterable[EditPair]) -> Iterator[str]:
    """Write pairs as S/T blocks, one string for each block.

    Raises:
        FormatError: A text contains a line break.
    """
    for pair in pairs:
        for text in pair:
            if "\n" in text or "\r" in text:
                raise FormatError(
                    f"a text in S/T blocks must be one line, but this one has more: {text[:60]!r}"
                )
        yield f"S\t{pair.source}\nT\t{pair.target}\n\n"
