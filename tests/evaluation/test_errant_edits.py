import argparse
import re

import pytest

from emendo.evaluation import errant_edits
from emendo.evaluation.counts import total
from emendo.evaluation.edit_matching import counts_by_type, match_edits
from emendo.evaluation.errant_edits import annotate_references, score_errant
from emendo.evaluation.gold import GoldSet, gold_from_m2, read_gold, read_lines
from emendo.evaluation.metrics import score
from emendo.text.m2 import M2Edit, M2Sentence, read_m2
from tests.conftest import IS_LONG

# How far precision, recall and F0.5 lie from the published ones at most.
GAPS = (1.0, 1.2, 0.5)
SYSTEMS = {
    "CTC-Copy": "CTC-copy",
    "GECToR-2024": "GECToR-2024",
    "EditScorer": "EditScorer",
    "T5-11B": "T5-11B",
    "UL2-20B": "UL2-20B",
    "Chat-LLaMa-2-7B-FT": "Chat-LLaMa-2-7B-FT",
    "Chat-LLaMa-2-13B-FT": "Chat-LLaMa-2-13B-FT",
}
# One of each kind: copying, tagging, writing anew. The others are the long form's.
FEW = ("CTC-Copy", "GECToR-2024")


@pytest.fixture(scope="module")
def pillars(evaluation_data):
    return evaluation_data / "pillars-of-gec"


@pytest.fixture(scope="module")
def bea_dev(pillars):
    return read_gold(None, [pillars / "data/evaluation_sets/bea-dev.m2"])


def _hypotheses(pillars, system):
    return read_lines(pillars / f"data/system_preds/single_systems/{system}___bea-dev.txt")


def _published(pillars, system):
    """Precision, recall and F0.5 on BEA-dev from the table in the README there."""
    rows = (pillars / "README.md").read_text().split("<tr>")
    (row,) = [row for row in rows if f"<td>{SYSTEMS[system]}" in row]
    return [float(value) for value in re.findall(r">(\d+\.\d)<", row)][3:6]


@pytest.mark.parametrize("system", list(SYSTEMS) if IS_LONG else FEW)
def test_bea_dev_as_published(errant, pillars, bea_dev, system):
    counts = total(score_errant(bea_dev.sentences, _hypotheses(pillars, system)))
    found = [100 * counts.precision, 100 * counts.recall, 100 * counts.f()]
    published = _published(pillars, system)
    print(system, found, published)
    for value, figure, gap in zip(found, published, GAPS, strict=True):
        assert value == pytest.approx(figure, abs=gap)
    if system == "CTC-Copy":
        # What errant 3.0.2 itself gives.
        assert found == pytest.approx([58.35, 38.04, 52.72], abs=0.005)


def _by_the_package(gold, proposed):
    """Counts of every sentence by the functions of `errant_compare`."""
    from errant.commands import compare_m2

    args = argparse.Namespace(
        dt=False, ds=False, cse=False, single=False, multi=False, filt=[], beta=0.5, verbose=False
    )

    def rows(edits):
        return compare_m2.process_edits(
            [[e.start, e.end, e.type, e.corrections[0] or "-NONE-", e.annotator] for e in edits],
            args,
        )

    best = {"tp": 0, "fp": 0, "fn": 0}
    for number, (sentence, edits) in enumerate(zip(gold, proposed, strict=True)):
        counts, _ = compare_m2.evaluate_edits(
            rows(edits), rows(sentence.edits), best, number, "", args
        )
        best = {key: best[key] + counts[key] for key in best}
    return best


def test_matching_is_that_of_the_package(errant, evaluation_data):
    path = evaluation_data / "pillars-of-gec/data/evaluation_sets/nucle14-2a.m2"
    system = path.parents[1] / "system_preds/single_systems/CTC-Copy___nucle14_2a.txt"
    sentences = read_gold(None, [path]).sentences[:400]
    hypotheses = read_lines(system)[:400]
    sources = [" ".join(sentence.tokens) for sentence in sentences]
    proposed = errant.annotate(sources, hypotheses)
    counts = total(each.counts for each in match_edits(sentences, proposed))
    found = {
        "tp": counts.correct,
        "fp": counts.proposed - counts.correct,
        "fn": counts.gold - counts.correct,
    }
    assert found == _by_the_package(sentences, proposed)


