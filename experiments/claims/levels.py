"""F0.5 of a run's model on BEA-dev with a lower score for KEEP, so that it makes more edits.

    python experiments/claims/levels.py RUN [--sentences 400]

Sentences are spread over BEA-dev and stay tokenised, as the model was trained; one round. The bias
is chosen on every other sentence and reported on the rest. Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from edit_models import bea_dev
from emendo import TextTokenizer
from emendo.bundle import Level
from emendo.evaluation.counts import total
from emendo.evaluation.errant_edits import score_errant
from emendo.inference import SentenceEditor
from emendo.modeling import CopyCTCForEditing, TorchBackend

BIASES = (0.0, -1.0, -2.0, -3.0, -4.0, -5.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="a run's folder, or a model's")
    parser.add_argument("--sentences", type=int, default=400)
    options = parser.parse_args()
    torch.set_num_threads(1)
    folder = options.run / "model" if (options.run / "model").is_dir() else options.run
    model = CopyCTCForEditing.from_pretrained(folder).eval()
    tokenizer = TextTokenizer.from_file(folder / "tokenizer.json")
    editor = SentenceEditor(TorchBackend(model), tokenizer, rounds=1)
    gold, _ = bea_dev(options.sentences)
    halves = {}
    for bias in BIASES if model.config.use_keep else BIASES[:1]:
        edited = editor.edit_sentences(gold.sources, Level(keep_bias=bias))
        counts = score_errant(gold.sentences, [each.text for each in edited])
        halves[bias] = [total(counts[k::2]) for k in range(2)]
        both = total(counts)
        print(
            f"{bias:5.1f}: P {100 * both.precision:5.1f}  R {100 * both.recall:5.2f}  "
            f"F0.5 {100 * both.f():5.2f}",
            flush=True,
        )
    chosen = max(halves, key=lambda bias: halves[bias][0].f())
    held = halves[chosen][1]
    result = {
        "keep_bias": chosen,
        "precision": 100 * held.precision,
        "recall": 100 * held.recall,
        "f05": 100 * held.f(),
    }
    print(json.dumps({key: round(value, 2) for key, value in result.items()}))


if __name__ == "__main__":
    main()
