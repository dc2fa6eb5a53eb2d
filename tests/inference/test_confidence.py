"""Confidences against the plain forward recursion over all words."""

import numpy as np
import pytest

from emendo import Edit, EditedText
from emendo.ctc import collapse, greedy_paths, reference
from emendo.inference import Batch, Level, SentenceEditor
from emendo.inference.confidence import Decoded, with_confidence
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.modeling import TorchBackend
from emendo.text import render
from tests.conftest import scramble

TEXTS = ["I like an dog.", "He go store.", "They is here.", "a b", "naïve 😀", "!!"]
LONG = ["The quick brown fox jumps over the lazy dog and she likes a cat, I know.", *TEXTS]


def decode(model, tokenizer, texts):
    backend = TorchBackend(model)
    sources = tokenizer.encode_many(texts)
    batch = Batch.of(sources, tokenizer.pad_id)
    output = backend.run(batch)
    paths = greedy_paths(score_slots(backend, batch, output))
    decoded = []
    for row, (source, path) in enumerate(zip(sources, paths, strict=True)):
        slots = path[: len(source) * backend.alphabet.upsampling]
        found = collapse(slots.tolist(), source.keep_ids.tolist(), backend.alphabet.upsampling)
        edited = render(tokenizer, source, found.labels, found.origins)
        if edited.edits:
            decoded.append(Decoded(source, slots, found.labels, edited, row))
    keep_ids = backend.alphabet.slot_keep_ids(batch.keep_ids)
    return backend, decoded, output, three_way_log_probs(output.three_way, keep_ids)


def table_of(backend, each, output, three_way):
    """All symbols at all slots, [S, V+2]."""
    V = backend.alphabet.vocab_size
    S = len(each.path)
    words = backend.look_up(output.states[each.row, :S], np.tile(np.arange(V), (S, 1)))
    scores = three_way[each.row, :S].astype(np.float64)
    return np.concatenate([words.label_scores + scores[:, 2:], scores[:, :2]], axis=1)


@pytest.mark.parametrize("seed", [1, 5, 8, 13])
def test_equals_the_plain_recursion(tiny_model, small_tokenizer, seed):
    model = scramble(tiny_model(seed), seed, scale=0.6)
    backend, decoded, output, three_way = decode(model, small_tokenizer, LONG)
    assert any(len(each.edited.edits) > 1 for each in decoded), "one edit is undone, not all"
    found = with_confidence(backend, small_tokenizer, decoded, output, three_way, reach=None)
    checked = 0
    for each, edited in zip(decoded, found, strict=True):
        table = table_of(backend, each, output, three_way)

        def log_p(labels, each=each, table=table):
            return reference.forward_log_likelihood(
                table, each.source.keep_ids.tolist(), tuple(labels), backend.alphabet
            )

        def log_p_text(text, each=each, log_p=log_p):
            return log_p(small_tokenizer.encode_target(text, each.source).labels.tolist())

        canonical = small_tokenizer.encode_target(edited.text, each.source).labels.tolist()
        chosen = log_p(each.labels)
        if canonical != list(each.labels):
            chosen = np.logaddexp(chosen, log_p(canonical))
        others = [
            EditedText(edited.source, tuple(e for e in edited.edits if e != edit)).text
            for edit in edited.edits
        ]
        for sure, text in [
            *zip([edit.confidence for edit in edited.edits], others, strict=True),
            (edited.confidence, edited.source),
        ]:
            other = log_p_text(text)
            assert sure == pytest.approx(1 / (1 + np.exp(other - chosen)), abs=1e-4)
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("seed", [1, 5, 8, 13])
def test_edits_made_together_have_the_probability_of_the_output(tiny_model, small_tokenizer, seed):
    model = scramble(tiny_model(seed), seed, scale=0.6)
    backend, decoded, output, three_way = decode(model, small_tokenizer, LONG)
    found = with_confidence(
        backend, small_tokenizer, decoded, output, three_way, reach=None, together=True
    )
    alone = with_confidence(backend, small_tokenizer, decoded, output, three_way, reach=None)
    for each, edited, other in zip(decoded, found, alone, strict=True):
        table = table_of(backend, each, output, three_way)
        canonical = small_tokenizer.encode_target(edited.text, each.source).labels.tolist()
        spellings = {tuple(each.labels), tuple(canonical)}
        whole = sum(
            np.exp(
                reference.forward_log_likelihood(
                    table, each.source.keep_ids.tolist(), labels, backend.alphabet
                )
            )
            for labels in spellings
        )
        assert edited.confidence == pytest.approx(whole, abs=1e-4)
        assert {edit.confidence for edit in edited.edits} == {edited.confidence}
        assert [edit.replacement for edit in edited.edits] == [
            edit.replacement for edit in other.edits
        ]
        assert all(edited.confidence <= edit.confidence + 1e-6 for edit in other.edits)


