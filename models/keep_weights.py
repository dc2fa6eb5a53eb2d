"""Saves the model of a run in half precision, for further training.

    python models/keep_weights.py RUN... models/emendo-en-weights/src/emendo_en_weights/model

Several runs, or checkpoints of one stage, are averaged. The tokenizer is that of the first; a
checkpoint has none, so it is that of the stage's best model. Prints the size of the weights.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from safetensors.torch import load_file, save_file

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+", help="a run's folder, or a model's")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    models = [run / "model" if (run / "model").is_dir() else run for run in options.runs]
    model = models[0]
    options.output.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model / CONFIG, options.output / CONFIG)
    # On one line: indented, it has a quarter of a million lines and twice the size.
    places = (model, model.parent / "best")
    place = next((each for each in places if (each / TOKENIZER).is_file()), None)
    if place is None:
        sys.exit(f"there is no {TOKENIZER} in {' or '.join(map(str, places))}")
    tokenizer = json.loads((place / TOKENIZER).read_text(encoding="utf-8"))
    compact = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (options.output / TOKENIZER).write_text(compact + "\n", encoding="utf-8")
    parts = [load_file(each / WEIGHTS) for each in models]
    weights = {
        name: (sum(part[name].float() for part in parts) / len(parts)).half() for name in parts[0]
    }
    worst = max(tensor.abs().max().item() for tensor in weights.values())
    assert worst < float("inf"), "a weight is too large for half precision"
    # transformers refuses a file that does not name its format. The configuration still says
    # float32, so the weights are widened when they are loaded.
    save_file(weights, options.output / WEIGHTS, metadata={"format": "pt"})
    # Otherwise only the owner can read it.
    (options.output / WEIGHTS).chmod(0o644)
    print(f"{options.output / WEIGHTS} {(options.output / WEIGHTS).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
