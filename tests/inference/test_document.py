"""A document as an editor reads it, and where the edits of its lines are made."""

import re

import pytest

from emendo import Edit, Editor
from emendo.inference.document import Sentence, Source, read_document
from emendo.text import EditedText
from emendo.text.annotated_text import AnnotatedText
from tests.in_steps import InSteps


class Replacer(InSteps):
    """An editor of sentences that replaces the words it was told to replace."""

    max_tokens = 200

    def __init__(self, replacements):
        self.replacements = replacements
        self.words = re.compile("|".join(map(re.escape, replacements)))

    def count_tokens(self, sentence):
        return len(sentence.split()) + 2

    def edit_sentences(self, sentences, level):
        return [EditedText(each, tuple(self.edits(each))) for each in sentences]

    def edits(self, sentence):
        for match in self.words.finditer(sentence):
            yield Edit(*match.span(), self.replacements[match.group()])


def changed(text, replacements, **options):
    return Editor(Replacer(replacements)).edit(text, **options).text


def read(text, *, max_tokens=100, count_tokens=len, **options):
    return read_document(
        text, languages=("en",), max_tokens=max_tokens, count_tokens=count_tokens, **options
    )


def test_positions_in_a_line_are_those_of_the_document():
    text = "> The dog\r\n> goes to  \r\n> the store."
    (sentence,) = read(text).sentences
    assert sentence.line == "The dog goes to the store."
    places = [sentence.place(sentence.line.index(word)) for word in sentence.line.split()]
    assert places == [text.index(word) for word in ("The", "dog", "goes", "to", "the", "store.")]
    assert list(sentence.fixed()) == [(9, 13), (20, 26)]
    assert [text[start:end] for start, end in sentence.fixed()] == ["\r\n> ", "  \r\n> "]


def test_a_line_break_stays_and_the_words_beside_it_may_change():
    text = "The dog\nlikes it."
    assert changed(text, {"likes": "liked"}) == "The dog\nliked it."
    assert changed(text, {"dog": "cat"}) == "The cat\nlikes it."
    assert changed("The\ndog likes it.", {" ": ""}) == "The\ndoglikesit."


def test_the_words_on_both_sides_of_a_cut_belong_to_it():
    def seams(*pieces):
        end, spans = 0, []
        for piece in pieces:
            spans.append((end, end + len(piece)))
            end += len(piece)
        line = "".join(pieces)
        found = Sentence(0, end, line, (), (), tuple(spans)).seams()
        return [line[start:end] for start, end in found]

    assert seams("Yes,", " I came and went.") == ["Yes, I"]
    assert seams("He saw the dog,", " so she went there,", " too") == ["dog, so", "there, too"]
    assert seams("They go", "ne home.") == ["gone"]
    spaces = " " * 50
    assert seams(f"He goes{spaces}", f"{spaces}and she stays.") == [f"goes{spaces * 2}and"]
    assert seams("It is a whole sentence.") == []


def test_every_piece_fits_even_if_each_byte_takes_two_tokens():
    def count(line):
        return 2 * len(line.encode()) + 4

    (sentence,) = read("He is here.", max_tokens=25, count_tokens=count).sentences
    assert len(sentence.pieces) == 2
    assert max(map(count, sentence.lines)) <= 25
    (sentence,) = read("He is her.", max_tokens=25, count_tokens=count).sentences
    assert sentence.lines == ["He is her."]


def test_a_heading_gets_no_full_stop():
    text = "# The old dog\n\nHe likes it."
    assert changed(text, {"dog": "dog."}) == text
    assert changed(text, {"old": "odd"}) == "# The odd dog\n\nHe likes it."
    assert changed("He saw the old dog", {"dog": "dog."}) == "He saw the old dog."


def test_markdown_is_protected_in_markdown_alone():
    text = "He saw [the cat](cat) here."
    assert changed(text, {"cat": "dog"}, markup="markdown") == "He saw [the dog](cat) here."
    assert changed(text, {"cat": "dog"}) == "He saw [the dog](dog) here."


