"""Alternatives from n-best."""

import math

from emendo import Edit, EditedText
from emendo.ctc.beam import Hypothesis
from emendo.ctc.collapse import Output
from emendo.inference import SentenceEditor
from emendo.inference.alternatives import _likely, _listed
from emendo.modeling import TorchBackend
from tests.conftest import scramble
from tests.inference.test_confidence import TEXTS


def test_other_outputs_are_listed_where_they_fit():
    source = "I has dog."
    edited = EditedText(source, (Edit(2, 5, "have"), Edit(5, 5, " a")))
    others = [
        edited,
        EditedText(source, (Edit(2, 5, "had"), Edit(5, 5, " a"))),
        EditedText(source, (Edit(2, 5, "have"), Edit(5, 5, " the"))),
        EditedText(source),
        EditedText(source, (Edit(0, 5, "He has"),)),
    ]
    listed = _listed(edited, others)
    assert listed == edited
    assert listed.edits[0].alternatives == ("had",)
    assert listed.edits[1].alternatives == (" the",)
    assert others[-1].in_place_of(edited.edits[0]) is None


def test_outputs_far_less_likely_than_the_best_are_no_alternatives():
    found = [
        Hypothesis(Output((label,), (-1,)), -5.0 + math.log(share))
        for label, share in enumerate((1.0, 0.2, 0.04, 0.02, 0.001))
    ]
    assert _likely(found) == found[:3]


def test_a_network_gives_alternatives(tiny_model, small_tokenizer):
    backend = TorchBackend(scramble(tiny_model(1), 1, scale=0.6), candidates=4)
    plain = SentenceEditor(backend, small_tokenizer, rounds=1).edit_sentences(TEXTS)
    rich = SentenceEditor(backend, small_tokenizer, rounds=1, alternatives=True).edit_sentences(
        TEXTS
    )
    assert plain == rich
    edits = [edit for edited in rich for edit in edited.edits]
    assert any(edit.alternatives for edit in edits)
    for edit in edits:
        assert edit.replacement not in edit.alternatives
        assert len(set(edit.alternatives)) == len(edit.alternatives)
