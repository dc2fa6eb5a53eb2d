"""Whether a trained model makes the same edits in every engine and precision.

    python benchmarks/edit_parity.py --model FOLDER [--bundle FOLDER] [--sentences 1000]

Uses BEA-dev sentences as natural text, or as tokens with `--tokenised`, for a model that was
trained on tokens. For each engine, `*_same` is the percentage of sentences with the same edits as
torch in fp32, and `*_f05` is ERRANT's F0.5. `*_alone` is the percentage of `--alone` sentences that
get the same edits alone and in a batch. `confidence_gap` is the mean difference from confidences
that allow words anywhere in the sentence. A model that was trained for minutes makes few edits:
`--keep-bias -3` lowers KEEP's score, so that there are more to compare. Prints one JSON object on
its last line.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from edit_models import bea_dev, exported
from emendo import TextTokenizer
from emendo.bundle import Level, open_bundle
from emendo.ctc import collapse, greedy_paths
from emendo.evaluation.counts import total
from emendo.evaluation.errant_edits import score_errant
from emendo.evaluation.raw_text import retokenise
from emendo.inference import SentenceEditor
from emendo.inference.confidence import Decoded, with_confidence
from emendo.inference.loading import BF16, FP32, INT8, ONNX, OPENVINO, open_backend
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.text import render

ENGINES = {
    "ort_fp32": (ONNX, FP32),
    "ort_int8": (ONNX, INT8),
    "openvino_fp32": (OPENVINO, FP32),
    "openvino_bf16": (OPENVINO, BF16),
    "openvino_int8": (OPENVINO, INT8),
}


def confidence_gap(editor, backend, tokenizer, texts):
    """Return how far confidences from near changes are from those of whole sentences."""
    gaps = []
    T = backend.alphabet.upsampling
    for text in texts:
        source = tokenizer.encode(text)
        batch = editor.prepare([source])
        output = backend.run(batch)
        (path,) = greedy_paths(score_slots(backend, batch, output))
        found = collapse(path.tolist(), source.keep_ids.tolist(), T)
        edited = render(tokenizer, source, found.labels, found.origins)
        if not edited.edits:
            continue
        decoded = [Decoded(source, path, found.labels, edited, 0)]
        three_way = three_way_log_probs(
            output.three_way, backend.alphabet.slot_keep_ids(batch.keep_ids)
        )
        near, whole = (
            with_confidence(backend, tokenizer, decoded, output, three_way, **options)[0]
            for options in ({}, {"reach": None})
        )
        gaps += [
            abs(a.confidence - b.confidence) for a, b in zip(near.edits, whole.edits, strict=True)
        ]
    return gaps


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="a trained model's folder")
    parser.add_argument("--bundle", type=Path, help="its bundle, with int8; default: export one")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--alone", type=int, default=200)
    parser.add_argument("--tokenised", action="store_true", help="leave the sentences tokenised")
    parser.add_argument("--keep-bias", type=float, default=0.0)
    options = parser.parse_args()
    level = Level(keep_bias=options.keep_bias)
    gold, raw = bea_dev(options.sentences)
    texts = list(gold.sources) if options.tokenised else [sentence.text for sentence in raw]

    def f05(results):
        outputs = [
            edited.text if options.tokenised else retokenise(sentence, edited.text)
            for sentence, edited in zip(raw, results, strict=True)
        ]
        return 100 * total(score_errant(gold.sentences, outputs)).f()

    folder = options.model / "model" if (options.model / "model").is_dir() else options.model
    with tempfile.TemporaryDirectory() as name:
        bundle = open_bundle(options.bundle or exported(folder, Path(name) / "bundle"))
        tokenizer = TextTokenizer.from_file(bundle.folder / "tokenizer.json")
        reference = TorchBackend(CopyCTCForEditing.from_pretrained(folder).eval())
        editor = SentenceEditor(reference, tokenizer)
        expected = editor.edit_sentences(texts, level)
        gaps = confidence_gap(editor, reference, tokenizer, texts[: options.alone])
        figures = {
            "sentences": len(texts),
            "changed": sum(bool(edited.edits) for edited in expected),
            "torch_f05": f05(expected),
            "confidence_gap": float(np.mean(gaps)) if gaps else 0.0,
            "confidence_gap_p95": float(np.percentile(gaps, 95)) if gaps else 0.0,
        }
        print(figures, flush=True)
        for key, (engine, precision) in ENGINES.items():
            backend = open_backend(bundle, backend=engine, precision=precision)
            editor = SentenceEditor(backend, tokenizer)
            found = editor.edit_sentences(texts, level)
            same = [a.edits == b.edits for a, b in zip(expected, found, strict=True)]
            alone = [
                editor.edit_sentences([text], level)[0].edits == edited.edits
                for text, edited in zip(texts[: options.alone], found, strict=False)
            ]
            figures[f"{key}_same"] = 100 * sum(same) / len(same)
            figures[f"{key}_alone"] = 100 * sum(alone) / len(alone)
            figures[f"{key}_f05"] = f05(found)
            print({name: value for name, value in figures.items() if key in name}, flush=True)
    print(json.dumps({key: round(value, 4) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
