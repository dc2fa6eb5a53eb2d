import json
import re
from html import escape

import pytest

from emendo.evaluation.analysis import Analysis, EditSplit, FalseAlarms, analyze
from emendo.evaluation.confidences import Calibration, CurvePoint, ReliabilityBin
from emendo.evaluation.counts import Counts
from emendo.evaluation.error_rates import RATE_BINS, rate_bin, word_error_rate
from emendo.evaluation.gold import GoldSet, gold_from_m2, read_gold, read_lines
from emendo.evaluation.outputs import SystemOutput
from emendo.evaluation.plots import plot_error_rates, plot_types
from emendo.evaluation.report import analysis_page
from emendo.evaluation.resampling import Interval
from emendo.evaluation.tag_vocabulary import TagVocabulary, edit_group
from emendo.text.m2 import M2Edit, M2Sentence

DOGS = M2Sentence(
    ("I", "has", "two", "dog", "."),
    (M2Edit(1, 2, "R:VERB:SVA", ("have",)), M2Edit(3, 4, "R:NOUN:NUM", ("dogs",))),
)
STORE = M2Sentence(("We", "go", "store", "."), (M2Edit(2, 2, "M:OTHER", ("to the",)),))
CLEAN = M2Sentence(("It", "is", "fine", "."), (M2Edit(-1, -1, "noop", ("",)),))
GOLD = gold_from_m2([DOGS, STORE, CLEAN])


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


def test_analysis_takes_an_output_apart(errant):
    output = SystemOutput("s", ("I have two cat .", "We go store .", "It was fine ."))
    found = analyze(GOLD, output, vocabulary=TagVocabulary(frozenset(), frozenset()))
    assert found.counts == Counts(1, 3, 3)
    assert found.split == (1, 1, 1, 1, 1)
    assert found.false_alarms == (1, 4, 1, 1)
    assert found.false_alarms.edits_per_1000_words == 250
    assert found.by_type["R:VERB:SVA"] == Counts(1, 1, 1)
    assert found.by_error_rate["≥32"] == Counts(1, 2, 3)
    assert found.by_error_rate["<8"] == Counts(0, 1, 0)
    assert found.by_group["verb"].gold == found.by_group["verb, outside"].gold == 1
    assert json.loads(json.dumps(found.to_json()))["counts"]["f0.5"] == pytest.approx(1 / 3)


def test_a_right_edit_makes_nothing_beside_it_another_correction(errant):
    gold = gold_from_m2(
        [
            M2Sentence(("I", "has", "dog", "."), (M2Edit(1, 2, "R:VERB:SVA", ("have",)),)),
            M2Sentence(("He", "go", "home", "."), (M2Edit(2, 2, "M:ADV", ("right",)),)),
        ]
    )
    # A needless insertion beside what is right; a missing one beside nothing.
    output = SystemOutput("s", ("I have a dog .", "He go home ."))
    assert analyze(gold, output).split == (1, 0, 1, 0, 1)


def test_an_error_nobody_could_correct_is_no_clean_sentence(errant):
    unclear = M2Sentence(("a", "b"), (M2Edit(0, 1, "Um", ("",)),))
    found = analyze(gold_from_m2([unclear, CLEAN]), SystemOutput("s", ("a b", "It is fine .")))
    assert found.counts.gold == 1
    assert found.false_alarms.sentences == 1


def test_nothing_proposed_and_nothing_wanted_is_no_figure(errant):
    found = analyze(gold_from_m2([CLEAN]), SystemOutput("s", ("It is fine .",))).to_json()
    assert found["counts"]["f0.5"] is found["f0.5_interval"] is None
    assert found["by_error_rate"]["≥32"]["precision"] is None
    assert found["by_group"]["verb"]["recall"] is None


@pytest.fixture(scope="module")
def bea_dev(errant, evaluation_data):
    """Two systems on a short stretch of real data."""
    pillars = evaluation_data / "pillars-of-gec/data"
    whole = read_gold(None, [pillars / "evaluation_sets/bea-dev.m2"])
    gold = GoldSet(whole.sources[:150], whole.references[:150], whole.annotated[:150])
    return [
        analyze(
            gold,
            SystemOutput(
                name,
                tuple(
                    read_lines(pillars / f"system_preds/single_systems/{name}___bea-dev.txt")[:150]
                ),
            ),
        )
        for name in ("CTC-Copy", "GECToR-2024")
    ]


