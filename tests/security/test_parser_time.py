"""The time of every parser grows with the length of the text: 200 patterns, doubled from 4 to 64 kB.

A pattern is a unit that is repeated, perhaps behind an opening or before an end. Where a parser takes
more than 5 ms, twice the text may take at most 2^1.3 times as long.
"""

import gc
import math
import time
from functools import cache
from statistics import median

import pytest

from emendo.inference.document import read_document
from emendo.text import Edit, protected_spans, split_sentences
from emendo.text.annotated_text import AnnotatedText, Part
from emendo.text.html_markup import read_html
from emendo.text.markdown import scan_markdown
from tests.conftest import IS_LONG

SIZES = [4_000, 8_000, 16_000, 32_000, 64_000]
EXPONENT = 1.3
SECONDS = 0.005
# Far more than 64 kB take anywhere; nobody waits for the next size of something quadratic.
TOO_LONG = 4.0
# LaTeX that takes so long has shown how it grows; EMENDO_LONG=1 goes on to 64 kB.
ENOUGH = 0.2

# (what it starts with, what is repeated, what it ends with)
PROSE = [
    ("", "a", ""), ("", "a ", ""), ("", "The dog bark. ", ""), ("", "The dog bark, ", ""), ("", "A. ", ""), ("", "a.", ""),
    ("", ". ", ""), ("", "...", ""), ("", "? ", ""), ("", '." ', ""), ("", ". (", ""), ("", ' " ', ""), ("", '. " A', ""),
    ("", "“a.” ", ""), ("", "e.g. ", ""), ("", "1. ", ""), ("", "3. May ", ""), ("", "z. B. ", ""), ("", "Mr. ", ""),
    ("", "\n", ""), ("", "a\n", ""), ("", "A\n", ""), ("", "a\r\n", ""), ("", "\r", ""), ("", " ", ""), ("", "\t", ""), ("a", " ", "b"),
    ("a", "\n ", "b"), ("a.", "\n> ", "b"), ("", " \n", ""), ("", "\u00a0", ""), ("", "\u2028", ""), ("", "。", ""), ("", "字", ""),
    ("", "字。", ""), ("", "😀", ""), ("", "👨\u200d👩\u200d", ""), ("", "e\u0301", ""), ("", "\u0301", ""), ("", "\ud800", ""),
    ("", "\ufeff", ""), ("", "don't ", ""), ("", "'", ""), ("", "’s ", ""), ("", "-", ""), ("", "a-", ""), ("", "--- ", ""), ("", "|", ""),
    ("", "| a ", "|"), ("", "|-", "|"), ("", "a | b\n", ""), ("", "\x00", ""), ("", "İ", ""),
]  # fmt: skip
PROTECTED = [
    ("", "1.2a.1a.1", ""), ("1.2", "a.1", ""), ("1.2", "a.1", "z"), ("1.2", "a", "z"), ("2", ".x.1", ""), ("2.x", "-a-1", "_"), ("1.2", ".x", "z"),
    ("", "1.", ""), ("", "1,1", ""), ("", "1", ""), ("", "1 ", ""), ("", "1 km ", ""), ("", "$1 ", ""), ("", "$1bn", ""), ("", "US$", ""),
    ("", "v1.", ""), ("", "1-", ""), ("", "1:1 ", ""), ("", "1'", ""), ("", "a.b", ""), ("", "a/", ""), ("", "a/b ", ""), ("", "/a", ""),
    ("", "a@", ""), ("", "a@b.", ""), ("", "@a", ""), ("", "@a.", "@"), ("", "#a", ""), ("", "#a-", ""), ("", "http://a)", ""), ("http://", ")", ""),
    ("http://", "(", ""), ("http://a", ".", ""), ("", "a://", ""), ("", "a+", "://"), ("", "www.", ""), ("", "c:\\", ""), ("", "\\\\a\\", ""),
    ("", "\\a", ""), ("", "%(", ""), ("", "%0", ""), ("%", "0", ""), ("", "%a", ""), ("", "%(a)", ""), ("", "&a", ""), ("", "&#1", ""), ("", "{", ""), ("", "{{}", ""),
    ("", "{a ", "}"), ("", "}", ""), ("", "$(", ""), ("", "$(a ", ""), ("", "${", ""), ("", "<a", ""), ("", "<a b", ">"), ("", ". . ", ""), ("", "~/", ""), ("", "a.md ", ""),
    ("", "a.py", ""), ("", "-.", ""), ("a", ".a", ".com"), ("", "é-", ""), ("", "a_", ""),
]  # fmt: skip
MARKDOWN = [
    ("](", " ", ""), ("](a", " ", '"'), ("](", "\t", "x"), ("", "](", ""), ("", "](a", ""), ("", "](a ", ""), ("", '](a "', ""), ("", "](<", ""), ("", "](()", ""), ("](", "(a)", ""),
    ("](", "](<)", ""), ("", "[", ""), ("", "]", ""), ("", "][", ""), ("", "[^", ""), ("", "[a]:\n", ""), ("", "![", ""), ("", "*", ""), ("", "* ", ""), ("", "_", ""), ("a", "_", "a"),
    ("", "~~", ""), ("", "`", ""), ("", "` ", ""), ("", "`` ` ", ""), ("", "\\`", ""), ("`", "\\", "`"), ("", "```\n", ""), ("", "~~~ a\n", ""), ("", ">", ""), ("", "> a\n", ""), ("", ">>\n", ""),
    ("", "- ", ""), ("", "- ", "x"), ("", "- a\n", ""), ("", "- a\n\n    b\n", ""), ("", "1) ", ""), ("", "    a\n", ""), ("", "#", ""), ("", "# a\n", ""), ("", "---\n", ""), ("---\n", "a\n", ""),
    ("---\n", "---", ""), ("", "- - -x\n", ""), ("a\n", "=", "x"), ("a\n", "= ", ""), ("", "<!--", ""), ("", "<!-- -->", ""), ("", "<pre> ", ""), ("", "<pre></pre>", ""), ("İ", "<pre> ", ""), ("", "<code>", "</kbd>"),
]  # fmt: skip
HTML = [
    ("", "<a ", ""), ("", "<a ", ">"), ("", '<a href="', ""), ("", '<a href="', '">'), ("", "<a b='c' ", ""), ("", "<a b=\"<a c='\" ", ""), ("<a b='", '<a b="" ', ""), ("", "<a/b=x", ""), ("", "<a/b=x", ' c=">'),
    ("<a ", "b ", ""), ("<a ", "b=", ">"), ("<a ", "= ", ""), ("<a", "/", ""), ("<a", " ", ""), ("", "<!--", ""), ("", "<!--", "-->"), ("<!--", "-", ""), ("<!--", "--!", ""), ("", "<!-->", ""), ("", "<!", ""), ("", "<![CDATA[", ""),
    ("", "<![CDATA[", ">"), ("", "<?", ""), ("", "</", ""), ("", "</a", ""), ("", "</a ", ">"), ("", "<code>a", ""), ("", "<code>", "</code>"), ("", "<code><kbd>", "</code>"), ("", "<pre>", ""), ("", "<pre>", "</code>"),
    ("", "</code>", ""), ("", "<script>", ""), ("", "<script></script>", ""), ("", "<style>", "</script>"), ("", "</script ", ""), ("<script>", "</scrip", ""), ("", "<p>error</p>", ""), ("", "<p>", ""), ("", "<b>a</b> ", ""), ("", "<br>", ""),
    ("", "a<br/>", ""), ("", "&", ""), ("", "&a", ""), ("", "&amp;", ""), ("", "&amp", ""), ("&", "a", ""), ("&#", "1", ";"), ("&#x", "f", ""), ("", "&#", ""), ("", "<", ""), ("", "< ", ""), ("", "a < b ", ""), ("", "<svg>", ""), ("", "<x", ""),
    ("", ">", ""), ("", "<a\n", ">"),
]  # fmt: skip
LATEX = [
    ("", "{", ""), ("", "}", ""), ("", "{}", ""), ("", "{a} ", ""), ("", "$", ""), ("", "$a$ ", ""), ("", "$$", ""), ("", "\\", ""), ("", "\\a", ""), ("", "\\a ", ""), ("", "\\a\n", ""), ("", "\\own{a}", ""), ("", "\\emph{a} ", ""),
    ("", "\\emph{", ""), ("", "\\emph", ""), ("", "%", ""), ("", "% a\n", ""), ("", "\\begin{a}", ""), ("", "\\end{a}", ""), ("", "\\begin{a}\\end{a}", ""), ("", "\\begin{verbatim}", ""), ("", "\\begin{lstlisting}", ""),
    ("", "\\begin{verbatim}\\end{verbatim}", ""), ("", "\\verb|a|", ""), ("", "\\verb", ""), ("", "\\lstinline|", ""), ("", "\\footnote{a.} ", ""), ("", "\\item a ", ""), ("", "\\section{a}\n", ""), ("", "\\[", ""), ("", "\\(a\\)", ""), ("", "\\(", ""),
    ("", "~", ""), ("", "&", ""), ("", "``a'' ", ""), ("", "\\\"o", ""), ("", "\\^", ""), ("", "[", ""), ("", "\\own[", ""), ("", "\\cite[", ""), ("", "\\cite{a}", ""), ("\\begin{document}", "a ", "\\end{document}"), ("", "\\begin{document}", ""),
    ("\\documentclass{a}", "\\begin ", ""), ("", "\\\\", ""), ("", "\\par ", ""), ("\\begin{a}", "[", ""), ("\\begin{a}", "{}", ""), ("\\begin{a}", "[a]", ""), ("", "a\\b", ""), ("", "\\b\\\n", ""),
]  # fmt: skip
ALL = [*PROSE, *PROTECTED, *MARKDOWN, *HTML, *LATEX]


