"""The model that is shipped, as it is in the repository: what it corrects, and what it leaves."""

import re

import pytest

from emendo import load_editor
from emendo.evaluation.gold import read_gold
from emendo.evaluation.metrics import score
from emendo.evaluation.raw_text import detokenise, retokenise
from tests.conftest import ROOT

PACKAGE = ROOT / "models/emendo-en"
# A little under what it reaches on these sentences.
FLOOR = 38.5
SENTENCES = 150


@pytest.fixture(scope="module")
def editor():
    return load_editor(str(PACKAGE / "src/emendo_en/bundle"))


@pytest.fixture(scope="module")
def learners_english(evaluation_data):
    path = evaluation_data / "pillars-of-gec/data/evaluation_sets/bea-dev.m2"
    return read_gold(None, [path]).spread(SENTENCES)


def _raw(part):
    return [detokenise(tuple(source.split()), style="bea") for source in part.sources]


def test_corrects_learners_english(editor, learners_english, errant):
    part, raw = learners_english, _raw(learners_english)
    edited = editor.edit_many([sentence.text for sentence in raw])
    outputs = [retokenise(s, e.text) for s, e in zip(raw, edited, strict=True)]
    found = score("errant", part, outputs).values()
    print(found)
    assert found["f0.5"] > FLOOR


def test_an_edited_text_is_in_its_final_form(editor, learners_english):
    """`benchmarks/edit_again.py` counts the same over more sentences."""
    everyday = (PACKAGE / "everyday-right.txt").read_text(encoding="utf-8").splitlines()
    texts = [sentence.text for sentence in _raw(learners_english)] + everyday
    once = [edited.text for edited in editor.edit_many(texts)]
    twice = [edited.text for edited in editor.edit_many(once)]
    others = {first: second for first, second in zip(once, twice, strict=True) if first != second}
    assert len(others) <= 0.005 * len(texts), others


def test_everyday_corrections_stay_right(editor):
    """Each of these came out right once; which ones is in everyday-right.txt."""
    rows = [
        line.split("\t")
        for line in (PACKAGE / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    ]
    kept = (PACKAGE / "everyday-right.txt").read_text(encoding="utf-8").splitlines()
    assert len(kept) >= 60
    outputs = {wrong: editor.edit(wrong).text for wrong in kept}
    rights = {wrong: right.split("||") for wrong, right in rows}
    assert {wrong: out for wrong, out in outputs.items() if out not in rights[wrong]} == {}


def test_corrects_the_examples_of_the_readme(editor):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z][^|]+\.) \| ([^|]+\.) \|$", readme, re.MULTILINE)
    assert len(rows) == 4
    assert [editor.edit(before).text for before, _ in rows] == [
        after.replace("**", "") for _, after in rows
    ]


def test_alternatives_are_likely_ones():
    editor = load_editor(str(PACKAGE / "src/emendo_en/bundle"), alternatives=True)
    (went,) = editor.edit("Yesterday I go to the library with my friend.").edits
    assert (went.replacement, went.alternatives) == ("went", ())
    (been,) = editor.edit("I am living here since 2010.").edits
    assert been.replacement == "have been"
    assert been.alternatives


def test_leaves_alone_what_is_right(editor):
    fine = ["I could have done better.", "Then she came home.", "It is raining outside."]
    assert not any(edited.edits for edited in editor.edit_many(fine))
