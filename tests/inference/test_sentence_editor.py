"""The editor over a scripted backend, and over a live network."""

import logging
import math
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emendo import Edit
from emendo.bundle import Level
from emendo.inference import Batch, Editor, SentenceEditor
from emendo.inference.calibration import Calibration
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.labels import NO_LABEL
from emendo.modeling import TorchBackend
from emendo.text.known_words import KnownWords
from emendo.text.misspellings import Misspellings
from tests.conftest import scramble
from tests.inference.scripted_networks import (
    ADD,
    ChanceBackend,
    ScriptedBackend,
    piece,
    unsure_of_a_cat,
)
from tests.text.test_lossless import texts


def test_edits_and_fixed_points(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "likes": "like"})
    editor = SentenceEditor(backend, small_tokenizer)
    edited = editor.edit_sentences(["She likes a cat.", " Fine. ", "", "I know."])
    assert [e.text for e in edited] == ["She like a dog.", " Fine. ", "", "I know."]
    assert edited[0].edits == (Edit(4, 9, "like"), Edit(12, 15, "dog"))
    assert edited[1].edits == ()
    assert backend.seen == [3, 1], "a sentence without words is not run, one at rest not again"


def test_edits_made_together_pass_a_level_together(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "likes": "like"})
    one_type = Level(type_thresholds=(("agreement", 2.0),))
    for together, text in ((False, "She likes a dog."), (True, "She likes a cat.")):
        editor = SentenceEditor(backend, small_tokenizer, together=together)
        (edited,) = editor.edit_sentences(["She likes a cat."], one_type)
        assert edited.text == text
        (edited,) = editor.edit_sentences(["She likes a cat."], Level(edit_threshold=0.5))
        assert edited.text == "She like a dog."
        assert all(edit.confidence > 0.9 for edit in edited.edits)


def test_rounds_build_on_each_other(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "dog": "fox", "fox": "cat"})
    for rounds, word in ((1, "dog"), (2, "fox"), (3, "cat"), (4, "dog")):
        (edited,) = SentenceEditor(backend, small_tokenizer, rounds=rounds).edit_sentences(
            ["the cat"]
        )
        assert edited.text == f"the {word}"
        assert edited.edits == (() if word == "cat" else (Edit(4, 7, word),))
    with pytest.raises(ValueError, match=r"rounds is .*at least 1"):
        SentenceEditor(backend, small_tokenizer, rounds=0)


def test_a_sentence_is_edited_twice_by_default(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "dog": "fox", "fox": "cat"})
    (edited,) = SentenceEditor(backend, small_tokenizer).edit_sentences(["the cat"])
    assert edited.text == "the fox"


