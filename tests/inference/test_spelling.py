"""Unknown words, corrected by a list and a network's opinion of the context."""

import numpy as np
import pytest

from emendo import Edit
from emendo.bundle import Level
from emendo.inference import NetworkOutput, SentenceEditor, WordScores
from emendo.inference import likelihoods as module
from emendo.inference.spelling import Candidate, Doubt, _slots_at
from emendo.text.known_words import KnownWords
from emendo.text.near_words import UnknownWord
from tests.inference.test_sentence_editor import ScriptedBackend

MAYBE_KEEP, UNLIKELY_KEEP = np.log([0.98, 0.01, 0.01]), np.log([0.05, 0.9, 0.05])


class WaveringBackend(ScriptedBackend):
    """Sure of nothing: any word may be written, and some are out of place wherever they stand."""

    def __init__(self, tokenizer, out_of_place):
        super().__init__(tokenizer, {})
        self.out_of_place = [tuple(tokenizer.encode(word).ids[1:-1]) for word in out_of_place]

    def run(self, batch):
        output = super().run(batch)
        has_label = np.repeat(batch.keep_ids >= 0, 2, axis=1)
        output.three_way[has_label] = MAYBE_KEEP
        for b, row in enumerate(batch.input_ids):
            for word in self.out_of_place:
                for n in range(len(row) - len(word) + 1):
                    if tuple(row[n : n + len(word)]) == word:
                        output.three_way[b, 2 * n : 2 * (n + len(word))] = UNLIKELY_KEEP
        return output

    def look_up(self, states, labels):
        found = super().look_up(states, labels)
        return WordScores(found.top_ids, found.top_scores - 9, np.where(labels >= 0, -2.0, -np.inf))


@pytest.fixture
def known():
    words = "the a I like know what it is quick brown fox think and they"
    return KnownWords([*words.split(), "think", "thick", "German"])


def test_the_network_chooses_by_the_context(small_tokenizer, known):
    text = "I thinck the fox."
    for out_of_place, meant in ((["thick"], "think"), (["think"], "thick")):
        backend = WaveringBackend(small_tokenizer, [*out_of_place, "thinck"])
        editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
        (edited,) = editor.edit_sentences([text])
        assert edited.edits[0] == Edit(2, 8, meant)
        assert edited.edits[0].type == "spelling"
        assert edited.edits[0].group == "listed"
        assert 0.3 < edited.edits[0].confidence < 1


