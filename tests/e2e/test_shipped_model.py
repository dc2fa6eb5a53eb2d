"""The model that is shipped, as it is in the repository: what it corrects, and what it leaves."""

import pytest

from emendo import load_editor
from emendo.evaluation.gold import read_gold
from emendo.evaluation.metrics import score
from emendo.evaluation.raw_text import detokenise, retokenise
from tests.conftest import ROOT

PACKAGE = ROOT / "models/emendo-en"
# A little under what it reaches on these sentences.
FLOOR = 34.0
SENTENCES = 150


@pytest.fixture(scope="module")
def editor():
    return load_editor(str(PACKAGE / "src/emendo_en/bundle"))


def test_corrects_learners_english(editor, evaluation_data, errant):
    path = evaluation_data / "pillars-of-gec/data/evaluation_sets/bea-dev.m2"
    part = read_gold(None, [path]).spread(SENTENCES)
    raw = [detokenise(tuple(source.split()), style="bea") for source in part.sources]
    edited = editor.edit_many([sentence.text for sentence in raw])
    outputs = [retokenise(s, e.text) for s, e in zip(raw, edited, strict=True)]
    found = score("errant", part, outputs).values()
    print(found)
    assert found["f0.5"] > FLOOR


def test_everyday_corrections_stay_right(editor):
    """Each of these came out right once; which ones is in everyday-right.txt."""
    rows = [
        line.split("\t")
        for line in (PACKAGE / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    ]
    kept = (PACKAGE / "everyday-right.txt").read_text(encoding="utf-8").splitlines()
    assert len(kept) >= 50
    outputs = {wrong: editor.edit(wrong).text for wrong in kept}
    rights = {wrong: right.split("||") for wrong, right in rows}
    assert {wrong: out for wrong, out in outputs.items() if out not in rights[wrong]} == {}


def test_leaves_alone_what_is_right(editor):
    fine = ["I could have done better.", "Then she came home.", "It is raining outside."]
    assert not any(edited.edits for edited in editor.edit_many(fine))
