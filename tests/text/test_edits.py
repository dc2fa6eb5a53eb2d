"""Edits as a person would make them."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emendo.errors import EditError
from emendo.text import Edit, EditedText, TextTokenizer, apply_edits, merge_edits, render
from emendo.text.edits import least_confidence
from emendo.text.words import split_words
from tests.conftest import FAMILIES


@pytest.mark.parametrize(
    ("source", "replacements", "edits"),
    [
        pytest.param("I like an dog.", [(6, 9, ""), (13, 13, "s")], [(7, 13, "dogs")], id="one thought, one edit"),
        pytest.param("go store", [(2, 2, " to the")], [(2, 2, " to the")], id="insertion before the space"),
        pytest.param("teh qiuck fox", [(0, 9, "the quick")], [(0, 3, "the"), (4, 9, "quick")], id="typos stay apart"),
        pytest.param("he go store", [(5, 5, "es to the")], [(3, 5, "goes"), (5, 5, " to the")], id="respelling and insertion"),
        pytest.param("store is", [(0, 0, "The ")], [(0, 0, "The ")], id="insertion at the start"),
        pytest.param("An dog", [(0, 3, "")], [(0, 3, "")], id="deletion at the start"),
        pytest.param("a big big dog", [(5, 9, "")], [(5, 9, "")], id="doubled word"),
        pytest.param("However I", [(7, 7, ",")], [(7, 7, ",")], id="comma"),
        pytest.param("in formations", [(0, 13, "information is")], [(0, 13, "information"), (13, 13, " is")], id="words that moved"),
        pytest.param("well known", [(4, 5, "-")], [(0, 10, "well-known")], id="hyphen"),
        pytest.param("like alot", [(5, 9, "a lot")], [(5, 9, "a lot")], id="one word, two words"),
        pytest.param("Infact he", [(0, 6, "In fact")], [(0, 6, "In fact")], id="one word, two words at the start"),
        pytest.param("an every day one", [(8, 9, "")], [(3, 12, "everyday")], id="two words, one word"),
        pytest.param("its late", [(2, 2, "'")], [(0, 3, "it's")], id="apostrophe"),
        pytest.param("a  b", [(1, 2, "")], [(1, 3, " ")], id="spacing"),
        pytest.param("walked", [(4, 6, "s")], [(0, 6, "walks")], id="never inside a word"),
        pytest.param("中国人", [(1, 2, "國")], [(1, 2, "國")], id="ideographs are words"),
        pytest.param("e\u0301t", [(0, 1, "a")], [(0, 3, "a\u0301t")], id="marks stay with letters"),
        pytest.param("👨\u200d👩\u200d👧 ok", [(4, 5, "👦")], [(0, 5, "👨\u200d👩\u200d👦")], id="family"),
        pytest.param("same", [(0, 4, "same")], [], id="no change"),
        pytest.param("a b c", [(0, 5, "")], [(0, 5, "")], id="all gone"),
    ],
)  # fmt: skip
def test_merge_edits(source, replacements, edits):
    edited = merge_edits(source, replacements)
    assert [(e.start, e.end, e.replacement) for e in edited.edits] == edits
    assert edited.text == apply_edits(source, [Edit(*r) for r in replacements])


@settings(max_examples=500)
@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.text(max_size=8)), max_size=5),
)
def test_merge_edits_keeps_the_output_and_the_words_whole(source, cuts):
    replacements, done = [], 0
    for start, length, new in sorted(cuts):
        if start >= done and start + length <= len(source):
            replacements.append((start, start + length, new))
            done = start + length
    edited = merge_edits(source, replacements)
    assert edited.text == apply_edits(source, [Edit(*r) for r in replacements])
    assert edited.source == source
    grid = {0, len(source)} | {p for word in split_words(source) for p in word}
    for edit in edited.edits:
        assert {edit.start, edit.end} <= grid or source[edit.start : edit.end].isspace()


def test_a_rewritten_page_is_one_edit():
    source = " ".join(f"a{i}" for i in range(100))
    target = " ".join(f"b{i}" for i in range(100))
    assert merge_edits(source, [(0, len(source), target)]).edits == (Edit(0, len(source), target),)


@given(st.text())
def test_words_tile_any_text(text):
    words = split_words(text)
    assert "".join(text[word.start : word.end] for word in words) == text
    assert all(text[word.start : word.body].strip() == "" for word in words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't, really.", ["I", "don't", ",", "really", "."]),
        ("3.14 costs 10,000$", ["3.14", "costs", "10,000", "$"]),
        ("well-known -- e.g.", ["well-known", "-", "-", "e", ".", "g", "."]),
        ("naïve cafe\u0301 हिन्दी", ["naïve", "cafe\u0301", "हिन्दी"]),
        ("東京に ไทย", ["東", "京", "に", "ไ", "ท", "ย"]),
    ],
)
def test_split_words(text, words):
    assert [text[word.body : word.end] for word in split_words(text)] == words


def test_rounds_compose_onto_the_first_source():
    first = EditedText("He go store", (Edit(3, 5, "goes"),))
    second = EditedText("He goes store", (Edit(7, 7, " to the"),))
    third = EditedText("He goes to the store", (Edit(3, 7, "go"), Edit(20, 20, ".")))
    edited = first.then(second).then(third)
    assert edited.text == "He go to the store."
    assert edited.edits == (Edit(5, 5, " to the"), Edit(11, 11, "."))
    undone = first.then(EditedText("He goes store", (Edit(3, 7, "go"),)))
    assert undone.edits == ()


def test_a_round_on_another_text_is_refused():
    with pytest.raises(EditError, match="order"):
        EditedText("a b", (Edit(0, 1, "c"),)).then(EditedText("a b", (Edit(0, 1, "d"),)))


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([Edit(2, 9, "")], "outside"),
        ([Edit(-1, 1, "")], "outside"),
        ([Edit(2, 1, "")], "outside"),
        ([Edit(0, 2, ""), Edit(1, 3, "")], "before position 2"),
    ],
)
def test_edits_that_do_not_fit_are_refused(edits, message):
    with pytest.raises(EditError, match=message):
        apply_edits("abc", edits)


def outputs(tokenizer, source, target):
    """Write all of a target by ADD, as a network without KEEP would."""
    tokens = tokenizer.encode(source)
    labels = tokenizer.encode_target(target, tokens).labels
    return render(tokenizer, tokens, labels, [-1] * len(labels))


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        ("I like an dog.", "I like dogs.", [(7, 13, "dogs")]),
        ("go store", "go to the store", [(2, 2, " to the")]),
        ("store is big", "The store is big", [(0, 0, "The ")]),
        ("An dog", "dog", [(0, 3, "")]),
        ("I üse it", "I use it", [(2, 5, "use")]),
        ("had had had", "had had", [(7, 11, "")]),
        ("nothing", "", [(0, 7, "")]),
    ],
)
def test_render(small_tokenizer, source, target, edits):
    edited = outputs(small_tokenizer, source, target)
    assert edited.text == target
    assert [(e.start, e.end, e.replacement) for e in edited.edits] == edits
    padded = outputs(small_tokenizer, f"\n {source}\t", target)
    assert padded.text == f"\n {target}\t"


def test_render_undoes_bytes_that_are_no_text(small_tokenizer):
    source = small_tokenizer.encode("a 😀 b")
    unit = int(source.unit_sizes.argmax())
    assert source.unit_sizes[unit] > 1, "an emoji is several tokens to a byte-level tokenizer"
    tokens = [k for k in range(len(source)) if source.unit[k] >= 0]
    for missing in [k for k in tokens if source.unit[k] == unit][1:]:
        kept = [k for k in tokens if k != missing]
        assert render(small_tokenizer, source, source.ids[kept], kept).edits == ()
    kept = [k for k in tokens if source.unit[k] != unit]
    assert render(small_tokenizer, source, source.ids[kept], kept).text.split() == ["a", "b"]


def test_render_writes_all_of_a_passage_or_nothing(small_tokenizer):
    source = small_tokenizer.encode("a 😀 b")
    unit = int(source.unit_sizes.argmax())
    tokens = [k for k in range(len(source)) if source.unit[k] >= 0]
    last = [k for k in tokens if source.unit[k] == unit][-1]
    for missing, changed in (([last, tokens[-1]], ()), ([tokens[-1]], ("a 😀",))):
        kept = [k for k in tokens if k not in missing]
        some = render(small_tokenizer, source, source.ids[kept], kept)
        assert some.text == "a 😀"
        found = render(small_tokenizer, source, source.ids[kept], kept, together=True)
        assert found.text == (*changed, "a 😀 b")[0]


def test_a_character_of_several_tokens_is_copied_whole_or_not_at_all():
    unigram = TextTokenizer(FAMILIES["unigram"]())
    # NFKC makes several tokens of this one character.
    source = unigram.encode("ﷺ ﷺ x")
    big = np.flatnonzero(source.unit_sizes == source.unit_sizes.max())
    one, two = ([k for k in range(len(source)) if source.unit[k] == unit] for unit in big)
    assert len(one) > 1
    assert source.keep_ids[one].tolist() == source.keep_ids[two].tolist()

    def text(kept):
        return render(unigram, source, source.keep_ids[kept], kept).text

    before = list(range(1, one[0]))
    after = list(range(two[-1] + 1, len(source) - 1))
    assert text([*before, *one, *after]) == "ﷺ x"
    # The same labels, gathered from both places.
    assert text([*before, *one[:-1], two[-1], *after]) == "ﷺ x"
    # A part of it is no character of the source: undone.
    assert text([*before, *one[1:], *after]) == "ﷺ ﷺ x"


def test_surrogates_stay_outside_edits():
    edited = merge_edits("teh\u200d\ud800 x", [(0, 3, "the")])
    assert edited.edits == (Edit(0, 4, "the\u200d"),)
    with pytest.raises(EditError, match="surrogate"):
        merge_edits("a\ud800", [(1, 2, "")])


def test_long_words_take_no_time():
    line = "_" * 100_000
    start = time.perf_counter()
    assert merge_edits(line, [(99_000, 100_000, "")]).text == "_" * 99_000
    other = merge_edits(line, [(0, 50_000, "a" * 50_000)])
    assert len(other.edits) == 1
    assert time.perf_counter() - start < 2


def test_words_written_as_they_were_are_no_edits():
    words = [f"w{i}" for i in range(200)]
    source = " ".join(words)
    words[100] = "new"
    target = " ".join(words)
    edited = merge_edits(source, [(0, len(source), target)])
    assert [e.replacement for e in edited.edits] == ["new"]


def test_a_later_edit_is_laid_where_its_words_were():
    """One place to the side, it would touch a neighbour, and lend it its confidence."""
    first = EditedText("a b c", (Edit(0, 1, "xx", 0.9),))
    later = EditedText("xx b c", (Edit(3, 4, "y", 0.3), Edit(5, 6, "z", 0.8)))
    merged = first.then(later)
    assert merged.text == "xx y z"
    assert [edit.confidence for edit in merged.edits] == [0.9, 0.3, 0.8]


def test_an_insertion_keeps_what_is_known_of_it_when_others_come_later():
    first = EditedText("a c d", (Edit(1, 1, " b", 0.4, alternatives=(" x",)),))
    merged = first.then(EditedText("a b c d", (Edit(6, 7, "e", 0.8),)))
    assert [edit.confidence for edit in merged.edits] == [0.4, 0.8]
    assert [edit.alternatives for edit in merged.edits] == [(" x",), ()]


def test_an_edit_keeps_its_type_and_origin_when_others_come_later():
    """A level has thresholds by type, and sees the corrections of two lists together."""
    first = EditedText("teh foxx", (Edit(0, 3, "the", 0.9, "spelling"),))
    later = EditedText("the foxx", (Edit(4, 8, "fox", 0.8, "spelling", is_listed=True),))
    merged = first.then(later)
    assert [edit.type for edit in merged.edits] == ["spelling", "spelling"]
    assert [edit.group for edit in merged.edits] == ["spelling", "listed"]


def test_an_edit_made_of_several_has_the_origin_of_the_least_sure():
    """A split and a respelling beside it are joined into one edit."""
    first = EditedText("He recieved alot.", (Edit(3, 11, "received", 0.97, "spelling"),))
    split = Edit(12, 16, "a lot", 0.6, "spacing", is_listed=True)
    (merged,) = first.then(EditedText(first.text, (split,))).edits
    assert (merged.start, merged.end, merged.replacement) == (3, 16, "received a lot")
    assert (merged.confidence, merged.type, merged.group) == (0.6, "spacing", "listed")


def test_new_text_beside_a_correction_does_not_have_its_origin():
    first = EditedText("teh foxx", (Edit(4, 8, "fox", 0.6, "spelling", is_listed=True),))
    later = first.then(EditedText("teh fox", (Edit(7, 7, ".", 0.9, "punctuation"),)))
    assert [edit.is_listed for edit in later.edits] == [True, False]


def test_edits_that_do_the_same_are_equal():
    sure, unsure = Edit(0, 1, "a"), Edit(0, 1, "a", 0.5, "spelling", ("b",))
    assert sure == unsure == Edit(0, 1, "a", is_listed=True)
    assert sure != Edit(0, 1, "b")
    assert len({EditedText("x", (sure,)), EditedText("x", (unsure,), 0.5)}) == 1
    assert not hasattr(sure, "__dict__"), "there are many"


def test_what_nobody_doubted_is_certain():
    assert Edit(0, 1, "a").confidence == EditedText("a").confidence == least_confidence(()) == 1
    assert least_confidence([Edit(0, 1, "a", 0.7), Edit(2, 3, "b", 0.6)]) == 0.6


@pytest.mark.parametrize(
    ("own", "asked", "text"),
    [
        pytest.param([Edit(4, 6, "went")], Edit(4, 6, "goes"), "went", id="the same words"),
        pytest.param([Edit(7, 9, "into")], Edit(4, 9, ""), "go into", id="some of the words"),
        pytest.param([Edit(9, 9, " the")], Edit(4, 9, ""), "go to", id="an insertion right after"),
        pytest.param([Edit(4, 4, "may ")], Edit(4, 6, ""), "go", id="an insertion right before"),
        pytest.param([Edit(6, 6, " in")], Edit(4, 9, ""), "go in to", id="an insertion inside"),
        pytest.param([Edit(0, 6, "Go")], Edit(4, 9, ""), None, id="from further left"),
        pytest.param([Edit(7, 16, "")], Edit(4, 9, ""), None, id="to further right"),
        pytest.param([Edit(0, 3, "He")], Edit(4, 9, ""), "go to", id="other words"),
        pytest.param([Edit(9, 9, " the")], Edit(9, 9, " a"), " the", id="inserted in one place"),
        pytest.param([Edit(3, 3, " may")], Edit(9, 9, " a"), "", id="inserted in two places"),
        pytest.param([Edit(4, 6, "went")], Edit(9, 9, " a"), "", id="words before it"),
        pytest.param([Edit(7, 9, "into")], Edit(9, 9, " a"), "", id="words up to it"),
        pytest.param([Edit(9, 16, "")], Edit(9, 9, " a"), "", id="words from it on"),
        pytest.param([Edit(7, 16, "home")], Edit(9, 9, " a"), None, id="words around it"),
    ],
)
def test_what_stands_in_place_of_an_edit(own, asked, text):
    assert EditedText("She go to school", tuple(own)).in_place_of(asked) == text


def test_an_edit_does_not_lend_its_confidence_to_the_one_beside_it():
    first = EditedText("I see teh", (Edit(6, 9, "the", 0.97),))
    merged = first.then(EditedText("I see the", (Edit(9, 9, ".", 0.6),)))
    assert [each.confidence for each in merged.edits] == [0.97, 0.6]
    # What replaces deleted text is composed of both.
    gone = EditedText("a b c", (Edit(1, 3, "", 0.9),))
    (one,) = gone.then(EditedText("a c", (Edit(1, 1, " d", 0.7),))).edits
    assert one.confidence == 0.7
