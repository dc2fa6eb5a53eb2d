"""Text to tokens and labels, without losing a character.

Each token has a span of the text; the spans tile it, so that KEEP can copy characters instead
of a token's spelling. docs/explanation/lossless-text.md has the rules and the reasons.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from emendo.errors import TokenizerError
from emendo.labels import NO_LABEL
from emendo.text.surfaces import byte_level, surface_of
from emendo.text.surrogates import SURROGATE
from emendo.text.tiling import tile
from emendo.text.tokens import SourceTokens, TargetTokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Encoding

_NAMES = {
    "pad": ("<pad>", "[PAD]"),
    "mask": ("<mask>", "[MASK]"),
    "unk": ("<unk>", "[UNK]"),
}
# Names of padding entries of vocabularies, which are never read from text.
_UNUSED = ("madeupword{:04d}", "[unused{}]")


@dataclass(frozen=True)
class _Reading:
    """The tokens of one view before edges and separators."""

    ids: list[int]
    ends: list[int]
    joined: list[bool]
    data: bytes


class TextTokenizer:
    """A `tokenizers.Tokenizer` that preserves every character of the text.

    It changes the tokenizer: truncation and padding are switched off, and control tokens in
    a user's own text are read as text.
    """

    def __init__(self, tokenizer: Tokenizer, *, rep_id: int | None = None) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self._surface = surface_of(tokenizer)
        self._surfaces: dict[int, bytes | None] = {}
        self._special = frozenset(
            i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special
        )
        edges = tokenizer.encode("").ids
        if len(edges) != 2:
            raise TokenizerError(
                f"the tokenizer puts {len(edges)} control tokens around a text, but emendo needs "
                "one at each end (<s> and </s>, or [CLS] and [SEP])"
            )
        self.bos_id, self.eos_id = edges
        self.pad_id = self._named("pad")
        self.mask_id = self._named("mask")
        unk = (tokenizer.token_to_id(name) for name in _NAMES["unk"])
        self._unk_id = next((i for i in unk if i is not None), None)
        # Some files do not mark their control tokens.
        self._special |= {self.bos_id, self.eos_id, self.pad_id, self.mask_id}
        if self._unk_id is not None:
            self._special |= {self._unk_id}
        unused = self._unused_ids()
        # Not the number of entries: ids may have holes.
        rows = max(tokenizer.get_vocab(with_added_tokens=True).values()) + 1
        self.rep_id = rep_id if rep_id is not None else (unused[0] if unused else rows)
        self.vocab_size = max(rows, self.rep_id + 1)
        """Rows that the network's embeddings must have: the vocabulary and `<rep>`."""
        self.forbidden_ids = tuple(sorted((self._special | set(unused)) - {self.rep_id}))
        """Entries that ADD may not write: control tokens and padding of the vocabulary."""

    @classmethod
    def from_file(cls, path: Path | str, *, rep_id: int | None = None) -> TextTokenizer:
        """Read a `tokenizer.json`.

        Raises:
            TokenizerError: The file is missing, or emendo cannot read the tokenizer.
        """
        try:
            tokenizer = Tokenizer.from_file(str(path))
        # The binding raises a bare Exception both for a missing and for a broken file.
        except Exception as error:
            raise TokenizerError(
                f"cannot read {path}: {error}; give the path of a tokenizer.json"
            ) from error
        return cls(tokenizer, rep_id=rep_id)

    @classmethod
    def from_pretrained(cls, name: Path | str, *, rep_id: int | None = None) -> TextTokenizer:
        """Read the tokenizer of an encoder, by its model name or its folder.

        Raises:
            TokenizerError: There is none, or none that emendo can read.
        """
        if (folder := Path(name)).is_dir():
            return cls.from_file(folder / "tokenizer.json", rep_id=rep_id)
        try:
            tokenizer = Tokenizer.from_pretrained(str(name))
        # The binding raises a bare Exception for all errors with the hub.
        except Exception as error:
            raise TokenizerError(
                f"{name} is not a folder, and no model of that name could be fetched: {error}"
            ) from error
        return cls(tokenizer, rep_id=rep_id)

    def save(self, path: Path | str) -> None:
        """Write a `tokenizer.json`, to be read again with the same `rep_id`."""
        self._tokenizer.save(str(path))

    def _named(self, name: str) -> int:
        for spelling in _NAMES[name]:
            if (found := self._tokenizer.token_to_id(spelling)) is not None:
                return int(found)
        raise TokenizerError(f"the tokenizer has no {name} token ({' or '.join(_NAMES[name])})")

    def _unused_ids(self) -> list[int]:
        """Return the entries that the vocabulary was padded with and that no text gives."""
        # Added tokens are found in text even if the model itself would never make them.
        added = self._tokenizer.get_added_tokens_decoder()
        found: list[int] = []
        for pattern in _UNUSED:
            for number in range(1000):
                token = self._tokenizer.token_to_id(pattern.format(number))
                if token is None and number:
                    break
                if token is not None and token not in added:
                    found.append(int(token))
        return found

    @cached_property
    def is_cased(self) -> bool:
        """Whether the tokenizer distinguishes "A" and "a", which training requires."""
        upper, lower = (self._tokenizer.encode(x, add_special_tokens=False).ids for x in "Aa")
        return bool(upper != lower)

    @cached_property
    def fingerprint(self) -> str:
        """A hash that differs between tokenizers that read or number a text differently."""
        content = f"{self.rep_id} {self._tokenizer.to_str()}"
        return sha256(content.encode()).hexdigest()

    def surface(self, token_id: int) -> bytes | None:
        """Return what ADD writes for a token, as UTF-8; None for control tokens."""
        if token_id not in self._surfaces:
            spelling = self._tokenizer.id_to_token(token_id)
            if token_id == self.rep_id:
                self._surfaces[token_id] = b""
            elif token_id in self._special or spelling is None:
                self._surfaces[token_id] = None
            else:
                self._surfaces[token_id] = self._surface(spelling)
        return self._surfaces[token_id]

    def encode(self, text: str) -> SourceTokens:
        """Read one source text."""
        return self.encode_many((text,))[0]

    def encode_many(self, texts: Sequence[str]) -> list[SourceTokens]:
        """Read source texts, in parallel where the tokenizer can."""
        views = [_view(text) for text in texts]
        return [
            self._source(text, view, reading)
            for text, view, reading in zip(texts, views, self._read_many(views), strict=True)
        ]

    def encode_target(self, text: str, source: SourceTokens) -> TargetTokens:
        """Read a target text as labels: KEEP and ADD must be able to write each of them."""
        return self.encode_targets((text,), (source,))[0]

    def encode_targets(
        self, texts: Sequence[str], sources: Sequence[SourceTokens]
    ) -> list[TargetTokens]:
        """Read target texts, each with its source."""
        readings = self._read_many([_view(text) for text in texts])
        return [self._target(*both) for both in zip(readings, sources, strict=True)]

    def _target(self, reading: _Reading, source: SourceTokens) -> TargetTokens:
        labels: list[int] = []
        unmakeable = 0
        for token, key in zip(reading.ids, self._spellings(reading), strict=True):
            label = token if key is None else source.spellings.get(key)
            if label is None:
                unmakeable += 1
                label = token
            if labels and labels[-1] == label:
                labels.append(self.rep_id)
            labels.append(label)
        return TargetTokens(np.array(labels, dtype=np.int64), unmakeable)

    def _source(self, text: str, view: str, reading: _Reading) -> SourceTokens:
        """Add edges and separators to a reading, and number its units."""
        ids, keep_ids, spans, unit = [self.bos_id], [NO_LABEL], [(0, 0)], [-1]
        unit_spans: list[tuple[int, int]] = []
        spellings: dict[tuple[int, bytes, int], int] = {}
        start = 0
        for token, end, joined, key in zip(
            reading.ids, reading.ends, reading.joined, self._spellings(reading), strict=True
        ):
            if key is None:
                keep_id = token
            else:
                keep_id = spellings.setdefault(key, self.vocab_size + len(spellings))
            if keep_ids[-1] == keep_id:
                ids.append(self.rep_id)
                keep_ids.append(self.rep_id)
                spans.append((start, start))
                unit.append(-1)
            if joined:
                unit_spans[-1] = (unit_spans[-1][0], end)
            else:
                unit_spans.append((start, end))
            ids.append(token)
            keep_ids.append(keep_id)
            spans.append((start, end))
            unit.append(len(unit_spans) - 1)
            start = end
        for values, value in ((ids, self.eos_id), (keep_ids, NO_LABEL), (unit, -1)):
            values.append(value)
        spans.append((start, start))
        # Byte positions to code points: count the bytes that start a character.
        starts = (np.frombuffer(reading.data, np.uint8) & 0xC0) != 0x80
        characters = np.concatenate(([0], np.cumsum(starts)))
        units = np.array(unit, dtype=np.int64)
        return SourceTokens(
            text=text,
            view=view,
            lead=len(text) - len(text.lstrip()),
            ids=np.array(ids, dtype=np.int64),
            keep_ids=np.array(keep_ids, dtype=np.int64),
            spans=np.array(spans, dtype=np.int64),
            unit=units,
            unit_spans=characters[np.array(unit_spans, dtype=np.int64).reshape(-1, 2)],
            unit_sizes=np.bincount(units[units >= 0], minlength=len(unit_spans)),
            spellings=spellings,
        )

    def _spellings(self, reading: _Reading) -> list[tuple[int, bytes, int] | None]:
        """Return, for each token, None if ADD writes the same characters, else its key."""
        keys: list[tuple[int, bytes, int] | None] = []
        start = unit_start = place = 0
        for k, (token, end) in enumerate(zip(reading.ids, reading.ends, strict=True)):
            if not reading.joined[k]:
                unit_start, place = start, 0
            if self.surface(token) == reading.data[start:end] and start < end:
                keys.append(None)
            else:
                stop = k + 1
                while stop < len(reading.ids) and reading.joined[stop]:
                    stop += 1
                keys.append((token, reading.data[unit_start : reading.ends[stop - 1]], place))
            place += 1
            start = end
        return keys

    def _read_many(self, views: Sequence[str]) -> list[_Reading]:
        if self._surface is byte_level:
            inputs, shift = list(views), 0
        else:
            # These families put the space before the first word themselves.
            inputs, shift = [view[1:] for view in views], 1
        encodings = self._tokenizer.encode_batch(inputs, add_special_tokens=False)
        return [
            self._read(view, encoding, shift)
            for view, encoding in zip(views, encodings, strict=True)
        ]

    def _read(self, view: str, encoding: Encoding, shift: int) -> _Reading:
        data = view.encode()
        ids = [self._as_text(token) for token in encoding.ids]
        surfaces = [self.surface(token) for token in ids]
        if b"".join(surface or b"" for surface in surfaces) == data and None not in surfaces:
            exact = list(itertools.accumulate(len(surface or b"") for surface in surfaces))
            # A token that starts with a continuation byte shares a character with the last.
            joined = [start > 0 and data[start] & 0xC0 == 0x80 for start in (0, *exact[:-1])]
            return _Reading(ids, exact, joined[: len(ids)], data)
        offsets = [(start + shift, end + shift) for start, end in encoding.offsets]
        ends, joined = tile(view, offsets, surfaces)
        codes = np.frombuffer(view.encode("utf-32-le"), np.uint32)
        sizes = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF).astype(np.int64)
        bytes_before = np.concatenate(([0], np.cumsum(sizes)))
        return _Reading(ids, bytes_before[ends].tolist(), joined, data)

    def _as_text(self, token: int) -> int:
        """Return the unknown token for a control token in the user's own text.

        SentencePiece vocabularies list "<s>" as a piece, so it is found there even when control
        tokens are read as text.
        """
        if token not in self._special or token == self._unk_id:
            return token
        if self._unk_id is None:
            raise TokenizerError(
                f"the text has the control token {self._tokenizer.id_to_token(token)!r}, but "
                "the tokenizer has no unknown token to read it as"
            )
        return self._unk_id


def _view(text: str) -> str:
    core = SURROGATE.sub("\ufffd", text).strip()
    return " " + core if core else ""