def test_each_protected_word_of_a_sentence_stays():
    text = "The cat and the hat are as old as I"
    edits = {"cat": "dog", "hat": "cap", "old": "big", "I": "me"}
    assert changed(text, edits) == "The dog and the cap are as big as me"
    own = changed(text, edits, dictionary=["cat", "hat", "I"])
    assert own == "The cat and the hat are as big as I"


def test_a_protected_span_may_begin_in_the_sentence_before():
    text = "Type `go on. Then stop` in it."
    assert [each.line for each in read(text).sentences] == ["Type `go on.", "Then stop` in it."]
    assert changed(text, {"Then": "So", "in": "at"}) == "Type `go on. Then stop` at it."


def test_no_letter_is_joined_to_an_address_right_behind_the_sentence():
    text = "This is good。http://a.io is there."
    assert changed(text, {"。": "."}) == "This is good.http://a.io is there."
    assert changed(text, {"。": "s"}) == text


def test_edits_of_html_are_made_in_its_text():
    text = "<p>He <b>like</b> the cat &amp; the dog.</p>"
    after = "<p>He <b>likes</b> the hat &amp; the dog.</p>"
    assert changed(text, {"like": "likes", "cat": "hat"}, markup="html") == after
    assert changed(text, {"like": "likes", "cat": "<hat"}, markup="html") == (
        "<p>He <b>likes</b> the cat &amp; the dog.</p>"
    )
    assert changed(text, {"&": "and"}, markup="html") == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("He saw &copy, and it.", "He saw &copy, and it."),
        ("He saw &copy;, and it.", "He saw &copy;s and it."),
        ("He saw &copy, and <b>she</b> left.", "He saw &copy, and <b>she</b> went."),
        ("It left <b>her</b> &copy, and <i>him</i>.", "It went <b>her</b> &copy, and <i>him</i>."),
    ],
)
def test_no_letter_is_joined_to_an_entity(text, after):
    """Without its semicolon, an entity ends where its letters do."""
    assert changed(text, {",": "s", "left": "went"}, markup="html") == after


def test_what_is_untouchable_is_markup_and_protected_text():
    assert read("Use `cat` now.", markup="markdown").untouchable() == [(4, 9)]
    text = "Tom &amp; <i>Jerry</i> saw http://a.io there."
    spans = read(text, markup="html").untouchable()
    assert [text[start:end] for start, end in spans] == ["&amp;", "<i>", "</i>", "http://a.io"]
    assert read("Tom saw it.").untouchable() == []


def test_prose_is_what_is_not_protected():
    text = AnnotatedText.of("one two three four five")
    source = Source(text, ((4, 7), (14, 18)), frozenset())
    assert source.prose((0, 23)).split() == ["one", "three", "five"]
    assert source.prose((5, 13)).split() == ["three"]
    assert source.prose((8, 13)) == "three"
    assert source.prose((7, 13)) == " three"
    assert source.prose((8, 14)) == "three "
    assert source.prose((8, 16)).split() == ["three"]
    assert source.prose((19, 23)) == "five"


GERMAN = "Das ist so, wie wir es alle gesagt haben."
ENGLISH = "We have all said that it is so."


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"Klar! {GERMAN}", []),
        (f"{GERMAN} Klar!", []),
        (f"{GERMAN} Klar! Stimmt. {GERMAN}", []),
        (f"Klar! {ENGLISH}", ["Klar!", ENGLISH]),
        (f"{GERMAN} Klar! {ENGLISH}", ["Klar!", ENGLISH]),
        (f"{ENGLISH} Klar! {GERMAN}", [ENGLISH, "Klar!"]),
        ("Klar! Stimmt.", ["Klar!", "Stimmt."]),
        (f"{ENGLISH} 42!", [ENGLISH]),
    ],
)
def test_the_sentences_around_decide_on_an_unclear_one(text, lines):
    assert [each.line for each in read(text).sentences] == lines