def test_only_known_words_are_written(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "likes": "like"})
    known = KnownWords(["dog"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    (edited,) = editor.edit_sentences(["She likes a cat."])
    assert edited.text == "She likes a dog."
    (edited,) = editor.edit_sentences(["like her, she likes a cat."])
    assert edited.text == "like her, she like a dog.", "the text has the word itself"


def test_confidences_are_calibrated_before_levels_see_them(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    calibration = Calibration({"any": (0.0, 0.0)})
    editor = SentenceEditor(backend, small_tokenizer, calibration=calibration)
    (edited,) = editor.edit_sentences(["A cat."])
    assert [edit.confidence for edit in edited.edits] == [0.5]
    (edited,) = editor.edit_sentences(["A cat."], Level(edit_threshold=0.6))
    assert not edited.edits
    kind = editor.edit_sentences(["A cat."])[0].edits[0].type
    level = Level(edit_threshold=0.6, type_thresholds=((kind, 0.5),))
    assert editor.edit_sentences(["A cat."], level)[0].text == "A dog."


# Confidences: 0.9 for a changed capital, 0.5 for anything else that the network proposes.
CAPITALS_ARE_SURE = Calibration({"casing": (0.0, math.log(9)), "any": (0.0, 0.0)})


def test_corrections_of_the_lists_support_the_network(small_tokenizer):
    editor = SentenceEditor(
        ScriptedBackend(small_tokenizer, {"cat": "dog"}),
        small_tokenizer,
        misspellings=Misspellings({"teh": "the"}, confidence=0.9),
        calibration=CAPITALS_ARE_SURE,
    )
    level = Level(edit_threshold=0.6, support=0.5)
    correct, wrong = editor.edit_sentences(["the cat", "teh cat"], level)
    assert (correct.text, wrong.text) == ("the cat", "the dog")
    assert [edit.confidence for edit in wrong.edits] == [0.9, 0.5], "support is no confidence"


def test_edits_of_earlier_rounds_support_others_but_not_their_own_revision(small_tokenizer):
    level = Level(edit_threshold=0.6, support=0.5)

    def edit(script):
        backend = ScriptedBackend(small_tokenizer, script)
        editor = SentenceEditor(backend, small_tokenizer, calibration=CAPITALS_ARE_SURE)
        return editor.edit_sentences(["the cat likes"], level)[0].text

    assert edit({"cat": "Cat", "Cat likes": "Cat like"}) == "the Cat like"
    assert edit({"Cat likes": "Cat like"}) == "the cat likes"
    assert edit({"cat": "Cat", "Cat": "dog"}) == "the Cat likes"


@pytest.mark.parametrize(
    ("text", "script", "expected"),
    [
        ("the cat likes", {"cat": "Cat", "Cat likes": "Cat, likes"}, "the Cat, likes"),
        ("the -cat likes", {"-cat": "-Cat", "-Cat": "Cat"}, "the Cat likes"),
    ],
)
def test_an_edit_beside_one_of_an_earlier_round_does_not_revise_it(
    small_tokenizer, text, script, expected
):
    """The earlier edit supports it, although the two touch."""
    backend = ScriptedBackend(small_tokenizer, script)
    editor = SentenceEditor(backend, small_tokenizer, calibration=CAPITALS_ARE_SURE)
    alone = Level(edit_threshold=0.6)
    assert editor.edit_sentences([text], alone)[0].text == text.replace("cat", "Cat")
    level = Level(edit_threshold=0.6, support=0.5)
    assert editor.edit_sentences([text], level)[0].text == expected


def test_an_edit_that_cannot_be_made_supports_nothing(small_tokenizer):
    """The network may not rewrite *the*, which the table corrected."""
    editor = SentenceEditor(
        ScriptedBackend(small_tokenizer, {"the": "a", "cat": "dog"}),
        small_tokenizer,
        misspellings=Misspellings({"teh": "the"}, confidence=0.9),
        calibration=CAPITALS_ARE_SURE,
    )
    # The table's edit raises 0.5 to 0.70; another edit of 0.5 would raise it to 0.74.
    level = Level(edit_threshold=0.72, support=0.5)
    assert editor.edit_sentences(["teh big cat"], level)[0].text == "the big cat"


def test_later_calls_run_only_what_is_new(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    editor = SentenceEditor(backend, small_tokenizer)
    known = {}
    first = editor.edit_at_levels(["A cat.", "Fine."], [Level()], known)
    count = len(backend.seen)
    assert editor.edit_at_levels(["A cat.", "Fine."], [Level()], known) == first
    assert len(backend.seen) == count
    editor.edit_at_levels(["A cat."], [Level(), Level(keep_bias=1.0)], known)
    assert len(backend.seen) > count


def test_the_network_reads_words_as_they_were_meant(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"the cat": "the dog"})
    table = Misspellings({"teh": "the"}, confidence=0.9)
    editor = SentenceEditor(backend, small_tokenizer, misspellings=table)
    for level in (Level(), Level(keep_bias=-1.0, sentence_threshold=0.9, edit_threshold=0.9)):
        (edited,) = editor.edit_sentences(["teh fox, teh cat"], level)
        assert edited.text == "the fox, the dog"
        assert edited.edits == (Edit(0, 3, "the"), Edit(9, 12, "the"), Edit(13, 16, "dog"))
        assert [edit.confidence for edit in edited.edits[:2]] == [0.9] * 2
    assert edited.edits[0].type == "spelling"
    (kept,) = editor.edit_sentences(["the fox"])
    assert kept.edits == ()
    own = Editor(editor).edit("I like teh cat.", dictionary=["teh"])
    assert own.text == "I like teh dog.", "a user's own word is none"


def test_the_network_does_not_rewrite_what_the_table_corrected(small_tokenizer):
    """In any round, wherever its own edits have moved those words, nor the words around them."""
    script = {"the": "a", "cat": "dog", "dog": "brown fox", "I": "They"}
    table = Misspellings({"teh": "the", "caat": "cat"})
    editor = SentenceEditor(
        ScriptedBackend(small_tokenizer, script), small_tokenizer, rounds=3, misspellings=table
    )
    (edited,) = editor.edit_sentences(["I like teh caat, a cat and the caat"])
    assert edited.text == "They like the cat, a brown fox and the cat"
    (edited,) = editor.edit_sentences(["I like the cat"])
    assert edited.text == "They like a brown fox"


def test_the_network_does_not_rewrite_a_misspelling_that_the_level_leaves(small_tokenizer):
    """It stays as it is, wherever other edits have moved it."""
    script = {"caat": "fox", "I": "They", "They": "We"}
    table = Misspellings({"caat": "cat", "teh": "the"}, confidence=0.9)
    editor = SentenceEditor(
        ScriptedBackend(small_tokenizer, script), small_tokenizer, rounds=3, misspellings=table
    )
    (edited,) = editor.edit_sentences(["I see teh caat"], Level(edit_threshold=0.91))
    assert edited.text == "We see teh caat"
    table = Misspellings({"caat": "cat", "teh": "the old"}, confidence=0.9)
    (edited,) = SentenceEditor(
        ScriptedBackend(small_tokenizer, script), small_tokenizer, rounds=3, misspellings=table
    ).edit_sentences(["I see teh caat"], Level(type_thresholds=(("spelling", 0.91),)))
    assert edited.text == "We see the old caat", "only some are corrected"


@pytest.mark.parametrize("level", [Level(edit_threshold=0.91), Level(sentence_threshold=0.91)])
def test_thresholds_are_for_known_misspellings_too(small_tokenizer, level):
    """The network then reads the words as they stand."""
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    table = Misspellings({"caat": "cat", "teh": "the"}, confidence=0.9)
    editor = SentenceEditor(backend, small_tokenizer, misspellings=table)
    sentences = ["teh fox, teh caat", "teh cat"]
    edited = editor.edit_sentences(sentences, level)
    assert [each.text for each in edited] == ["teh fox, teh caat", "teh dog"]
    everything, strict = editor.edit_at_levels(sentences, [Level(), level])
    assert [each.text for each in everything] == ["the fox, the cat", "the dog"]
    assert strict == edited


def test_a_sentence_too_long_for_the_network_is_left_alone(small_tokenizer, caplog):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    text = "the cat " * 300
    with caplog.at_level(logging.WARNING):
        edited = SentenceEditor(backend, small_tokenizer).edit_sentences([text, "the cat"])
    assert [e.text for e in edited] == [text, "the dog"]
    assert "reads at most 512" in caplog.text
    assert "cat" not in caplog.text, "logs hold no text of the user's"


def test_a_sentence_just_short_enough_is_edited(small_tokenizer, caplog):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    editor = SentenceEditor(backend, small_tokenizer)
    backend.max_tokens = editor.count_tokens("I like the cat")
    texts = ["I like the cat", "I like the cat."]
    assert [e.text for e in editor.edit_sentences(texts)] == ["I like the dog", texts[1]]
    assert len(caplog.records) == 1


def sentences_of(tokens, count):
    """Different sentences of as many tokens each, the two edges included."""
    places = [("I", "they"), ("like", "know")] * tokens
    return [" ".join(words) for words in islice(product(*places[: tokens - 2]), count)]


@pytest.mark.parametrize(
    ("limit", "batches"), [(25, [3, 3, 1]), (24, [3, 3, 1]), (23, [2, 2, 2, 1])]
)
def test_a_batch_has_at_most_as_many_tokens_as_asked_for(small_tokenizer, limit, batches):
    """Seven sentences of eight tokens; a batch of one sentence may have more."""
    backend = ScriptedBackend(small_tokenizer, {})
    editor = SentenceEditor(backend, small_tokenizer, batch_tokens=limit)
    texts = sentences_of(8, 7)
    assert {editor.count_tokens(text) for text in texts} == {8}
    editor.edit_sentences(texts)
    assert backend.seen == batches
    backend.seen = []
    SentenceEditor(backend, small_tokenizer, batch_tokens=7).edit_sentences(texts)
    assert backend.seen == [1] * 7


def test_padding_counts_as_tokens_of_a_batch(small_tokenizer):
    """Texts of similar length are run together, the short ones first."""
    shapes = []
    backend = ScriptedBackend(small_tokenizer, {})
    editor = SentenceEditor(
        backend,
        small_tokenizer,
        batch_tokens=16,
        on_batch=lambda batch: shapes.append(batch.input_ids.shape),
    )
    editor.edit_sentences(["I like the cat", "I", "the cat", "I know"])
    assert shapes == [(3, 4), (1, 6)]


@pytest.mark.parametrize(
    ("tokens", "count", "batches"),
    [(192, 2, [1, 1]), (136, 2, [1, 1]), (135, 2, [2]), (96, 5, [4, 1])],
)
def test_long_sentences_are_run_in_small_batches(small_tokenizer, tokens, count, batches):
    """Attention over a batch needs no more memory than over one sentence of 192 tokens."""
    backend = ScriptedBackend(small_tokenizer, {})
    editor = SentenceEditor(backend, small_tokenizer)
    texts = sentences_of(tokens, count)
    assert {editor.count_tokens(text) for text in texts} == {tokens}
    editor.edit_sentences(texts)
    assert backend.seen == batches


@settings(max_examples=300)
@given(st.lists(texts, max_size=4))
def test_an_untrained_network_changes_nothing(editors, sentences):
    for edited, sentence in zip(editors["new"].edit_sentences(sentences), sentences, strict=True):
        assert edited.text == sentence
        assert edited.edits == ()


@settings(max_examples=200)
@given(st.lists(texts, min_size=1, max_size=4))
def test_a_sentence_is_edited_alike_alone_and_in_any_batch(editors, sentences):
    together = editors["wild"].edit_sentences(sentences)
    alone = [editors["wild"].edit_sentences([sentence])[0] for sentence in sentences]
    assert together == alone


@pytest.mark.parametrize("rounds", [1, 3])
def test_several_levels_are_those_levels_and_no_text_is_run_twice(
    tiny_model, small_tokenizer, monkeypatch, rounds
):
    backend = TorchBackend(scramble(tiny_model()))
    editor = SentenceEditor(
        backend, small_tokenizer, rounds=rounds, misspellings=Misspellings({"teh": "the"})
    )
    sentences = ["The quick brown fox.", "I know teh cat.", "", "She likes it, I think."]
    levels = [Level(), Level(keep_bias=-5.0), Level(edit_threshold=0.6), Level(edit_threshold=0.99)]
    apart = [editor.edit_sentences(sentences, level) for level in levels]
    assert len({tuple(edited) for edited in apart}) > 2, "levels make a difference"
    once = SentenceEditor(backend, small_tokenizer, rounds=1)
    assert rounds == 1 or apart[1] != once.edit_sentences(sentences, levels[1]), "rounds, too"
    read = []
    run = backend.run

    def count(batch):
        read.extend(
            row[mask == 1].tobytes()
            for row, mask in zip(batch.input_ids, batch.attention_mask, strict=True)
        )
        return run(batch)

    monkeypatch.setattr(backend, "run", count)
    assert editor.edit_at_levels(sentences, levels) == apart
    assert len(read) == len(set(read)) >= 3


@pytest.fixture
def editors(tiny_model, small_tokenizer):
    return {
        "new": SentenceEditor(TorchBackend(tiny_model()), small_tokenizer),
        "wild": SentenceEditor(TorchBackend(scramble(tiny_model())), small_tokenizer, rounds=3),
    }


def test_the_wild_network_really_edits(editors):
    edited = editors["wild"].edit_sentences(["The quick brown fox jumps over the lazy dog."])
    assert edited[0].edits


@pytest.mark.parametrize("options", [{"head": "flat"}, {"use_keep": False}, {"upsampling": 3}])
def test_every_kind_of_network_edits(tiny_model, small_tokenizer, options):
    model = scramble(tiny_model(**options)).train()
    model.model.encoder.eval()
    sentences = ["The quick brown fox.", "had had", "x"]
    SentenceEditor(TorchBackend(model), small_tokenizer).edit_sentences(sentences)
    assert model.training, "the backend leaves the network as it found it"
    assert not model.model.encoder.training


def test_edits_have_a_type_and_a_confidence(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"likes": "like", "cat": "dog"})
    (edited,) = SentenceEditor(backend, small_tokenizer).edit_sentences(["They likes a cat."])
    assert [edit.type for edit in edited.edits] == ["agreement", "word choice"]
    assert all(edit.confidence > 0.5 for edit in edited.edits)


@pytest.mark.parametrize("together", [False, True])
def test_other_replacements_are_listed_on_request(small_tokenizer, together):
    """Not those of edits that are made together: another word could leave half a fusion."""
    backend = unsure_of_a_cat(small_tokenizer)

    def edit(**options):
        editor = SentenceEditor(backend, small_tokenizer, rounds=1, together=together, **options)
        (edited,) = editor.edit_sentences(["I like the cat."])
        assert edited.edits == (Edit(11, 14, "dog"),)
        return edited.edits[0]

    assert edit().alternatives == ()
    assert edit(alternatives=False).alternatives == ()
    assert edit(alternatives=True).alternatives == (() if together else ("fox",))
    # The word is kept with 0.2, and written with 0.07.
    sure = 0.42 if together else 0.42 / (0.42 + 0.27)
    assert edit().confidence == pytest.approx(sure, abs=1e-6)
    assert edit(confidences=False).confidence == 1.0


def test_a_level_with_thresholds_needs_confidences(small_tokenizer):
    backend = unsure_of_a_cat(small_tokenizer)
    editor = SentenceEditor(backend, small_tokenizer, confidences=False)
    assert editor.edit_sentences(["the cat"])[0].text == "the dog"
    with pytest.raises(ValueError, match="needs confidences"):
        editor.edit_sentences(["the cat"], Level(edit_threshold=0.5))


@pytest.mark.parametrize(
    ("keep", "write", "edits"),
    [(0.3, 0.6, {-1.0: 1, None: 1, 1.0: 0}), (0.4, 0.35, {-1.0: 1, None: 0, 1.0: 0})],
)
def test_an_output_is_finished_without_a_bias_unless_one_is_given(
    small_tokenizer, keep, write, edits
):
    """A bias of 1 multiplies the odds of KEEP by e, one of -1 divides them."""
    words = {piece(small_tokenizer, "fox"): write}
    slots = (keep, 1 - keep - write, words), (0.0, 1.0, {})
    backend = ChanceBackend(small_tokenizer, "cat", *slots)
    editor = SentenceEditor(backend, small_tokenizer)
    sources = small_tokenizer.encode_many(["the cat"])
    batch = editor.prepare(sources)
    output = backend.run(batch)
    for bias, count in edits.items():
        options = {} if bias is None else {"keep_bias": bias}
        (edited,) = editor.finish(sources, batch, output, **options)
        assert len(edited.edits) == count


def test_words_are_looked_up_only_where_they_may_be_written(small_tokenizer):
    """Not at the slots of kept words and edges, nor where BLANK is the likeliest."""
    backend = unsure_of_a_cat(small_tokenizer)
    editor = SentenceEditor(backend, small_tokenizer, confidences=False, rounds=1)
    editor.edit_sentences(["I know.", "They like it, I know."])
    assert backend.looked_up == 0
    editor.edit_sentences(["I know.", "They like the cat."])
    assert backend.looked_up == 1


def test_scores_of_slots_are_normalized_one_by_one():
    """Two sentences of four slots; the last slot of the first one is an edge."""
    chances = np.array(
        [
            [[0.2, 0.3, 0.5], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.6, 0.3, 0.1]],
            [[0.5, 0.4, 0.1], [0.3, 0.3, 0.4], [0.9, 0.05, 0.05], [0.2, 0.2, 0.6]],
        ]
    )
    # A constant of each slot does not matter, however large.
    shifts = np.array([[0, 900, -900, 3], [900, 0, 0, -5]])[..., None]
    keep_ids = np.array([[7, 7, 8, NO_LABEL], [7, 8, 8, 9]])
    expected = chances.copy()
    expected[0, 3] = [0, 0.75, 0.25]
    for options, odds in (({}, 1), ({"keep_bias": math.log(2)}, 2)):
        found = np.exp(three_way_log_probs(np.log(chances) + shifts, keep_ids, **options))
        biased = expected * [odds, 1, 1]
        assert found == pytest.approx(biased / biased.sum(axis=-1, keepdims=True), abs=1e-4)


def test_slots_are_scored_without_a_bias_unless_one_is_given(small_tokenizer):
    """Whatever the network says of padding, no words are looked up there."""
    backend = unsure_of_a_cat(small_tokenizer)
    sources = small_tokenizer.encode_many(["the cat", "I know what it is"])
    batch = Batch.of(sources, small_tokenizer.pad_id)
    output = backend.run(batch)
    output.three_way[np.repeat(batch.attention_mask == 0, 2, axis=1)] = ADD
    scores = score_slots(backend, batch, output)
    assert np.exp(scores.three_way[0, 4]) == pytest.approx([0.2, 0.1, 0.7])
    assert scores.rows.tolist() == [4]
    assert np.exp(scores.top_scores[0, 0]) == pytest.approx(0.6)
    assert np.exp(scores.keep_scores) == pytest.approx([0.1])


def test_a_document_is_as_sure_as_its_least_sure_edit(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    table = Misspellings({"teh": "the"}, confidence=0.75)
    editor = Editor(SentenceEditor(backend, small_tokenizer, misspellings=table))
    for _ in ("run", "remembered"):
        sure = editor.edit("I like a cat. I know what it is.")
        assert sure.edits
        assert sure.confidence == sure.edits[0].confidence > 0.9
        assert editor.edit("I like a cat. They like teh dog.").confidence == 0.75
        assert editor.edit("I like it. They like `teh` dog.", markup="markdown").confidence == 1
        assert (
            editor.edit(r"I \emph{like} it. They like teh dog.", markup="latex").confidence == 0.75
        )


def test_a_cell_gets_no_full_stop(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "cat."})
    editor = Editor(SentenceEditor(backend, small_tokenizer))
    text = "| cat | It is a cat |\n|---|---|\n"
    assert editor.edit(text).text == text


def test_quotes_of_latex_are_not_curly(small_tokenizer):
    pytest.importorskip("pylatexenc")
    backend = ScriptedBackend(small_tokenizer, {"dont": "don't"})
    editor = Editor(SentenceEditor(backend, small_tokenizer))
    edited = editor.edit("``I dont know,'' he said.", markup="latex")
    assert edited.text == "``I don't know,'' he said."


def test_a_heading_gets_no_mark(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "cat,"})
    editor = Editor(SentenceEditor(backend, small_tokenizer))
    edited = editor.edit("I like a cat\n\nThey like a cat and I know what it is.")
    assert edited.text == "I like a cat\n\nThey like a cat, and I know what it is."
