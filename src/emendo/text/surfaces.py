"""The text of a vocabulary entry: the bytes that ADD writes.

The three families of tokenizers mark words and bytes in different ways; only this file handles the
differences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tokenizers import decoders

from emendo.errors import TokenizerError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Surface(Protocol):
    """Turns the spelling of a vocabulary entry into its text, as UTF-8."""

    def __call__(self, spelling: str) -> bytes:
        """Return the bytes of an entry, with a leading space where it starts a word."""
        ...


def _byte_alphabet() -> dict[str, int]:
    """Return the byte for each character that byte-level tokenizers spell bytes with.

    Printable Latin-1 characters stand for themselves, the other bytes for the characters from
    U+0100 on, in order.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + i): byte for i, byte in enumerate(rest)
    }


_BYTES = _byte_alphabet()


def byte_level(spelling: str) -> bytes:
    """Read an entry of a byte-level vocabulary (RoBERTa, GPT-2)."""
    try:
        return bytes(_BYTES[char] for char in spelling)
    except KeyError:
        # An entry that no byte sequence reaches, such as an added word.
        return spelling.encode()


def metaspace(spelling: str) -> bytes:
    """Read an entry of a SentencePiece vocabulary (XLM-R), where ▁ is a space."""
    return spelling.replace("▁", " ").encode()


def wordpiece(spelling: str) -> bytes:
    """Read an entry of a WordPiece vocabulary (BERT), where ## continues a word."""
    return spelling[2:].encode() if spelling.startswith("##") else b" " + spelling.encode()


def surface_of(tokenizer: Tokenizer) -> Surface:
    """Choose how to read the vocabulary of a tokenizer.

    Raises:
        TokenizerError: The tokenizer belongs to none of the three families.
    """
    match tokenizer.decoder:
        case decoders.ByteLevel():
            return byte_level
        case decoders.Metaspace():
            return metaspace
        case decoders.WordPiece():
            return wordpiece
        case other:
            raise TokenizerError(
                "emendo reads byte-level BPE (RoBERTa), SentencePiece (XLM-R) and WordPiece (BERT) "
                f"tokenizers; this one decodes with {type(other).__name__}. "
                "Use an encoder whose tokenizer.json is of one of these kinds."
            )
