"""Which of a system's edits are right, and what its confidences are worth."""

import json

import numpy as np
import pytest

from emendo.evaluation.confidences import calibrate
from emendo.evaluation.edit_matching import MatchedSentence, match_edits
from emendo.evaluation.gold import gold_from_m2
from emendo.evaluation.outputs import OutputSentence, ScoredEdit, read_output
from emendo.text.edits import Edit
from emendo.text.m2 import M2Edit, M2Sentence


def _verdicts(source, edits, right, wrong):
    """Return whether each edit of a system is right, and how many have no effect."""
    correct, others = (
        tuple(M2Edit(*span, "R", ("",)) for span in spans) for spans in (right, wrong)
    )
    # One bin an edit: its confidence is its place.
    scored = tuple(ScoredEdit(edit, place / 10) for place, edit in enumerate(edits))
    found = calibrate(
        [OutputSentence(source, scored)], [MatchedSentence(0, correct, others, missed=())]
    )
    return [bool(each.precision) for each in found.bins], found.left_out


@pytest.mark.parametrize(
    ("source", "edits", "right", "wrong", "verdicts"),
    [
        # An insertion at the end of a word, inside it, and before it is an edit of that word.
        ("two dog .", [Edit(7, 7, "s")], [(1, 2)], [(2, 2)], [True]),
        ("two dog .", [Edit(7, 7, "s")], [(2, 2)], [(1, 2)], [False]),
        ("my frend .", [Edit(5, 5, "i")], [(1, 2)], [(0, 1)], [True]),
        ("is likely .", [Edit(3, 3, "un")], [(1, 2)], [(1, 1)], [True]),
        # With a space between it is a word of its own, whatever becomes of the words beside it.
        ("have dog .", [Edit(4, 4, " a"), Edit(5, 8, "cat")], [(1, 1)], [(1, 2)], [True, False]),
        ("have dog .", [Edit(0, 4, "had"), Edit(5, 5, "a ")], [(1, 1)], [(0, 1)], [False, True]),
        # Neighbours do not answer for each other.
        ("a b c", [Edit(0, 1, "x"), Edit(2, 3, "y")], [(0, 1)], [(1, 2)], [True, False]),
        # All that it became must be right.
        ("a b c", [Edit(0, 3, "x y")], [(0, 1)], [(1, 2)], [False]),
        # Rewritten with what is beside it: what comes out is an insertion.
        ("have dog .", [Edit(5, 8, "a dog")], [(1, 1)], [], [True]),
        # Two words become one.
        ("any one .", [Edit(3, 4, "")], [(0, 2)], [(2, 3)], [True]),
        ("any one .", [Edit(3, 4, "-")], [], [(1, 2)], [False]),
    ],
)
def test_edits_are_judged_by_what_they_became(source, edits, right, wrong, verdicts):
    assert _verdicts(source, edits, right, wrong) == (verdicts, 0)


@pytest.mark.parametrize("edit", [Edit(0, 1, "a"), Edit(1, 2, "  "), Edit(3, 3, " ")])
def test_what_changes_no_token_is_left_out_even_beside_something_that_does(edit):
    assert _verdicts("a b c", [edit], [(1, 1)], []) == ([], 1)
    # Undone by another edit: ERRANT sees nothing there.
    assert _verdicts("a b c", [Edit(0, 2, ""), Edit(2, 2, "a ")], [], []) == ([], 2)


def test_confidences_give_a_curve_and_calibration(tmp_path, errant):
    """Two right edits and one needless one."""
    from emendo.evaluation.analysis import analyze

    gold = gold_from_m2(
        [
            M2Sentence(
                ("I", "has", "two", "dog", "."),
                (M2Edit(1, 2, "R:VERB:SVA", ("have",)), M2Edit(3, 4, "R:NOUN:NUM", ("dogs",))),
            ),
            M2Sentence(("We", "go", "store", "."), (M2Edit(2, 2, "M:OTHER", ("to the",)),)),
            M2Sentence(("It", "is", "fine", ".")),
        ]
    )
    edits = [
        [(2, 5, "have", 0.95), (10, 13, "dogs", 0.75)],
        [],
        [(3, 5, "was", 0.35), (6, 10, "fine", 0.99)],
    ]
    texts = ["I have two dogs .", "We go store .", "It was fine ."]
    names = ("start", "end", "replacement", "confidence")
    path = tmp_path / "s.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "source": source,
                    "text": text,
                    "edits": [dict(zip(names, edit, strict=True)) for edit in of],
                }
            )
            + "\n"
            for source, text, of in zip(gold.sources, texts, edits, strict=True)
        )
    )
    found = analyze(gold, read_output(path, gold))
    assert [(p.threshold, p.counts) for p in found.curve] == [
        (0.35, (2, 3, 3)),
        (0.75, (2, 2, 3)),
        (0.95, (1, 1, 3)),
        (0.99, (0, 0, 3)),
    ]
    bins = found.calibration.bins
    assert [(b.edits, b.precision) for b in bins] == [(1, 0), (1, 1), (1, 1)]
    assert found.calibration.error == pytest.approx(np.mean([0.35, 0.25, 0.05]))
    assert found.to_json()["calibration"]["left_out"] == 1


def test_a_sure_system_with_random_luck_is_badly_calibrated():
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
    assert calibrate(outputs, matched).error < 0.03
    sure = [OutputSentence(o.source, (o.edits[0]._replace(confidence=1.0),)) for o in outputs]
    assert calibrate(sure, matched).error == pytest.approx(0.5, abs=0.03)


def test_no_edits_have_no_calibration():
    matched = match_edits([M2Sentence(("a",))], [()])
    assert calibrate([OutputSentence("a", ())], matched) == ((), None, 0)