def test_a_level_may_ask_for_more(small_tokenizer, known):
    backend = WaveringBackend(small_tokenizer, ["thick", "thinck"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    strict = Level(edit_threshold=0.999)
    everything, careful = editor.edit_at_levels(["I thinck it is."], [Level(), strict])
    assert [edit.replacement for edit in everything[0].edits] == ["think"]
    assert "think" not in careful[0].text


def test_texts_without_unknown_words_are_read_once(small_tokenizer, known):
    backend = WaveringBackend(small_tokenizer, [])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    editor.edit_sentences(["I think it is."])
    assert backend.seen == [1]


def test_what_is_known_is_not_asked_again(small_tokenizer, known):
    backend = WaveringBackend(small_tokenizer, ["thinck"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    remembered = {}
    first = editor.edit_at_levels(["I thinck it is."], [Level()], remembered)
    count = len(backend.seen)
    assert editor.edit_at_levels(["I thinck it is."], [Level()], remembered) == first
    assert len(backend.seen) == count


def test_few_candidates_are_read(small_tokenizer):
    """At most the best four, and none that is far behind."""

    def versions(*unlikely):
        known = KnownWords(["I", "it", "is", "think", "thank", "thick", "third", "thing", "thin"])
        backend = WaveringBackend(small_tokenizer, ["thinck"])
        ids = {each for word in unlikely for each in small_tokenizer.encode(f"I {word}").ids}
        ids -= set(small_tokenizer.encode("I think").ids)
        look_up = backend.look_up

        def opinion(states, labels):
            found = look_up(states, labels)
            scores = np.where(np.isin(labels, list(ids)), -25.0, found.label_scores)
            return WordScores(found.top_ids, found.top_scores, scores)

        backend.look_up = opinion
        editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
        editor.edit_sentences(["I thinck it is."])
        return max(backend.seen)

    # Those with a candidate, and the sentence as it is.
    assert versions() == 5
    assert versions("thank", "thick", "thing", "thin") < 5


def test_no_candidate_is_better_than_an_unlikely_one():
    doubt = Doubt("a kilim", UnknownWord(2, 7, ()), (Candidate("film", 2, -2.0),))
    assert doubt.readings == ["a kilim", "a film"]
    assert doubt.settle([-1.0, -6.0]) is None
    assert doubt.settle([-1.0, 14.0]) == Edit(2, 7, "film")


@pytest.mark.parametrize(
    ("word", "text", "likelier"),
    [
        ("glovebox", "glove box", "glovebaxe"),
        ("phenotypes", "phenotype", "phenotyped"),
        ("Phenotypes", "Phenotype", "Phenotyped"),
        ("lunches", "lunch", "lunched"),
    ],
)
def test_compounds_and_plurals_are_probably_right(word, text, likelier):
    """With the same ratings, another correction is likelier."""
    other = Candidate(likelier, 1, -1.0, 2.0)
    assert Candidate(text, 1, -1.0, 2.0).confidence(word) < 0.75 * other.confidence(word)


def test_a_confidence_grows_with_its_ratings_and_the_word_and_falls_with_the_letters():
    def of(letters=1, gain=-3.0, ease=1.0, word="thinck"):
        return Candidate("think", letters, gain, ease).confidence(word)

    assert of(2) < of() < of(gain=-1.0)
    assert of() < of(ease=2.0)
    assert of() < of(word="thinckling")
    assert of(gain=-30.0) == of(gain=-90.0)
    assert of(ease=15.0) == of(ease=40.0)


def test_a_candidate_is_read_with_the_words_near_it():
    """Its time must not grow with the length of the sentence."""
    words = [f"w{k}" for k in range(40)]
    words[20] = "kilim"
    whole = " ".join(words)
    start = whole.index("kilim")
    for text, shift in ((whole, 0), (whole[start:], start), (whole[: start + 5], 0)):
        word = UnknownWord(start - shift, start - shift + 5, ())
        as_it_is, corrected = Doubt(text, word, (Candidate("film", 2, -2.0),)).readings
        assert as_it_is in text
        assert corrected == as_it_is.replace("kilim", "film")
        expected = [f"w{k}" for k in range(14, 27) if k != 20 and f"w{k}" in text.split()]
        assert [each for each in as_it_is.split() if each != "kilim"] == expected


def test_a_word_without_spaces_around_it_is_read_alone():
    """However long the rest is."""
    text = "<" * 50 + "kilim" + ">" * 50 + " and more"
    doubt = Doubt(text, UnknownWord(50, 55, ()), (Candidate("film", 2, -2.0),))
    assert doubt.readings == ["kilim", "film"]


class CountingBackend(WaveringBackend):
    """Counts the tokens that it reads."""

    tokens = 0

    def run(self, batch):
        self.tokens += batch.input_ids.size
        return super().run(batch)


def test_a_text_of_unknown_words_takes_bounded_time_and_memory(small_tokenizer, known, monkeypatch):
    """A text without a single known word took seconds, and all its tables were in memory at once."""
    cells = []
    real = module.log_likelihoods

    def recorded(blank, emissions, *rest):
        cells.append(emissions.size)
        return real(blank, emissions, *rest)

    monkeypatch.setattr(module, "log_likelihoods", recorded)

    def tokens(count):
        backend = CountingBackend(small_tokenizer, ["thinck"])
        editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
        # The words near each unknown one differ, so that no reading occurs twice.
        text = " ".join(f"{k} thinck" for k in range(count))
        assert len(small_tokenizer.encode(text)) < backend.max_tokens
        editor.edit_sentences([text])
        return backend.tokens - 2 * len(small_tokenizer.encode(text))

    few = tokens(18)
    assert tokens(36) <= few
    assert max(cells) <= 2_000_000


@pytest.mark.parametrize(
    "before", ["", "   ", " " * 12, "«Straße» — 😀 ", "\N{NO-BREAK SPACE}Ölüberfluß, é é é é é é. "]
)
def test_candidates_are_written_at_the_slots_of_their_word(small_tokenizer, before):
    """Positions in a text are code points; those of tokens are bytes, without outer space."""
    text = f"{before}I thinck the fox."
    source = small_tokenizer.encode(text)
    start = len(before) + 2
    slots = _slots_at(source, start, start + len("thinck"), 2)
    tokens = slots[::2] // 2
    assert list(slots) == [2 * k + each for k in tokens for each in (0, 1)]
    # One token more on each side.
    inner = source.spans[tokens[1:-1]]
    written = source.view.encode()[inner[0][0] : inner[-1][1]].decode()
    assert written.strip() == "thinck"


@pytest.mark.parametrize("before", ["", " " * 12, "«Straße» — 😀 é é é é "])
def test_what_stands_before_a_word_does_not_change_its_correction(small_tokenizer, known, before):
    backend = WaveringBackend(small_tokenizer, ["thick", "thinck"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
    (edited,) = editor.edit_sentences([f"{before}I thinck the fox."])
    start = len(before) + 2
    assert Edit(start, start + 6, "think") in edited.edits


class SoftBackend(ScriptedBackend):
    """Replaces words, and keeps them if KEEP gets a bias."""

    def run(self, batch):
        output = super().run(batch)
        chances = np.exp(output.three_way)
        is_changed = (chances[..., 0] < 0.5) & np.repeat(batch.keep_ids >= 0, 2, axis=1)
        chances[is_changed] = 0.9 * chances[is_changed] + [0.05, 0.03, 0.02]
        scores = np.log(chances / chances.sum(axis=-1, keepdims=True))
        return NetworkOutput(scores, output.states)


def test_a_level_does_not_depend_on_the_levels_beside_it(small_tokenizer, known):
    """Levels are tuned together and used alone."""
    backend = SoftBackend(small_tokenizer, {"thinck": "quick"})
    levels = [Level(), Level(keep_bias=6.0)]
    text = "I thinck it is."

    def edited(*levels):
        editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
        return [each.text for (each,) in editor.edit_at_levels([text], levels)]

    alone = [edited(level)[0] for level in levels]
    assert edited(*levels) == alone
    assert edited(*reversed(levels)) == alone[::-1]
