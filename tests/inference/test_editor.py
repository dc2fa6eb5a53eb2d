"""Whole documents, under an editor that changes whatever it can."""

import os
import re
import threading
import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emendo import Edit, Editor
from emendo.bundle import Level
from emendo.inference import SentenceEditor
from emendo.text import EditedText, is_in, protected_spans, split_sentences
from tests.in_steps import InSteps
from tests.inference.scripted_networks import ScriptedBackend
from tests.text.test_language import SENTENCES
from tests.text.test_protection import MARKDOWN, PROTECTED, WORDS
from tests.text.test_segmentation import documents

# Ten thousand documents in the long form: EMENDO_LONG=1.
EXAMPLES = 10_000 if os.environ.get("EMENDO_LONG") else 300


class Vandal(InSteps):
    """An editor that rewrites every word, moves commas, and puts a full stop behind everything."""

    max_tokens = 40

    def __init__(self):
        self.seen = []

    def count_tokens(self, sentence):
        return len(re.findall(r"\w+|\S", sentence)) + 2

    def edit_sentences(self, sentences, level):
        self.seen += sentences
        return [EditedText(sentence, tuple(self.edits(sentence))) for sentence in sentences]

    def edits(self, sentence):
        assert not re.search(r"[\n\r\u2028\u2029\x0b\x0c\x85]", sentence), "a sentence is a line"
        if self.count_tokens(sentence) > self.max_tokens:
            return
        last = 0
        for k, match in enumerate(re.finditer(r"\w+| |[^\w\s]", sentence)):
            start, end = match.span()
            if k % 5 == 4 and match.group() == " ":
                yield Edit(start, end, "")
            elif k % 3 == 2:
                yield Edit(start, start, ", ")
            elif match.group() != " ":
                yield Edit(start, end, f"X{match.group()}X")
            last = end
        if sentence.strip():
            yield Edit(max(last, len(sentence)), len(sentence), ".")


def vandalise(text, languages=("en",), **options):
    editor = Vandal()
    return Editor(editor, languages=languages).edit(text, **options), editor


def touched(edit, start, end):
    inside = edit.start < end and edit.end > start
    return inside or (edit.start == edit.end and start < edit.start < end)


def check(text, edited, *, markdown=False):
    """Hold an edited document to every promise."""
    assert edited.source == text
    spans = protected_spans(text, markdown=markdown, words=WORDS)
    for edit in edited.edits:
        assert not any(touched(edit, *span) for span in spans)
        assert not re.search(r"[\n\r\u2028\u2029\x0b\x0c\x85]", text[edit.start : edit.end])
    output, done = edited.text, 0
    for start, end in spans:
        # Protected spans stand in the output in their order, as they were.
        done = output.index(text[start:end], done) + end - start
    for start, end in split_sentences(text):
        if not is_in(text[start:end], ("en",)) and not any(s < end and e > start for s, e in spans):
            assert not any(touched(edit, start, end) for edit in edited.edits)
    rest = [text]
    done, rest = 0, []
    for edit in edited.edits:
        rest.append(text[done : edit.start])
        done = edit.end
    rest.append(text[done:])
    for part in rest:
        assert part in output


parts = st.one_of(
    documents,
    st.sampled_from(sorted(PROTECTED.values())),
    st.sampled_from(sorted(MARKDOWN.values())),
    st.sampled_from(sorted(SENTENCES.values())),
    st.sampled_from(["She like the dogs. ", "He go to the store and the school. ", "\n\n", "\n"]),
)
whole_documents = st.lists(parts, max_size=8).map("".join)


@settings(max_examples=EXAMPLES)
@given(whole_documents, st.booleans())
@example("\ufeffShe like it.\r\nThe dog\r\n> the cat", True)
@example("- > ```\n  > the code\n\nthe text", True)
def test_any_document(text, markdown):
    edited, _ = vandalise(text, markup="markdown" if markdown else "plain", dictionary=WORDS)
    check(text, edited, markdown=markdown)


def test_the_vandal_really_edits():
    edited, _ = vandalise("She likes the dogs. He goes to the store.\nAnd back.")
    assert len(edited.edits) > 10


@pytest.mark.parametrize("code", [code for code in SENTENCES if code != "en"])
def test_a_paragraph_in_another_language_stays(code):
    foreign = SENTENCES[code]
    text = f"She like the dogs.\n\n{foreign}\n\nHe go to the store."
    edited, _ = vandalise(text)
    assert foreign in edited.text
    assert len(edited.edits) > 5
    assert vandalise(foreign)[0].edits == ()
    assert vandalise(foreign, languages=("en", code))[0].edits