def test_references_without_annotations(errant):
    sentences = annotate_references(
        ["I has a dog .", "Fine ."], [["I have a dog .", "I had a dog ."], ["Fine .", "Fine ."]]
    )
    assert sentences[0].annotators == (0, 1)
    assert [e.corrections for e in sentences[0].edits] == [("have",), ("had",)]
    assert sentences[1].annotators == (0, 1)
    assert score_errant(sentences, ["I had a dog .", "Fine ."]) == [(1, 1, 1), (0, 0, 0)]


def test_references_may_differ_in_number(errant):
    gold = GoldSet(("I has a dog .", "Fine ."), (("I have a dog .", "I had a dog ."), ("Fine .",)))
    assert [sentence.annotators for sentence in gold.sentences] == [(0, 1), (0,)]
    assert score("errant", gold, ["I had a dog .", "Fine ."]).values()["f0.5"] == 100


def test_any_of_several_alternatives_is_right(errant):
    """Unlike `errant_compare`, to which `have||own` is one correction; texts take the first."""
    line = "A 1 2|||R:VERB|||have||own|||REQUIRED|||-NONE-|||0"
    gold = gold_from_m2(read_m2(["S I has dogs .", line]))
    for verb, right in (("have", 1), ("own", 1), ("had", 0)):
        assert score_errant(gold.sentences, [f"I {verb} dogs ."]) == [(right, 1, 1)]
    assert gold.references == (("I have dogs .",),)
    assert score("em", gold, ["I own dogs ."]).values()["em"] == 0


def test_empty_sentences(errant):
    empty = M2Sentence(())
    full = M2Sentence(("a", "b"))
    assert score_errant([empty, full, empty], ["", "", "x y"]) == [(0, 0, 0), (0, 1, 0), (0, 1, 0)]


def test_counts_by_type():
    sentence = M2Sentence(
        ("I", "has", "dog", "s"),
        (M2Edit(1, 2, "R:VERB:SVA", ("have",)), M2Edit(2, 2, "M:DET", ("a", "the"))),
    )
    proposed = [M2Edit(1, 2, "R:VERB", ("have",)), M2Edit(2, 4, "R:NOUN", ("dogs",))]
    matched = match_edits([sentence], [proposed])
    assert counts_by_type(matched) == {
        "M:DET": (0, 0, 1),
        "R:NOUN": (0, 1, 0),
        "R:VERB:SVA": (1, 1, 1),
    }


def test_gold_from_m2_has_every_annotator():
    sentence = M2Sentence(("a", "b"), (M2Edit(0, 1, "R", ("c",), 0), M2Edit(1, 2, "R", ("d",), 1)))
    assert gold_from_m2([sentence]).references == (("c b", "a d"),)


def test_what_the_annotator_remembers_is_bounded(errant, monkeypatch):
    monkeypatch.setattr(errant_edits, "_MAX_PARSES", 3)
    monkeypatch.setattr(errant_edits, "_MAX_EDITS", 5)
    annotator = type(errant).__new__(type(errant))
    annotator.__dict__.update(errant.__dict__, _parses={}, _edits={})
    sources = [
        f"I has {word} ." for word in ("one", "two", "three", "four", "five", "six", "seven")
    ]
    targets = [source.replace("has", "have") for source in sources]
    first = annotator.annotate(sources, targets)
    assert all(len(edits) == 1 for edits in first)
    assert len(annotator._parses) == 3
    assert len(annotator._edits) == 5
    # What was forgotten is found anew, and also where only half is remembered.
    assert annotator.annotate(sources, targets) == first
    assert len(annotator._parses) == 3
