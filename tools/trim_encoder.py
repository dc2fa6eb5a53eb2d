"""Trims an encoder's vocabulary to the pieces that some text uses.

    python tools/trim_encoder.py ENCODER OUTPUT SOURCE... --pieces 40000

ENCODER is a folder with config.json, model.safetensors and tokenizer.json; OUTPUT gets the same
with about this many pieces: every single character, and the most frequent others. A SOURCE is a
text file or a folder of them (plain text, pairs or inline corpora: words are counted, not
sentences). All sources count equally, whatever their length, so that the words of a long textbook
do not displace those of everyday letters. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer
from transformers import AutoModel

from emendo.text.trimming import count_pieces, pieces_to_keep, trim_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

# A multiple that suits matrix units; the extra rows are never read or written.
ROUND = 64


def lines_of(source: Path) -> Iterator[str]:
    paths = sorted(source.rglob("*.txt")) if source.is_dir() else [source]
    for path in paths:
        with path.open(encoding="utf-8") as file:
            yield from file


def per_million(counts: list[int]) -> list[float]:
    total = sum(counts)
    return [1e6 * count / total for count in counts]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("encoder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("source", type=Path, nargs="+")
    parser.add_argument("--pieces", type=int, default=40_000)
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.encoder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    counted = [count_pieces(tokenizer, lines_of(source)) for source in options.source]
    shares = [sum(shares) for shares in zip(*map(per_million, counted), strict=True)]
    kept = pieces_to_keep(tokenizer, shares, options.pieces)
    trimmed, old_ids = trim_tokenizer(tokenizer, kept)

    model = AutoModel.from_pretrained(options.encoder, dtype=torch.float32)
    table = model.get_input_embeddings().weight.detach()
    # One more row, for the separator of equal neighbours, which starts as the average word.
    rows = -(-(len(old_ids) + 1) // ROUND) * ROUND
    small = torch.nn.Embedding(rows, table.shape[1], padding_idx=model.config.pad_token_id)
    with torch.no_grad():
        small.weight[:] = table[old_ids].mean(dim=0)
        small.weight[: len(old_ids)] = table[old_ids]
    model.set_input_embeddings(small)
    model.config.vocab_size = rows
    model.save_pretrained(options.output)
    trimmed.save(str(options.output / "tokenizer.json"))
    stayed = {
        source.name: round(100 * sum(counts[i] for i in kept) / sum(counts), 2)
        for source, counts in zip(options.source, counted, strict=True)
    }
    print(
        json.dumps(
            {
                "pieces": len(old_ids),
                "rows": rows,
                "rows_before": len(table),
                "tokens_read": sum(map(sum, counted)),
                "tokens_whole_pct": stayed,
            }
        )
    )


if __name__ == "__main__":
    main()