def test_what_cannot_be_told_goes_with_its_neighbours():
    german = "Ja, das ist so und nicht anders. Klar! Wir haben es doch alle gesagt. Stimmt."
    assert vandalise(german)[0].edits == ()
    english = "Yes, that is the way it is. Klar! We have all said it. Okay."
    assert "XKlarX" in vandalise(english)[0].text


def build_nasty():
    prose = "She like the dogs and go to the store with him. "
    yield "crlf", (prose + "\r\n") * 50
    yield "cr", (prose + "\r") * 50
    yield "bom", "\ufeff" + prose
    yield "scripts", "".join(f"{prose}{s}\n\n" for s in SENTENCES.values())
    yield "mixed sentence", "She like 中国 and Москва, говорит the שלום dog.\n"
    yield "one line", prose * 21_000
    yield "one word", "a" * 1_000_000
    yield "one sentence", "the dog and " * 20_000
    yield "blank lines", "\n" * 100_000 + prose + "\r\n" * 100_000
    yield "lines", "the dog\n" * 20_000
    yield "invalid", b"She like \xff\xfe the \xc3 dogs \x80.".decode("utf-8", "surrogateescape")
    yield "all bytes", bytes(range(256)).decode("utf-8", "surrogateescape") * 20
    yield "latin-1", "Café is the née.".encode("latin-1").decode("utf-8", "surrogateescape")
    yield "nul", "She\x00like\x00the dogs.\x00" * 20
    yield "marks", "She like the d" + "\u0301" * 5000 + "og."
    yield "emoji", "She like 👨\u200d👩\u200d👧 and 🏳️\u200d🌈 the 🇩🇪. " * 50
    yield "bidi", "She \u202elike\u202c the dogs. " * 20
    yield "fences", "```\nthe code\n" * 2001
    yield "quotes", "> " * 2000 + "the dog"
    yield "table", "| the dog | the cat |\n|---|---|\n" + "| a | b |\n" * 2000
    yield "separators", "She like\u2028the\u2029dogs.\x0bHe\x0cgo\x85to\x1cthe store."
    yield "nothing", ""
    yield "space", " \t\u00a0\u3000\n" * 100


@pytest.mark.parametrize(("name", "text"), list(build_nasty()), ids=lambda value: str(value)[:12])
@pytest.mark.parametrize("markdown", [False, True], ids=["plain", "markdown"])
def test_nasty_files(name, text, markdown):
    begin = time.process_time()
    edited, _ = vandalise(text, markup="markdown" if markdown else "plain", dictionary=WORDS)
    assert time.process_time() - begin < 30, name
    assert edited.source == text
    if len(text) < 100_000:
        check(text, edited, markdown=markdown)
    if name in ("invalid", "all bytes", "latin-1"):
        before = text.encode("utf-8", "surrogateescape")
        after = edited.text.encode("utf-8", "surrogateescape")
        assert [b for b in before if b > 127] == [b for b in after if b > 127]
    if name in ("one line", "crlf", "bom"):
        assert edited.edits


def test_no_edit_crosses_a_line_and_quotes_keep_their_marks():
    text = "> the dog\r\n> goes to  \r\n> the store"
    edited, editor = vandalise(text)
    assert editor.seen == ["the dog goes to the store"]
    marks = [line[:2] for line in edited.text.split("\r\n")]
    assert marks == ["> ", "> ", "> "]
    assert edited.edits


class Splitter(Vandal):
    """Joins two words into one, or three."""

    def edits(self, sentence):
        yield Edit(2, 9, "x y")


def test_an_edit_over_a_line_break_is_dropped_and_one_beside_it_is_not():
    text = "the dog\nlikes it"
    assert Editor(Splitter()).edit(text).edits == ()
    assert Editor(Splitter()).edit("the dog likes\nit").edits == (Edit(2, 9, "x y"),)


