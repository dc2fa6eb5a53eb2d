"""Trims the vocabulary of an encoder that has more languages or words than are needed.

Only Unigram tokenizers can be trimmed (SentencePiece, as in DeBERTa-v3, XLM-R and T5). They split a
text in the likeliest way, so a text whose pieces are all kept is split as before.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from emendo.errors import TokenizerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_START = "▁"


def count_pieces(tokenizer: Tokenizer, texts: Iterable[str], *, batch: int = 1000) -> list[int]:
    """Return how often each piece of the vocabulary occurs in texts."""
    counts = [0] * tokenizer.get_vocab_size(with_added_tokens=True)
    waiting: list[str] = []

    def read() -> None:
        for encoding in tokenizer.encode_batch_fast(waiting, add_special_tokens=False):
            for piece in encoding.ids:
                counts[piece] += 1
        waiting.clear()

    for text in texts:
        waiting.append(text)
        if len(waiting) == batch:
            read()
    read()
    return counts


def pieces_to_keep(tokenizer: Tokenizer, counts: Sequence[float], size: int) -> list[int]:
    """Choose about `size` pieces: control tokens, single characters, and the most frequent ones.

    Single characters, with or without the mark of a word's start, are always kept: without them,
    text that contains them could not be read.
    """
    pieces = _model(tokenizer)["vocab"]
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    kept = {i for i, (piece, _) in enumerate(pieces) if len(piece.removeprefix(_START)) <= 1}
    kept |= {i for i in special if i < len(pieces)}
    rest = sorted(
        (i for i in range(len(pieces)) if i not in kept and counts[i]),
        key=lambda i: (-counts[i], i),
    )
    kept.update(rest[: max(0, size - len(kept))])
    return sorted(kept)


def trim_tokenizer(tokenizer: Tokenizer, kept: list[int]) -> tuple[Tokenizer, list[int]]:
    """Return a tokenizer with the pieces `kept`, and for each of its ids the old id.

    Control tokens after the pieces, like DeBERTa's [MASK], stay there.
    """
    description = json.loads(tokenizer.to_str())
    model = description["model"]
    size = len(model["vocab"])
    behind = sorted(entry["id"] for entry in description["added_tokens"] if entry["id"] >= size)
    old_ids = [*kept, *behind]
    new_id = {old: new for new, old in enumerate(old_ids)}
    missing = [e["content"] for e in description["added_tokens"] if e["id"] not in new_id]
    if missing or model["unk_id"] not in new_id:
        raise TokenizerError(f"control tokens cannot be trimmed away: {missing or 'unknown'}")
    model["vocab"] = [model["vocab"][old] for old in kept]
    model["unk_id"] = new_id[model["unk_id"]]
    for entry in description["added_tokens"]:
        entry["id"] = new_id[entry["id"]]
    for entry in (description["post_processor"] or {}).get("special_tokens", {}).values():
        entry["ids"] = [new_id[old] for old in entry["ids"]]
    description["truncation"] = description["padding"] = None
    return Tokenizer.from_str(json.dumps(description)), old_ids


def _model(tokenizer: Tokenizer) -> dict[str, Any]:
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    if model["type"] != "Unigram":
        raise TokenizerError(
            f"a {model['type']} vocabulary cannot be trimmed; emendo trims Unigram ones, as "
            "DeBERTa-v3 and XLM-R have"
        )
    return model
