"""The editor over a scripted backend, and over a live network."""

import logging
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emendo import Edit
from emendo.bundle import Level
from emendo.ctc import Alphabet
from emendo.inference import Editor, NetworkOutput, SentenceEditor, WordScores
from emendo.inference.calibration import Calibration
from emendo.labels import NO_LABEL
from emendo.modeling import TorchBackend
from emendo.text.known_words import KnownWords
from emendo.text.misspellings import Misspellings
from tests.conftest import scramble
from tests.text.test_lossless import texts

KEEP, BLANK, ADD = np.log(np.maximum(np.eye(3), 1e-9))


class ScriptedBackend:
    """Keeps everything, but writes `new` for the words it was told to replace."""

    max_tokens = 512

    def __init__(self, tokenizer, replacements):
        self.alphabet = Alphabet(tokenizer.vocab_size, 2)
        self.replacements = {
            tuple(tokenizer.encode(old).ids[1:-1]): tokenizer.encode(new).ids[1:-1]
            for old, new in replacements.items()
        }
        self.seen = []

    def run(self, batch):
        self.seen.append(len(batch.input_ids))
        slots = np.where((batch.keep_ids == NO_LABEL)[..., None], BLANK, KEEP)
        three_way = np.repeat(slots, 2, axis=1)
        # A slot's state is the token to write there.
        states = np.zeros((*three_way.shape[:2], 1))
        for b, row in enumerate(batch.input_ids):
            for old, new in self.replacements.items():
                for n in range(len(row) - len(old) + 1):
                    if tuple(row[n : n + len(old)]) == old:
                        three_way[b, 2 * n : 2 * (n + len(old))] = BLANK
                        for k, token in enumerate(new):
                            three_way[b, 2 * n + k] = ADD
                            states[b, 2 * n + k] = token
        return NetworkOutput(three_way, states)

    def look_up(self, states, labels):
        certain = np.zeros((len(states), 1))
        return WordScores(states.astype(np.int64), certain, np.where(labels == states, 0, -np.inf))


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