def test_the_parts_add_up(bea_dev):
    for analysis in bea_dev:
        right, differently, needless, otherwise, missing = analysis.split
        assert min(analysis.split) > 0
        assert right == analysis.counts.correct
        assert right + differently + needless == analysis.counts.proposed
        assert right + otherwise + missing == analysis.counts.gold


def test_the_report_of_two_systems(bea_dev):
    pytest.importorskip("matplotlib")
    page = analysis_page(bea_dev, test_set="a <test> set")
    assert page.count("<svg") == 3
    assert "a &lt;test&gt; set" in page
    # In three figures, the middle one twice; in the tables above; and over a table of its own.
    assert page.count("CTC-Copy") == 4 + 3 + 1
    assert "outside" not in page
    # Self-contained: what a page would fetch stands in it.
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\((?!#)|@import""", page)


def _analysis(name, **counts):
    return Analysis(
        name,
        **{
            "counts": Counts(1, 2, 2),
            "interval": Interval(0, 100),
            "by_error_rate": dict.fromkeys(RATE_BINS, Counts(1, 2, 2)),
            "by_type": {},
            "by_group": {"verb": Counts(1, 2, 2)},
            "split": EditSplit(1, 1, 0, 1, 0),
            "false_alarms": FalseAlarms(0, 0, 0, 0),
            **counts,
        },
    )


def test_types_do_not_depend_on_the_order_of_the_systems():
    pytest.importorskip("matplotlib")
    first = _analysis("a", by_type={"R:VERB": Counts(0, 0, 3), "R:NOUN": Counts(0, 0, 2)})
    second = _analysis("b", by_type={"R:VERB": Counts(0, 0, 1), "M:DET": Counts(0, 0, 9)})
    for analyses in ([first, second], [second, first]):
        drawn = plot_types(analyses)
        assert re.findall(r">([RM]:\w+ \(\d\))<", drawn) == [
            "M:DET (9)",
            "R:VERB (3)",
            "R:NOUN (2)",
        ]


def test_shares_of_error_rates_do_not_depend_on_the_order_of_the_systems():
    pytest.importorskip("matplotlib")
    few, many = (dict.fromkeys(RATE_BINS, Counts(1, 1, gold)) for gold in (1, 2))
    first, second = (
        _analysis("a", by_error_rate=few),
        _analysis("b", by_error_rate=many | {"<8": Counts()}),
    )
    for analyses in ([first, second], [second, first]):
        assert re.findall(r">\((\d+\.\d)\)<", plot_error_rates(analyses)) == ["11.1"] + ["22.2"] * 4


def test_what_is_not_there_is_not_drawn_at_its_best():
    pytest.importorskip("matplotlib")
    none = dict.fromkeys(RATE_BINS, Counts())
    drawn = plot_error_rates([_analysis("a", by_error_rate=none | {"<8": Counts(1, 2, 2)})])
    # The axis ends a little above the only bar there is.
    assert ">50<" in drawn
    assert ">60<" not in drawn
    page = analysis_page([_analysis("a", by_group={"verb": Counts()})], test_set="s")
    assert "<td>verb</td><td>–</td><td>–</td><td>–</td>" in page


@pytest.mark.parametrize("name", ["_system", "$x^$", "<i>", "a&b"])
def test_names_are_drawn_as_they_are(name):
    pytest.importorskip("matplotlib")
    curve = (CurvePoint(0.5, Counts(1, 2, 2)),)
    calibration = Calibration((ReliabilityBin(2, 0.5, 0.5),), 0.0, 0)
    named = _analysis(name, by_type={"R": Counts(1, 1, 1)}, curve=curve, calibration=calibration)
    page = analysis_page([named], test_set="s")
    # Five figures, the second with two bars; the tables of the whole, the parts, the clean
    # sentences, the groups and the calibration.
    assert len(re.findall(rf">\s?{re.escape(escape(name))}[,<]", page)) == 6 + 5
