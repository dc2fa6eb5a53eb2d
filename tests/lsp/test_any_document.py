"""Random documents in every markup, under an editor that changes whatever it can.

Documents are made of pieces of which it is known whether they are markup, so that no parser of ours
is asked what it should have found.
"""

import os
from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol.types import Position, Range

from emendo import Editor, Editors
from emendo.lsp.code_actions import FIX_ALL, code_actions
from emendo.lsp.findings import Findings, find
from emendo.lsp.positions import Lines
from emendo.text import apply_edits
from tests.inference.test_editor import Vandal
from tests.lsp.client import UTF8, UTF16, UTF32, applied, places

# Two thousand documents of each markup in the long form: EMENDO_LONG=1.
EXAMPLES = 2000 if os.environ.get("EMENDO_LONG") else 80

WORDS = ["She likes the dogs", "he go", "a cat, and", "in 2024", "The 😀 end.", "naïve e\u0301", "(so)", "Why?", "👨\u200d👩\u200d👧", "x", "don't", "\u00a0"]  # fmt: skip
BREAKS = ["\n", "\r\n", "\n\n", "\r\n\r\n", "\r", " ", "  ", "\t"]
text_only = st.sampled_from([*WORDS, *BREAKS, " "])


def alone(strategy):
    """Return pieces that stand on lines of their own."""
    return st.tuples(st.just((False, "\n\n")), strategy, st.just((False, "\n\n")))


def piece(*markup):
    return st.sampled_from([((True, each),) for each in markup])


def around(opening, closing, inside):
    return st.tuples(
        st.just((True, opening)), inside.map(lambda text: (False, text)), st.just((True, closing))
    )


prose = text_only.map(lambda text: ((False, text),))

MARKDOWN = st.one_of(
    prose,
    piece("`the code`", "``the ` code``", "<!-- the comment -->", "https://the.example.org/dog"),
    st.tuples(st.just((False, "see ")), st.just((True, "[")), st.just((False, "the dog")), st.just((True, "](http://the.example/dog)"))),
    alone(st.sampled_from([(True, "```\nthe code\n```"), (True, "    the code"), (True, "[the]: http://the.dog"), (True, "<pre>the code</pre>")])),
    around("**", "**", st.sampled_from(["the dogs", "she likes"])),
)  # fmt: skip
LATEX = st.one_of(
    prose,
    piece(
        "$the x$", "\\(the\\)", "\\[the = dog\\]", "\\ref{the-dog}", "~\\cite[the]{the,dog}", "\\label{the:dog}",
        "\\verb|the code|", "\\unknown[the]{the dog}{the}", "% the comment\n", "\\%", "\\\"o", "``", "''", "---", "\\\\",
        "\\url{http://the.dog/the_dog}", "\\LaTeX{}", "\\index{the dog}", "\\footnote{the dog}", "\\texttt{the code}",
        "\\includegraphics[width=the]{the.png}", "&", "~", "{}", "\\noindent ",
    ),
    alone(st.sampled_from([(True, each) for each in (
        "\\begin{equation}\nthe = dog\n\\end{equation}", "\\begin{verbatim}\nthe $ { code\n\\end{verbatim}",
        "\\begin{lstlisting}[language=the]\nthe { code $\n\\end{lstlisting}", "\\begin{align*} the &= dog \\end{align*}",
        "\\begin{tikzpicture}[the] \\draw (the) -- (dog); \\end{tikzpicture}", "\\usepackage[the]{dog}", "% the",
    )])),
    *(around(a, b, st.sampled_from(["the dogs", "she likes it"])) for a, b in (
        ("\\emph{", "}"), ("\\section{", "}"), ("{\\bf ", "}"), ("\\href{http://the.dog}{", "}"), ("\\textcolor{the}{", "}"),
        ("\\begin{itemize}\n\\item ", "\n\\end{itemize}"), ("\\begin{figure}[the]\\caption[the]{", "}\\end{figure}"),
        ("\\begin{tabular}{the} ", " \\end{tabular}"), ("\\begin{thm}[the]{dog} ", " \\end{thm}"),
    )),
)  # fmt: skip
HTML = st.one_of(
    prose,
    piece(
        "<code>the code</code>", "<pre>the\n<b>code</b></pre>", "<script>the < dog</script>", "<style>the {dog: the}</style>",
        "<!-- the comment -->", "&amp;", "&nbsp;", "&#233;", "&#xe9;", "<br>", "<br/>", "<img alt='the dog' src=the.png>",
        "<a href=\"the dog\">", "</a>", "<kbd>the</kbd>", "<textarea>the dog</textarea>", "<svg><text>the dog</text></svg>",
        "<!DOCTYPE the>", "<?the dog?>", "<hr>", "<p>", "</p>", "<DIV Class=the>", "</DIV>", "<CODE>the</CODE>", "<!-- > the -->",
        "<a title='the > dog'>", "&lt;", "<math><mi>the</mi></math>",
    ),
    *(around(a, b, st.sampled_from(["the dogs", "she likes it"])) for a, b in (
        ("<b>", "</b>"), ("<p class='the'>", "</p>"), ("<ul><li>", "</li></ul>"), ("<td\nid=the>", "</td>"), ("<h1>", "</h1>"),
    )),
)  # fmt: skip
PLAIN = st.one_of(
    prose,
    st.text(max_size=8).map(lambda text: ((False, text),)),
    piece("https://the.example.org/dog"),
)
PIECES = {"plain": PLAIN, "markdown": MARKDOWN, "latex": LATEX, "html": HTML}
# What would run into a piece on either side and make another thing of it.
APART = {"plain": " ", "markdown": " ", "latex": "", "html": ""}


