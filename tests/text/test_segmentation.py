"""Sentences of documents: where they end, and that nothing but layout lies between them."""

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emendo.text.segmentation import LINE_BREAK, split_sentences
from tests.text.test_lossless import NASTY

# What may lie between sentences: white space, marks of Markdown, numbers of items, fence lines.
LAYOUT = re.compile(
    r"(?:\s|[-=*_~+#:|>`•‣◦▪●○·\ufeff]|\[[ xX]\]\s|\(?(?:\d{1,3}|[A-Za-z])[.)](?=\s|\Z)|(?:```|~~~).*)*"
)
PARTS = (
    "The dog", " barks", ". ", "? ", "! ", "...", " Mr. ", "e.g. ", "3.14", "\n", "\r\n", "\n\n", "\r", "\n- ", "\n1. ",
    "\n> ", "\n# ", "\n| a | b |\n", "\n---\n", "\n```\n", "```py\n", "    ", "\t", '"', "”", "(", ")", "。", "「", "」", "A",
    " i ", "\u2028", "\u2029", "\x0b", "\x1c", "\x1f", ">", "|", "\n[x] ", "- [x] ", "*", "\n\n~~~\n", "1) ", "a) ", "<b>\n",
)  # fmt: skip
documents = st.lists(
    st.one_of(
        st.sampled_from(PARTS),
        st.sampled_from(NASTY),
        st.text(st.characters(exclude_categories=()), max_size=8),
    ),
    max_size=30,
).map("".join)


def cut(text, languages=("en",)):
    return [text[start:end] for start, end in split_sentences(text, languages=languages)]


def test_sentences_end_where_people_end_them():
    sentences = [
        "Hello, Mr. Smith.",
        "How are you?!",
        "I live in the U.S. and work for Acme Inc. in Berlin, e.g. on Mondays.",
        "It cost 3.14 dollars (No. 5 on the list).",
        '"Why?" he asked.',
        '"I know."',
        "He left (early.)",
        "J. R. R. Tolkien wrote it in 1937.",
        "See https://example.com/a.b?c=d. ",
        "Wait... what?",
        "No.",
        "Never!",
        "He met Dr. No at 5 p.m. in St. Louis.",
        "He lived in the U.S.",
        "The end…",
    ]
    assert cut(" ".join(sentences)) == [sentence.strip() for sentence in sentences]


@pytest.mark.parametrize(
    ("code", "sentences"),
    [
        (
            "de",
            [
                "Er kam am 3. Oktober an.",
                "Das war z. B. Herrn Dr. Meier neu.",
                "Es war 1999.",
                "Ja.",
            ],
        ),
        ("de", ["„Das ist gut.“", "Er ging nach Hause."]),
        ("ru", ["Он родился в 1999 г. Потом, т. е. позже, уехал."]),
        ("ru", ["Яблоки, груши и т. д.", "Он ушёл.", "— Куда?", "— Домой."]),
        ("ja", ["今日は。", "「はい。」", "そうですか？", "はい！"]),
        ("hi", ["यह अच्छा है।", "वह गया।"]),
    ],
)
def test_other_languages(code, sentences):
    joined = "" if code == "ja" else " "
    assert cut(joined.join(sentences), (code,)) == sentences
    assert cut(joined.join(sentences), ("en", "de", "ru", "ja", "hi")) == sentences


def test_words_that_are_also_abbreviations_may_end_a_sentence():
    for text in ("He is a nice chap. He helped me.", "It is on Main St. The house is old."):
        assert len(cut(text)) == 2
    for text in ("See Chap. III of it.", "He met her in St. Louis."):
        assert len(cut(text)) == 1


def test_no_language_has_the_abbreviations_of_another():
    assert cut("Never mind. It was nothing.") == ["Never mind.", "It was nothing."]
    german = "Es sind mind. Zehn Leute da."
    assert cut(german, ("de",)) == cut(german, ("en", "de")) == [german]


