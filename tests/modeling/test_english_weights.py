"""The weights of emendo-en as they are in the repository: they load, and they correct English."""

import json
from pathlib import Path

import numpy as np
import pytest

from emendo import TextTokenizer
from emendo.inference import Batch, SentenceEditor
from emendo.modeling import CopyCTCForEditing, TorchBackend
from tests.conftest import ROOT

FOLDER = ROOT / "models/emendo-en-weights/src/emendo_en_weights/model"


# Sentences of written-en's dev split, what the network made of them before decoders had positions,
# and the mean probabilities of KEEP, BLANK and ADD over their slots.
BEFORE = Path(__file__).with_name("english_weights.jsonl")


@pytest.fixture(scope="module")
def tokenizer():
    return TextTokenizer.from_file(FOLDER / "tokenizer.json")


@pytest.fixture(scope="module")
def backend():
    return TorchBackend(CopyCTCForEditing.from_pretrained(FOLDER).eval())


@pytest.fixture(scope="module")
def editor(backend, tokenizer):
    return SentenceEditor(backend, tokenizer)


def test_they_correct(editor):
    wrong = ["I could of done better.", "She is taller then me.", "I dont know.", "She have it."]
    right = ["I could have done better.", "She is taller than me.", "I don't know.", "She has it."]
    assert [edited.text for edited in editor.edit_sentences(wrong)] == right


def test_they_leave_alone_what_is_right(editor):
    fine = ["I could have done better.", "Then she came home.", "It is raining outside."]
    assert not any(edited.edits for edited in editor.edit_sentences(fine))


def test_they_edit_as_they_did_when_they_were_trained(editor, backend, tokenizer):
    """Decoders have positions now: weights that were trained without have none."""
    rows = [json.loads(line) for line in BEFORE.read_text(encoding="utf-8").splitlines()]
    sources = [row["source"] for row in rows]
    edited = [each.text for each in editor.edit_sentences(sources)]
    assert edited == [row["output"] for row in rows]
    assert 10 < sum(one != other for one, other in zip(edited, sources, strict=True)) < len(rows)
    for row, source in zip(rows, tokenizer.encode_many(sources), strict=True):
        scores = backend.run(Batch.of([source], tokenizer.pad_id)).three_way
        assert np.exp(scores).mean(axis=(0, 1)) == pytest.approx(row["shares"], abs=1e-4)
