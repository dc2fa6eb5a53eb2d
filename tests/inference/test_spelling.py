"""Unknown words, corrected by a list and a network's opinion of the context."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from emendo import Edit, EditedText
from emendo.bundle import Level
from emendo.inference import Batch, NetworkOutput, SentenceEditor, WordScores
from emendo.inference import likelihoods as module
from emendo.inference.slot_scoring import three_way_log_probs
from emendo.inference.spelling import Candidate, Doubt, _slots_at, doubts, kept_likelihoods
from emendo.text.known_words import KnownWords
from emendo.text.near_words import NearWord, NearWords, UnknownWord
from tests.inference.scripted_networks import ChanceBackend, ScriptedBackend, piece

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


class Listed:
    """Says that one word of a text is unknown, and what the list has in its place."""

    def __init__(self, word, near, known=(), weights=()):
        self.word, self.near = word, tuple(NearWord(*each) for each in near)
        self.known, self.weights = KnownWords(known), weights
        self.distance = NearWords(self.known).distance

    def unknown(self, text):
        start = text.find(self.word)
        if start >= 0:
            yield UnknownWord(start, start + len(self.word), self.near)


def doubts_of(tokenizer, chances, near, own=()):
    """The doubts about *know*, of a network that keeps or writes words at its slot by chance."""
    words = {piece(tokenizer, word): chance for word, chance in chances.items()}
    backend = ChanceBackend(tokenizer, "know", (0.1, 0.0, words), (0.0, 1.0, {}))
    # The word stands in the second sentence of the batch.
    sources = tokenizer.encode_many(["They like it too.", "I know it."])
    batch = Batch.of(sources, tokenizer.pad_id)
    output = backend.run(batch)
    keep_ids = backend.alphabet.slot_keep_ids(batch.keep_ids)
    three_way = three_way_log_probs(output.three_way, keep_ids)
    edited = [EditedText(sources[0].text), EditedText(sources[1].text, tuple(own))]
    return list(doubts(backend, tokenizer, near, sources, edited, output, three_way))


def test_a_candidate_gains_by_what_the_network_would_write(small_tokenizer):
    """The word stays with 0.1 + 0.2."""
    chances = {"know": 0.2, "like": 0.6, "have": 0.1}
    near = Listed("know", [("like", 2), ("have", 1), ("go", 2)])
    (doubt,) = doubts_of(small_tokenizer, chances, near)
    assert (doubt.text, doubt.word) == ("I know it.", UnknownWord(2, 6, near.near))
    found = {each.text: (each.letters, each.gain) for each in doubt.candidates}
    assert found["have"] == (1, pytest.approx(math.log(0.1 / 0.3), abs=1e-5))
    assert found["like"] == (2, pytest.approx(math.log(0.6 / 0.3), abs=1e-5))
    assert len(found) == 2, "there is no chance of the third"


def test_a_word_without_possible_candidates_stays(small_tokenizer):
    assert doubts_of(small_tokenizer, {"like": 0.9}, Listed("know", [("have", 1)])) == []
    (doubt,) = doubts_of(small_tokenizer, {"have": 0.9}, Listed("know", [("have", 1), ("go", 1)]))
    assert [each.text for each in doubt.candidates] == ["have"]


def test_the_four_best_candidates_are_read(small_tokenizer):
    words = ["like", "have", "go", "be", "been"]
    chances = {word: 0.3 - 0.05 * k for k, word in enumerate(words)}
    near = Listed("know", [(word, 1) for word in reversed(words)])
    (doubt,) = doubts_of(small_tokenizer, chances, near)
    assert [each.text for each in doubt.candidates] == words[:4]


@pytest.mark.parametrize(("gain", "is_offered"), [(-29.5, True), (-30.5, False)])
def test_a_candidate_that_is_all_but_impossible_is_not_read(small_tokenizer, gain, is_offered):
    chances = {"know": 0.2, "have": 0.3 * math.exp(gain)}
    found = doubts_of(small_tokenizer, chances, Listed("know", [("have", 1)]))
    assert [each.text for doubt in found for each in doubt.candidates] == ["have"] * is_offered


def test_candidates_are_read_best_first_unless_far_below_the_best(small_tokenizer):
    """*go* is far below *like*, though not below *have*."""
    chances = {"like": 0.8, "have": 0.8 * math.exp(-6.5), "go": 0.8 * math.exp(-7.5)}
    for words in (["go", "have", "like"], ["like", "go", "have"]):
        near = Listed("know", [(word, 1) for word in words])
        (doubt,) = doubts_of(small_tokenizer, chances, near)
        assert [each.text for each in doubt.candidates] == ["like", "have"]


@pytest.mark.parametrize(
    ("own", "offered"),
    [
        ([Edit(2, 6, "have")], ["have", "like"]),
        ([Edit(2, 6, "go")], ["like"]),
        ([Edit(2, 6, "")], ["like"]),
        ([Edit(1, 9, "")], ["like"]),
        ([Edit(2, 6, "have it")], ["like"]),
        ([Edit(2, 6, "like")], ["like"]),
        ([], ["like"]),
    ],
)
def test_the_networks_own_word_is_a_candidate_if_it_is_known(small_tokenizer, own, offered):
    chances = {"have": 0.4, "like": 0.3, "go": 0.2}
    near = Listed("know", [("like", 3)], known=["have", "like"])
    (doubt,) = doubts_of(small_tokenizer, chances, near, own=own)
    # All letters of "know" and "have" differ.
    letters = {"like": 3, "have": 4}
    found = {each.text: each.letters for each in doubt.candidates}
    assert found == {word: letters[word] for word in offered}


def test_a_language_may_have_its_own_weights(small_tokenizer):
    usual = Doubt("a", UnknownWord(0, 1, ()), ()).weights
    for weights, found in (((), usual), ((1.0, 2.0), (1.0, 2.0))):
        near = Listed("know", [("like", 1)], weights=weights)
        (doubt,) = doubts_of(small_tokenizer, {"like": 0.9}, near)
        assert doubt.weights == found


def test_the_ease_counts_more_than_the_gain_and_letters_count_against_a_candidate():
    by_gain, by_ease = Candidate("think", 1, -3.0, 1.5), Candidate("thick", 1, -5.0, 3.0)
    assert by_ease.rank > by_gain.rank > Candidate("thank", 2, -3.0, 1.5).rank
    assert Candidate("think", 1, -3.0).rank < by_gain.rank
    # One more letter weighs as much as a gain of 3, and the ease twice as much as the gain.
    assert Candidate("think", 1, -3.0).rank == Candidate("thank", 2, 0.0).rank
    assert Candidate("think", 1, 2.0).rank == Candidate("thick", 1, 0.0, 1.0).rank


def test_a_word_stays_as_it_is_only_by_keeping_it(small_tokenizer):
    """No words are looked up to read a text with a candidate."""
    know, have = (piece(small_tokenizer, word) for word in ("know", "have"))
    slots = (0.2, 0.3, {know: 0.4, have: 0.1}), (0.0, 1.0, {})
    backend = ChanceBackend(small_tokenizer, "know", *slots)
    sources = small_tokenizer.encode_many(["I have it.", "They know it."])
    batch = Batch.of(sources, small_tokenizer.pad_id)
    output = backend.run(batch)
    keep_ids = backend.alphabet.slot_keep_ids(batch.keep_ids)
    three_way = three_way_log_probs(output.three_way, keep_ids)
    found = kept_likelihoods(backend, small_tokenizer, sources, output, three_way)
    assert np.exp(found) == pytest.approx([1.0, 0.2], abs=1e-6)
    assert backend.looked_up == 0


def test_the_networks_own_word_does_not_depend_on_a_bias(small_tokenizer):
    """It offers *be* for *been* if it would write that without a bias, and only then."""
    be, been = (piece(small_tokenizer, word) for word in ("be", "been"))
    known = KnownWords(["I", "it", "be", "seen"])
    for keep, words, edits in (
        (0.001, {be: 0.5, been: 0.4985}, (Edit(2, 6, "be"),)),
        (0.002, {be: 0.499, been: 0.498}, ()),
    ):
        backend = ChanceBackend(small_tokenizer, "been", (keep, 0.0, words), (0.0, 1.0, {}))
        editor = SentenceEditor(backend, small_tokenizer, known_words=known, rounds=1)
        (edited,) = editor.edit_sentences(["I been it"])
        assert edited.edits == edits
        assert all(edit.group == "listed" for edit in edited.edits)


def test_a_text_with_an_unknown_word_is_read_once_more_for_its_candidates(small_tokenizer):
    """If it stays as it is, the first pass says what else the network would change."""
    known = KnownWords(["I", "it", "is", "think"])
    backend = WaveringBackend(small_tokenizer, ["think"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    (edited,) = editor.edit_sentences(["I thinck it is."])
    assert edited.edits == ()
    # The text, then that text and the one with the candidate.
    assert backend.seen == [1, 2]


def test_a_candidate_that_makes_the_text_too_long_is_not_read(small_tokenizer):
    """The word then stays: its candidates cannot be compared."""
    like, d = small_tokenizer.encode("liked").ids[1:-1].tolist()
    words = {piece(small_tokenizer, "likes"): 0.5, like: 0.45}
    slots = (0.05, 0.0, words), (0.0, 0.55, {d: 0.45})
    backend = ChanceBackend(small_tokenizer, "likes", *slots)
    known = KnownWords(["I", "it", "liked"])
    editor = SentenceEditor(backend, small_tokenizer, known_words=known)
    text, other = "I likes it.", "I liked it."
    assert editor.edit_sentences([text])[0].text == other
    assert editor.count_tokens(other) > editor.count_tokens(text)
    backend.max_tokens = editor.count_tokens(text)
    assert editor.edit_sentences([text])[0].text == text


def test_no_candidate_is_better_than_an_unlikely_one():
    doubt = Doubt("a kilim", UnknownWord(2, 7, ()), (Candidate("film", 2, -2.0),))
    assert doubt.readings == ["a kilim", "a film"]
    assert doubt.settle([-1.0, -6.0]) is None
    assert doubt.settle([-1.0, 14.0]) == Edit(2, 7, "film")
    with pytest.raises(ValueError, match="shorter"):
        doubt.settle([-1.0])


def test_candidates_and_doubts_are_values():
    first, second = (Candidate("film", 2, -2.0) for _ in range(2))
    doubt = Doubt("a kilim", UnknownWord(2, 7, ()), (first,))
    assert len({first, second}) == 1
    assert doubt == Doubt("a kilim", UnknownWord(2, 7, ()), (second,))
    with pytest.raises(FrozenInstanceError):
        first.ease = 1.0
    with pytest.raises(FrozenInstanceError):
        doubt.text = "a film"


def test_a_correction_is_made_if_its_confidence_is_at_least_0_3():
    word, candidates = UnknownWord(2, 7, ()), (Candidate("film", 2, -2.0),)
    for odds, confidence in ((3 / 7, 0.3), (3 / 7.1, None), (3, 0.75), (1, 0.5)):
        weights = (math.log(odds), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        edit = Doubt("a kilim", word, candidates, weights).settle([-1.0, -1.0])
        assert (edit and edit.confidence) == (confidence and pytest.approx(confidence))


@pytest.mark.parametrize(
    ("unknown", "candidate", "inputs"),
    [
        ("thinck", Candidate("think", 1, -1.5, 2.5), [1.0, -1.5, 2.5, -1.0, 1.0, 0.0, 0.0]),
        ("glovebox", Candidate("glove box", 1, 4.5, 14.5), [1.0, 4.5, 14.5, 1.0, 1.0, 1.0, 0.0]),
        ("kilims", Candidate("kilim", 1, 9.0, 40.0), [1.0, 5.0, 15.0, -1.0, 1.0, 0.0, 1.0]),
        ("kilimm", Candidate("kilim", 1, -29.5, -4.5), [1.0, -29.5, -4.5, -1.0, 1.0, 0.0, 0.0]),
        ("celims", Candidate("kilim", 3, -90.0, -9.0), [1.0, -30.0, -5.0, -1.0, 3.0, 0.0, 0.0]),
        ("thinklings", Candidate("think", 5, 0.0), [1.0, 0.0, 0.0, 3.0, 5.0, 0.0, 0.0]),
        ("photograpfs", Candidate("film", 9, 0.0), [1.0, 0.0, 0.0, 4.0, 9.0, 0.0, 0.0]),
        ("photograpfing", Candidate("film", 9, 0.0), [1.0, 0.0, 0.0, 4.0, 9.0, 0.0, 0.0]),
    ],
)
def test_the_inputs_of_a_confidence_are_those_that_weights_are_fitted_to(
    unknown, candidate, inputs
):
    """One, gain, ease, length, letters, and whether it is two words or a singular."""
    assert candidate.inputs(unknown) == inputs


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


@pytest.mark.parametrize(("beside", "is_near"), [(47, True), (48, False)])
def test_long_words_beside_a_candidate_are_not_read(beside, is_near):
    """At most 48 characters on each side, the space included."""
    text = f"{'x' * beside} kilim {'y' * beside}"
    word = UnknownWord(beside + 1, beside + 6, ())
    as_it_is, _ = Doubt(text, word, (Candidate("film", 2, -2.0),)).readings
    assert as_it_is == (text if is_near else "kilim")


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


@pytest.mark.parametrize(
    ("text", "word", "tokens"),
    [
        ("thinck", "thinck", range(6)),
        ("thinck it", "thinck", range(6)),
        ("I thinck", "thinck", range(1, 7)),
        ("I (thinck) it", "thinck", range(2, 8)),
        ("the cat", "cat", range(1, 4)),
    ],
)
def test_the_tokens_beside_a_word_may_be_edges_or_marks(small_tokenizer, text, word, tokens):
    """*thinck* has four tokens."""
    source = small_tokenizer.encode(text)
    start = text.index(word)
    slots = _slots_at(source, start, start + len(word), 2)
    assert slots.tolist() == [2 * k + each for k in tokens for each in (0, 1)]


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
