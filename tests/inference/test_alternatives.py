"""Alternatives from n-best."""

import math

import numpy as np
import pytest

from emendo import Edit, EditedText
from emendo.ctc.alphabet import slots_of
from emendo.ctc.beam import Hypothesis
from emendo.ctc.collapse import Output
from emendo.inference import Batch, SentenceEditor
from emendo.inference.alternatives import LEAST, _likely, _listed, beam_outputs
from emendo.inference.confidence import Decoded
from emendo.inference.slot_scoring import three_way_log_probs
from emendo.modeling import TorchBackend
from emendo.text import render
from tests.conftest import scramble
from tests.inference.scripted_networks import unsure_of_a_cat
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
    assert len(_likely([found[0], found[0]._replace(score=-5.0 + LEAST)])) == 2


def test_outputs_are_as_likely_as_all_their_paths(small_tokenizer):
    """A word that is kept may also be written; words are looked up at its slots alone."""
    backend = unsure_of_a_cat(small_tokenizer)
    texts = ["I know the cat.", "It is what it is.", "The cat likes it, I know."]
    sources = small_tokenizer.encode_many(texts)
    batch = Batch.of(sources, small_tokenizer.pad_id)
    output = backend.run(batch)
    three_way = three_way_log_probs(
        output.three_way, backend.alphabet.slot_keep_ids(batch.keep_ids)
    )
    decoded, windows = [], []
    for row in (0, 2):
        text = sources[row].text
        decoded.append(Decoded(sources[row], np.zeros(0), (), EditedText(text), row))
        place = sources[row].ids.tolist().index(backend.word)
        windows.append(slots_of(place, place + 1, 2))
    found = beam_outputs(backend, decoded, windows, output, three_way, width=8)
    for each, outputs in zip(decoded, found, strict=True):
        written = [render(small_tokenizer, each.source, *other.output).text for other in outputs]
        assert written[:4] == [
            each.source.text.replace(" cat", other) for other in (" dog", " cat", " fox", "")
        ]
        chances = [math.exp(other.score) for other in outputs[:4]]
        assert chances == pytest.approx([0.42, 0.27, 0.21, 0.1], abs=1e-6)


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
