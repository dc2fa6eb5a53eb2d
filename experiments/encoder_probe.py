"""How well a pretrained encoder detects errors: wrong words found after a short fine-tuning.

    python experiments/encoder_probe.py ENCODER --language de|ru --data ARCHIVES [--tokens 50000]

ENCODER is a folder with a checkpoint and tokenizer.json. ARCHIVES is the folder into which
sharealike-pairs (de) or permissive-pairs (ru) was unpacked. The encoder and one linear head learn
which words an edit touches, from the first token of each word. An insertion marks the word after
it, or the last one. All weights are trained, in single precision and with one thread.

- German: Falko-MERLIN's train split, judged on 870 sentences of its dev split.
- Russian: ReLCo, in lower case. Every eighth corrected text is held out, and no sentence that
  shares half of its words with one of these is trained on.

Prints one JSON object on its last line: `chance` is the share of wrong words, `tokens_per_second`
counts seconds of CPU time in training.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits

sys.path.append(str(Path(__file__).parents[1] / "models"))

from emendo.modeling.encoder import load_encoder
from preparation import EVERY, relco_sentences
from recipe_data import at_equal_distances

if TYPE_CHECKING:
    from emendo.text.m2 import M2Sentence

# The words of a sentence, and whether each is wrong.
Marked = tuple[tuple[str, ...], list[bool]]

JUDGED, BATCH = 870, 32
ENCODER_RATE, HEAD_RATE = 5e-5, 1e-3


def marked(sentence: M2Sentence) -> Marked:
    wrong = [False] * len(sentence.tokens)
    for edit in sentence.edits:
        if edit.is_change:
            first = min(edit.start, len(wrong) - 1)
            for place in range(first, max(first + 1, edit.end)):
                wrong[place] = True
    return sentence.tokens, wrong


def read_tsv(path: Path) -> list[Marked]:
    """Read words with their types of error; a row without a word ends a sentence."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\t\t\n")
    rows = [[line.split("\t") for line in block.split("\n")] for block in blocks]
    return [(tuple(row[0] for row in each), [row[1] != "-" for row in each]) for each in rows]


def german(archives: Path) -> tuple[list[Marked], list[Marked]]:
    """Return sentences to train and to judge on."""
    train, dev = (read_tsv(archives / f"falko-merlin/fm-{name}.tsv") for name in ("train", "dev"))
    return train, [dev[k] for k in at_equal_distances(dev, JUDGED)]


def russian(archives: Path) -> tuple[list[Marked], list[Marked]]:
    """Return sentences to train and to judge on; each text of a learner is taken once."""
    total = 0
    found: dict[tuple[str, ...], M2Sentence] = {}
    for sentence in relco_sentences(archives):
        found.setdefault(sentence.tokens, sentence)
        total += 1
    held = set(list(dict.fromkeys(each.corrected() for each in found.values()))[::EVERY])
    judged = [each for each in found.values() if each.corrected() in held]
    bags = [set(each.tokens) for each in judged]
    train = [
        each
        for each in found.values()
        if not any(2 * len(bag & set(each.tokens)) >= len(bag | set(each.tokens)) for bag in bags)
    ]
    alike = len(found) - len(judged) - len(train)
    print(f"not trained or judged on: {total - len(found)} repeated, {alike} like judged ones")
    return [marked(each) for each in train], [marked(each) for each in judged]


def curve(scores: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return precision and recall at each threshold, from the highest."""
    order = np.argsort(-scores, kind="stable")
    scores, hits = scores[order], np.cumsum(wrong[order])
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    return hits[last] / (last + 1), hits[last] / hits[-1]


def average_precision(precision: np.ndarray, recall: np.ndarray) -> float:
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


class Probe(torch.nn.Module):
    """An encoder with one linear head."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.encoder = load_encoder(folder, self.tokenizer.get_vocab_size())
        self.tokenizer.enable_padding(pad_id=self.encoder.config.pad_token_id)
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(self, batch: list[Marked]) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Return a score and a label for each word, and the number of tokens."""
        read = self.tokenizer.encode_batch([words for words, _ in batch], is_pretokenized=True)
        ids = torch.tensor([each.ids for each in read])
        mask = torch.tensor([each.attention_mask for each in read])
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        # A word without a token, for example a soft hyphen, is read at the sentence's first token.
        firsts = [
            (row, (read[row].word_to_tokens(place) or (0,))[0])
            for row, (words, _) in enumerate(batch)
            for place in range(len(words))
        ]
        rows, columns = torch.tensor(firsts).T
        labels = torch.tensor([float(label) for _, wrong in batch for label in wrong])
        return self.head(states[rows, columns]).squeeze(-1), labels, int(mask.sum())


def train(probe: Probe, sentences: list[Marked], tokens: int) -> int:
    """Train until so many tokens were seen, and return their exact number."""
    encoder = {"params": probe.encoder.parameters(), "lr": ENCODER_RATE}
    optimizer = torch.optim.AdamW([encoder, {"params": probe.head.parameters(), "lr": HEAD_RATE}])
    probe.train()
    seen, rest = 0, []
    while seen < tokens:
        rest = rest or random.sample(sentences, len(sentences))
        batch, rest = rest[:BATCH], rest[BATCH:]
        scores, labels, count = probe(batch)
        loss = binary_cross_entropy_with_logits(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += count
        print(f"{seen:,} tokens, loss {loss.item():.3f}", flush=True)
    return seen


@torch.inference_mode()
def judge(probe: Probe, sentences: list[Marked]) -> dict[str, float]:
    """Return the figures on sentences, per cent."""
    probe.eval()
    batches = [sentences[k : k + BATCH] for k in range(0, len(sentences), BATCH)]
    results = [probe(batch)[:2] for batch in batches]
    scores, wrong = (torch.cat(part).numpy() for part in zip(*results, strict=True))
    precision, recall = curve(scores, wrong)
    f = 1.25 * precision * recall / np.maximum(0.25 * precision + recall, 1e-9)
    best = int(np.argmax(f))
    figures = {
        "average_precision": average_precision(precision, recall),
        "chance": wrong.mean(),
        "f0.5": f[best],
        "precision": precision[best],
        "recall": recall[best],
    }
    return {name: round(100 * float(value), 1) for name, value in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--language", choices=("de", "ru"), required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=50000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    sentences, judged = {"de": german, "ru": russian}[options.language](options.data)
    print(f"{len(sentences):,} sentences to train on, {len(judged):,} to judge on", flush=True)
    probe = Probe(options.encoder)
    began = time.process_time()
    seen = train(probe, sentences, options.tokens)
    speed = round(seen / (time.process_time() - began))
    result = {"encoder": options.encoder.name, "language": options.language, "tokens": seen}
    result |= {**judge(probe, judged), "tokens_per_second": speed, "seed": options.seed}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
