"""Confidences against the plain forward recursion over all words."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from emendo import Edit, EditedText
from emendo.ctc import BLANK, KEEP, collapse, greedy_paths, reference
from emendo.inference import Batch, Level, SentenceEditor
from emendo.inference.confidence import Decoded, change_window, with_confidence
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.modeling import TorchBackend
from emendo.text import render
from tests.conftest import scramble
from tests.inference.scripted_networks import ChanceBackend, piece

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


def test_what_was_decoded_is_neither_compared_nor_replaced(small_tokenizer):
    """It has arrays."""
    source = small_tokenizer.encode("the cat")
    first, second = (Decoded(source, np.zeros(8), (), EditedText("the cat"), 0) for _ in range(2))
    assert first != second
    assert len({first, second}) == 2
    with pytest.raises(FrozenInstanceError):
        first.row = 1


EDGE, KEPT, ALSO_KEPT, DELETED = (BLANK, BLANK), (KEEP, BLANK), (BLANK, KEEP), (BLANK, BLANK)


def near(path, **options):
    """The tokens at whose slots words are looked up, for a path of two symbols a token."""
    slots = change_window(np.array(path).reshape(-1), len(path), 2, **options).tolist()
    tokens = slots[::2]
    assert slots == [slot + each for slot in tokens for each in (0, 1)]
    return [slot // 2 for slot in tokens]


@pytest.mark.parametrize("changed", [(7, BLANK), (BLANK, 7), (KEEP, 7), DELETED])
def test_words_are_looked_up_within_two_tokens_of_a_change(changed):
    kept = [EDGE, KEPT, ALSO_KEPT, (KEEP, KEEP), KEPT, KEPT, KEPT, ALSO_KEPT, EDGE]
    assert near(kept) == []
    assert near(kept, reach=None) == list(range(9))
    for place, found in ((1, [0, 1, 2, 3]), (4, [2, 3, 4, 5, 6]), (7, [5, 6, 7, 8])):
        path = [*kept[:place], changed, *kept[place + 1 :]]
        assert near(path) == found
        assert near(path, reach=0) == [place]
        assert near(path, reach=1) == [k for k in found if abs(k - place) < 2]


def test_what_is_inserted_at_an_edge_is_a_change():
    kept = [KEPT] * 5
    assert near([EDGE, *kept, EDGE]) == []
    assert near([(BLANK, 7), *kept, EDGE]) == [0, 1, 2]
    assert near([EDGE, *kept, (7, BLANK)]) == [4, 5, 6]


def rated(tokenizer, keep, blank, write, *, shift=0.0, **options):
    """How sure a network is of *dog* in place of *cat*, with these chances at the word's slot."""
    dog = piece(tokenizer, "dog")
    backend = ChanceBackend(tokenizer, "cat", (0.0, 0.0, {dog: 1.0}), (0.0, 1.0, {}))
    source = tokenizer.encode("the cat")
    output = backend.run(Batch.of([source], tokenizer.pad_id))
    chances = np.array([[0, 1, 0], [1, 0, 0], [keep, blank, write], [0, 1, 0]], dtype=float)
    with np.errstate(divide="ignore"):
        three_way = np.log(np.repeat(chances, 2, axis=0))[None] + shift
    three_way[0, 5] = three_way[0, 0]
    path = np.array([*EDGE, *KEPT, dog, BLANK, *EDGE])
    edited = EditedText("the cat", (Edit(4, 7, "dog"),))
    labels = (piece(tokenizer, "the"), dog)
    decoded = [Decoded(source, path, labels, edited, 0)]
    (found,) = with_confidence(backend, tokenizer, decoded, output, three_way, **options)
    assert found.edits == edited.edits
    assert found.edits[0].confidence == found.confidence
    return found.confidence


@pytest.mark.parametrize(
    ("keep", "blank", "write", "sure"),
    [(0.2, 0.2, 0.6, 0.75), (0, 0.2, 0.8, 1.0), (0.8, 0.2, 0, 0.0), (0, 1, 0, 0.5)],
)
def test_a_confidence_is_defined_even_if_an_output_is_impossible(
    small_tokenizer, keep, blank, write, sure
):
    """A half if neither the edit nor the source is possible."""
    assert rated(small_tokenizer, keep, blank, write) == pytest.approx(sure, abs=1e-9)


def test_a_confidence_is_at_most_1(small_tokenizer):
    """Sums of rounded probabilities may exceed it."""
    assert rated(small_tokenizer, 0.2, 0.2, 0.6, together=True) == pytest.approx(0.6)
    assert rated(small_tokenizer, 0, 0, 1, shift=1e-6, together=True) == 1.0


@pytest.mark.parametrize("together", [False, True])
def test_both_spellings_of_an_output_count(small_tokenizer, together):
    """It writes *dog* and *s*, or with a smaller chance *dogs* as one token."""
    dog, dogs = (piece(small_tokenizer, word) for word in ("dog", "dogs"))
    letter = int(small_tokenizer.encode("cats").ids[2])
    slots = (0.1, 0.0, {dog: 0.6, dogs: 0.3}), (0.0, 0.1, {letter: 0.9})
    backend = ChanceBackend(small_tokenizer, "cat", *slots)
    editor = SentenceEditor(backend, small_tokenizer, rounds=1, together=together)
    (edited,) = editor.edit_sentences(["the cat"])
    assert edited.text == "the dogs"
    both, kept = 0.6 * 0.9 + 0.3 * 0.1, 0.1 * 0.1
    sure = both if together else both / (both + kept)
    assert edited.edits[0].confidence == pytest.approx(sure, abs=1e-6)


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