def test_the_gap_at_the_default_reach_is_small(tiny_model, small_tokenizer):
    gaps = []
    for seed in range(3):
        model = scramble(tiny_model(seed), seed, scale=0.6)
        parts = decode(model, small_tokenizer, TEXTS)
        if not parts[1]:
            continue
        backend, decoded, output, three_way = parts
        near, whole = (
            with_confidence(backend, small_tokenizer, decoded, output, three_way, **options)
            for options in ({}, {"reach": None})
        )
        gaps += [
            abs(a.confidence - b.confidence)
            for x, y in zip(near, whole, strict=True)
            for a, b in zip(x.edits, y.edits, strict=True)
        ]
    assert gaps
    assert np.mean(gaps) < 0.05


def test_words_beside_a_change_count(tiny_model, small_tokenizer):
    """Another spelling of the output may need a word at a neighbour's slots."""
    gaps = {0: 0.0, None: 0.0}
    for seed in (1, 5, 8, 13):
        model = scramble(tiny_model(seed), seed, scale=0.6)
        backend, decoded, output, three_way = decode(model, small_tokenizer, LONG)
        parts = (backend, small_tokenizer, decoded, output, three_way)
        whole = with_confidence(*parts, reach=None)
        for reach, options in ((0, {"reach": 0}), (None, {})):
            near = with_confidence(*parts, **options)
            gaps[reach] += sum(
                abs(a.confidence - b.confidence)
                for x, y in zip(near, whole, strict=True)
                for a, b in zip(x.edits, y.edits, strict=True)
            )
    assert gaps[None] < gaps[0]


def test_a_bias_makes_no_edit_surer(tiny_model, small_tokenizer):
    """A level says which edits are made, and the network how sure it is of them."""
    same = 0
    for seed in (1, 5, 8, 13):
        backend = TorchBackend(scramble(tiny_model(seed), seed, scale=0.6))
        editor = SentenceEditor(backend, small_tokenizer, rounds=1)
        plain, bold = editor.edit_at_levels(LONG, [Level(), Level(keep_bias=-0.5)])
        for one, other in zip(plain, bold, strict=True):
            if one.edits and one == other:
                same += 1
                sure = [edit.confidence for edit in one.edits]
                assert [edit.confidence for edit in other.edits] == pytest.approx(sure, abs=1e-6)
                assert other.confidence == pytest.approx(one.confidence, abs=1e-6)
    assert same > 3


def test_thresholds_leave_out_unsure_edits(tiny_model, small_tokenizer):
    backend = TorchBackend(scramble(tiny_model(1), 1, scale=0.6))
    everything = SentenceEditor(backend, small_tokenizer, rounds=1).edit_sentences(TEXTS)
    edits = [edit for edited in everything for edit in edited.edits]
    assert edits
    assert all(0 <= edit.confidence <= 1 for edit in edits)
    middle = float(np.median([edit.confidence for edit in edits]))
    level = Level(edit_threshold=middle)
    fewer = SentenceEditor(backend, small_tokenizer, rounds=1).edit_sentences(TEXTS, level)
    left = [edit for edited in fewer for edit in edited.edits]
    assert left
    assert len(left) < len(edits)
    assert all(edit.confidence >= middle for edit in left)
    none = Level(sentence_threshold=1.1)
    untouched = SentenceEditor(backend, small_tokenizer).edit_sentences(TEXTS, none)
    assert not any(edited.edits for edited in untouched)
    shy = Level(keep_bias=1000.0)
    assert not any(
        edited.edits
        for edited in SentenceEditor(backend, small_tokenizer).edit_sentences(TEXTS, shy)
    )


def test_later_rounds_keep_the_least_confidence():
    first = EditedText("I has dog .", (Edit(2, 5, "have", 0.9), Edit(5, 5, " a", 0.6)))
    assert first.text == "I have a dog ."
    second = EditedText(first.text, (Edit(9, 12, "dogs", 0.8), Edit(2, 6, "had", 0.7)))
    second = EditedText(first.text, tuple(sorted(second.edits, key=lambda e: e.start)))
    merged = first.then(second)
    assert merged.text == "I had a dogs ."
    sure = {merged.source[e.start : e.end]: e.confidence for e in merged.edits}
    assert sure["has"] <= 0.7
    assert merged.edits[-1].confidence <= 0.8