def test_a_sentence_without_capitals_goes_on_after_a_full_stop_but_not_after_a_question():
    assert cut("i like it. he not. why? i know.") == ["i like it. he not. why?", "i know."]


def test_a_closing_quote_behind_a_space_stays_with_its_sentence():
    assert cut('He said " Hello . " Then he left .') == ['He said " Hello . "', "Then he left ."]
    assert cut("‘I see. ’ He wondered. ") == ["‘I see. ’", "He wondered."]


def test_lines_make_blocks():
    text = (
        "\ufeff# Title. Of it\nWrapped text\ngoes on. Next\n- item one\n- item two\n  goes on\n"
        "1. one. Two.\n2. two\n\n> quoted\n> text. And\n> more.\nafter\n\n"
        "| a b | c |\n|:--|---|\n| x | y |\n```python\ncode\n```\nafter\n\nHead\n====\n* [ ] task\n***\nend"
    )
    assert cut(text) == [
        "Title.",
        "Of it",
        "Wrapped text\ngoes on.",
        "Next",
        "item one",
        "item two\n  goes on",
        "one.",
        "Two.",
        "two",
        "quoted\n> text.",
        "And\n> more.",
        "after",
        "a b",
        "c",
        "x",
        "y",
        "code",
        "after",
        "Head",
        "task",
        "end",
    ]
    assert cut(text.replace("\n", "\r\n")) == [
        sentence.replace("\n", "\r\n") for sentence in cut(text)
    ]


def test_a_number_at_the_start_of_a_wrapped_line_is_no_item():
    assert cut("It was in May\n19. That is late.") == ["It was in May\n19.", "That is late."]
    assert cut("1. one\n2. two\n\n3. three") == ["one", "two", "three"]


def test_short_lines_that_all_start_afresh_stand_alone():
    assert cut("Roses are red\nViolets are blue") == ["Roses are red", "Violets are blue"]
    assert cut("Roses are red\nand violets blue") == ["Roses are red\nand violets blue"]


@settings(max_examples=1000)
@given(documents)
@example("")
@example("\ufeff")
@example("> a.\n> > b")
@example("``` a ``` b")
def test_between_sentences_lies_nothing_but_layout(text):
    spans = split_sentences(text)
    done = 0
    for start, end in spans:
        assert done <= start < end <= len(text)
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert LAYOUT.fullmatch(text[done:start]), text[done:start]
        done = end
    assert LAYOUT.fullmatch(text[done:])


@settings(max_examples=300)
@given(documents, documents)
def test_a_blank_line_parts_documents(first, second):
    """What stands behind a blank line cannot change what stands before it."""
    alone = split_sentences(first.rstrip())
    assert split_sentences(first.rstrip() + "\n\n" + second)[: len(alone)] == alone


def test_line_breaks_inside_a_sentence_are_found_with_their_marks():
    text = "a b  \r\n > > c"
    assert [m.span() for m in LINE_BREAK.finditer(text)] == [(3, 12)]


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox jumps over it. " * 28_600,
        "a" * 1_000_000,
        "." * 1_000_000,
        "a" + " " * 1_000_000 + "b",
        "\n" * 1_000_000,
        "\r\n" * 100_000,
        ">" * 1_000_000,
        "- " * 500_000 + "x",
        "`" * 1_000_000,
        "<a " * 300_000,
        ". (" * 300_000,
        ('."' + "(" * 200) * 5000,
        '. " A' * 200_000,
        "a\n" * 250_000,
        "|" * 1_000_000,
        "A. " * 100_000,
        "\ud800" * 1_000_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_text_takes_longer_than_its_length(text):
    def seconds(part):
        begin = time.process_time()
        split_sentences(part)
        return time.process_time() - begin

    # 0.2 s for a megabyte of prose on a quiet machine; a quadratic step would take minutes.
    assert seconds(text) < 6