def deep_lists(size):
    """Half of it opens list items inside each other, the other half continues the innermost one."""
    opening, column = "", 0
    while len(opening) + column // 4 + 66 < size / 2:
        opening += "\t" * (column // 4) + "- " * 32 + "a\n"
        column += 64
    return opening + "1\n" * ((size - len(opening)) // 2)


def name_of(pattern):
    return pattern.__name__ if callable(pattern) else ascii("·".join(pattern))


@cache
def filled(pattern, size):
    if callable(pattern):
        return pattern(size)
    start, unit, end = pattern
    return start + unit * ((size - len(start) - len(end)) // len(unit)) + end


def read_annotated(text):
    """Take every third character for text, and lay an edit onto each run and back."""
    parts = [Part(char, char, is_text=k % 3 == 1) for k, char in enumerate(text)]
    found = AnnotatedText(parts)
    assert found.markup
    for position in range(0, len(text), 3):
        placed = found.place_edit(Edit(position, position, "x"))
        if placed:
            found.read_edit(placed)
        found.place(position, position + 1)


def read_latex(text):
    from emendo.text.latex_markup import read_latex

    read_latex(text)


def read_and_write(markup):
    """Read a document, and write it back with an edit in every word of every line."""

    return lambda text: write_back(*prepared(text, markup))


def prepared(text, markup):
    document = read_document(
        text,
        languages=["en"],
        max_tokens=500,
        count_tokens=lambda line: len(line) // 4 + 2,
        markup=markup,
    )
    return document, {line: tuple(words(line)) for line in document.lines}


def write_back(document, edits):
    assert document.place(edits).text is not None
    document.untouchable()


def words(line):
    position = 0
    for word in line.split(" "):
        yield Edit(position, position + len(word), f"{word}s")
        position += len(word) + 1


# The patterns that a parser is meant for, and some others, whose time is taken at every size. The rest is
# looked at closely where two sizes give reason to: LaTeX alone takes 20 ms for a kilobyte.
PARSERS = {
    "sentences": (split_sentences, [*PROSE, *MARKDOWN[::3]]),
    "protection": (protected_spans, [*PROTECTED, *PROSE[::4], *HTML[::4]]),
    "markdown": (scan_markdown, [*MARKDOWN, deep_lists, *PROSE[::4], *HTML[::4]]),
    "html": (read_html, [*HTML, *PROSE[::4]]),
    "latex": (read_latex, [*LATEX, ("", " ", ""), ("a", "\n ", "b"), ("", "\u2028", "")]),
    "annotated": (read_annotated, PROSE[:3]),
    "plain document": (read_and_write("plain"), [*PROSE[::3], *PROTECTED[::4]]),
    "markdown document": (read_and_write("markdown"), MARKDOWN[::3]),
    "html document": (read_and_write("html"), [("", "<p>error</p>", ""), *HTML[::3]]),
    "latex document": (read_and_write("latex"), LATEX[::10]),
}
SLOW = ("latex", "latex document", "annotated")
# Reading a document of that kind includes them.
WITHIN = ("markdown", "html", "latex")
CASES = [(parser, pattern) for parser, (_, patterns) in PARSERS.items() for pattern in patterns]


def seconds(parse, text):
    begin = time.process_time()
    parse(text)
    return time.process_time() - begin


def exponent(parse, inputs):
    """Return how the time grows from an input to one of twice its size.

    What is quadratic is so each time. What others on the machine do is not, but can last for a second.
    """
    found = [exponent_now(parse, inputs)]
    while found[-1] >= EXPONENT and len(found) < 6:
        time.sleep(1)
        found.append(exponent_now(parse, inputs))
    return min(found)


def exponent_now(parse, inputs):
    """Return the same by the middle of five runs of each."""
    # In turns, so that whatever else the machine does slows both.
    runs = [[seconds(parse, each) for each in inputs] for _ in range(5)]
    small, large = (median(times) for times in zip(*runs, strict=True))
    return math.log2(large / small) if small > SECONDS else 0.0


def test_there_are_two_hundred_patterns():
    assert len(set(ALL)) >= 200


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("parser", "pattern"), CASES, ids=lambda each: each if isinstance(each, str) else name_of(each)
)  # fmt: skip
def test_twice_the_text_takes_twice_the_time(parser, pattern):
    check_growth(parser, pattern)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("parser", [each for each in PARSERS if IS_LONG or each not in WITHIN])
def test_patterns_that_are_meant_for_other_parsers(parser):
    """Every pattern goes to every parser; two sizes tell which need a closer look."""
    if "latex" in parser:
        pytest.importorskip("pylatexenc")
    parse, own = PARSERS[parser]
    # These take far longer for a character than the others.
    small, large = (1_000, 4_000) if parser in SLOW else (2_000, 8_000)
    others = set(ALL) - set(own)
    assert others
    for pattern in sorted(others):
        if IS_LONG:
            check_growth(parser, pattern)
            continue
        first, then = (seconds(parse, filled(pattern, size)) for size in (small, large))
        if then > max(first, SECONDS) * (large / small) ** 1.2:
            check_growth(parser, pattern)


def check_growth(parser, pattern):
    if "latex" in parser:
        pytest.importorskip("pylatexenc")
    parse, _ = PARSERS[parser]
    gc.collect()
    gc.disable()
    try:
        before = 0.0
        for size in SIZES:
            once = seconds(parse, filled(pattern, size))
            assert once < TOO_LONG, f"{pattern}: {size} characters take {once:.1f} s"
            # One run of each tells most; where it is not plain, the middle of five decides.
            if before > SECONDS and math.log2(once / before) > 1.2:
                found = exponent(parse, [filled(pattern, n) for n in (size // 2, size)])
                assert found < EXPONENT, f"{pattern}, {size // 2} to {size}"
            before = once
            if "latex" in parser and once > ENOUGH and not IS_LONG:
                break
    finally:
        gc.enable()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("unit", ["<p>error</p>", "<p>an error</p>\n", "<b>a</b> "])
def test_edits_are_placed_in_linear_time(unit):
    """By itself, for reading takes longer and would hide it."""
    size = SIZES[-1]
    pairs = [prepared(filled(("", unit, ""), n), "html") for n in (size // 2, size)]
    assert exponent(lambda pair: write_back(*pair), pairs) < EXPONENT