def test_positions_are_those_of_the_document(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog", "likes": "like"})
    editor = Editor(SentenceEditor(backend, small_tokenizer))
    text = "\ufeff# The cat\r\n\r\nShe likes\r\na cat. `cat` Cats\r\n\r\n```\r\ncat\r\n```\r\n"
    edited = editor.edit(text, markup="markdown", dictionary=["Cats"])
    assert (
        edited.text
        == "\ufeff# The dog\r\n\r\nShe like\r\na dog. `cat` Cats\r\n\r\n```\r\ncat\r\n```\r\n"
    )
    assert [text[e.start : e.end] for e in edited.edits] == ["cat", "likes", "cat"]


def test_long_sentences_are_edited_in_pieces_that_do_not_look_like_sentences():
    text = "the dog and, " * 40
    edited, editor = vandalise(text)
    assert "".join(editor.seen[:1]) in text
    assert all(editor.count_tokens(piece) <= editor.max_tokens for piece in editor.seen)
    assert edited.text.count(".") == 1, "only the sentence ends"
    assert len(edited.edits) > 50


def test_only_what_changed_is_run_again():
    editor = Vandal()
    document = Editor(editor)
    sentences = [f"She like the dogs of number {word}." for word in ("one", "two", "six", "ten")]
    first = document.edit(" ".join(sentences))
    assert len(editor.seen) == 4
    assert document.edit(" ".join(sentences)) == first
    assert len(editor.seen) == 4
    sentences[2] = "She like the cats too."
    document.edit("A new one stands here. " + " ".join(sentences))
    assert editor.seen[4:] == ["A new one stands here.", sentences[2]]


def test_the_cache_is_bounded_and_may_be_none():
    editor = Vandal()
    document = Editor(editor, cache_size=2)
    for word in ("one", "two", "one", "six", "one", "two"):
        document.edit(f"She has {word}.")
    assert [s.split()[-1] for s in editor.seen] == ["one.", "two.", "six.", "two."]
    editor = Vandal()
    document = Editor(editor, cache_size=0)
    assert document.edit("She has one.") == document.edit("She has one.")
    assert len(editor.seen) == 2
    with pytest.raises(ValueError, match="cache_size"):
        Editor(editor, cache_size=-1)


def test_ten_thousand_sentences_are_cached_by_default():
    document = Editor(Splitter())
    lines = [f"Sentence {k}." for k in range(10_001)]
    document.edit_lines(lines)
    assert list(document.remembered(lines)) == lines[1:]


def test_threads_share_a_cache():
    document = Editor(Vandal(), cache_size=5)
    texts = [" ".join(f"She has the {k + j}th dog." for j in range(5)) for k in range(20)]
    expected = [vandalise(text)[0] for text in texts]
    failures = []

    def work():
        for _ in range(10):
            if document.edit_many(texts) != expected:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_documents_side_by_side_are_edited_as_alone():
    texts = ["She like it.", "", "Das ist nicht so, wie wir es haben.", "He go to the store."]
    together = Editor(Vandal()).edit_many(texts)
    assert together == [vandalise(text)[0] for text in texts]


def test_edits_of_a_document_keep_their_type_and_confidence(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"likes": "like"})
    editor = Editor(SentenceEditor(backend, small_tokenizer))
    text = "It is fine.\n\nThey likes a cat."
    (edit,) = editor.edit(text).edits
    assert text[edit.start : edit.end] == "likes"
    assert edit.type == "agreement"
    assert 0.5 < edit.confidence < 1


def test_levels_are_named_and_do_not_share_what_is_remembered(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"likes": "like"})
    levels = {"balanced": Level(), "precise": Level(edit_threshold=1.1)}
    editor = Editor(SentenceEditor(backend, small_tokenizer), levels=levels)
    text = "They likes a cat."
    for _ in range(2):
        assert editor.edit(text).edits
        assert not editor.edit(text, level="precise").edits
        assert not editor.edit_sentences([text], level="precise")[0].edits
    with pytest.raises(ValueError, match="no level 'bold'; levels: balanced, precise"):
        editor.edit(text, level="bold")
    with pytest.raises(ValueError, match="bold"):
        Editor(SentenceEditor(backend, small_tokenizer), default_level="bold")


def test_progress_is_told_up_to_the_end():
    told = []
    texts = [f"She has the {k}th dog." for k in range(1200)] + ["She has the 1th dog."]
    Editor(Vandal()).edit_many(texts, on_progress=lambda *figures: told.append(figures))
    assert (told[0], told[-1]) == ((0, 1200), (1200, 1200))
    steps = [done for done, _ in told]
    assert steps == sorted(steps)
    assert max(after - before for before, after in pairwise(steps)) < 100