def joined(markup, groups):
    """Return a document, and the spans of it that are known to be markup."""
    pieces = []
    for group in groups:
        pieces += [*group, (False, APART[markup])]
    ends = list(accumulate(len(text) for _, text in pieces))
    spans = [
        (end - len(text), end)
        for (is_markup, text), end in zip(pieces, ends, strict=True)
        if is_markup
    ]
    return "".join(text for _, text in pieces), spans


def look(text, markup, encoding):
    """Do what the server does with a document."""
    editors = Editors([Editor(Vandal())])
    document = editors.read(text, markup=markup, dictionary=["naïve"])
    edits = document.place(editors.edit_lines(document.lines, editors.level())).edits
    found = find(document, [(edit, "en") for edit in edits])
    return Findings("file:///a", 7, text, Lines(text, encoding), tuple(found)), edits


def check(text, spans, markup, encoding):
    findings, edits = look(text, markup, encoding)
    where = places(text, encoding)
    for finding, diagnostic in zip(findings.all, findings.diagnostics(), strict=True):
        edit, place = finding.edit, diagnostic.range
        start, end = (where[each.line, each.character] for each in (place.start, place.end))
        assert (start, end) == (finding.start, finding.end)
        assert start <= edit.start <= edit.end <= end
        for a, b in spans:
            assert end <= a or start >= b, (text[a:b], text[start:end])
        assert diagnostic.message
    # Every action gives what its edits give, for a client that counts in its own way.
    whole = Range(Position(0, 0), Position(10_000, 0))
    actions = code_actions(findings, whole, None, with_versions=True)
    fixed = apply_edits(text, edits)
    for action in actions:
        if action.kind == FIX_ALL:
            assert applied(text, action.edit, encoding, 7) == fixed
        elif action.title.startswith("Correct all"):
            # Only that one knows what kind it is of; all of the vandal's are of one.
            assert applied(text, action.edit, encoding, 7) == fixed
    single = [a for a in actions if a.edit and a.is_preferred]
    assert len(single) == len(edits)
    for action, edit in list(zip(single, edits, strict=True))[:5]:
        assert applied(text, action.edit, encoding, 7) == apply_edits(text, [edit])
    # What is markup stands in the outcome in its order, as it was.
    done = 0
    for a, b in spans:
        done = fixed.index(text[a:b], done) + b - a
    assert Editor(Vandal()).edit(text, markup=markup, dictionary=["naïve"]).text == fixed
    return edits


@pytest.mark.parametrize("markup", PIECES)
def test_any_document(markup):
    total = 0

    @settings(max_examples=EXAMPLES)
    @given(
        st.lists(PIECES[markup], max_size=12), st.sampled_from([UTF8, UTF16, UTF32]), st.booleans()
    )
    @example([((False, "She likes the dogs"),)], UTF16, True)
    def hold(groups, encoding, has_bom):
        nonlocal total
        text, spans = joined(markup, groups)
        if has_bom:
            text, spans = "\ufeff" + text, [(a + 1, b + 1) for a, b in spans]
        total += len(check(text, spans, markup, encoding))

    hold()
    assert total > 5 * EXAMPLES, "the vandal really edits"


HOSTILE = ["{" * 5000, "\\begin{a}" * 3000, "<b>" * 20_000, "<" * 20_000, "$" * 2001, "\\" * 5000, "<!--" * 5000, "&" * 9999, "\\verb|", "\\begin{verbatim} the", "<script> the", "\\emph{the dog", "<a href='the dog", "}" * 3000, "\\end{document} the", "\\documentclass{the} the dogs", "[" * 5000]  # fmt: skip


@pytest.mark.parametrize("markup", ["latex", "html"])
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_documents_are_read_in_time(markup, text):
    import time

    begin = time.process_time()
    look("She likes the dogs. " + text, markup, UTF16)
    assert time.process_time() - begin < 20


@settings(max_examples=EXAMPLES)
@given(
    st.text(alphabet="\\{}$%&<>/!-ab the\n\r[]~\"'", max_size=60),
    st.sampled_from(["latex", "html"]),
)
def test_whatever_is_typed_is_read(text, markup):
    findings, edits = look(text, markup, UTF16)
    assert len(findings.all) == len(edits)
