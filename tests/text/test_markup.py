"""LaTeX and HTML as they are read."""

from pathlib import PurePath

import pytest

from emendo import Edit
from emendo.text.annotated_text import AnnotatedText, Part
from emendo.text.markup import markup_of, read_markup

LATEX = [
    (r"Some \emph{dogs} bark.", "Some dogs bark."),
    (r"It costs 5\% of \$3 \& more.", "It costs 5% of $3 & more."),
    (r"Schr\"odinger and Stra\ss e", "Schrödinger and Straße"),
    (r"See Section~\ref{a} and~\cite[p. 3]{b}.", "See Section\u00a01 and\u00a0[1]."),
    (r"Let $x_1$ be \(y\) and \[ z \].", "Let x be x and x."),
    ("One % a comment\n  two", "One two"),
    ("One % a comment\n\ntwo", "One \n\ntwo"),
    (r"The \own[a]{b}{c} word", "The x word"),
    (r"{\bf Bold} \verb|a b| and \url{http://a_b}", "Bold x and x"),
    ("``Quoted'' --- so", "“Quoted” — so"),
    (r"Behind.\footnote{It is read.} Dogs\footnote{It is not.} bark.", "Behind.\n\nIt is read.\n\n Dogs bark."),
    ("\\documentclass{a}\nThe preamble", ""),
    ("\\documentclass{a} The\n% \\begin{document}\n\\begin{document}Text.\\end{document} No.", "Text."),
    ("A\\begin{lstlisting}[b]\n{ $ \n\\end{lstlisting}B", "A\n\nB"),
    (r"\begin{tabular}{ll} One & two \\ three \end{tabular}", " One \n\n two \n three "),
    (r"\begin{align} a &= b \end{align} where", "x where"),
]  # fmt: skip
HTML = [
    ("Some <b>dogs</b> bark.", "Some dogs bark."),
    ("a &amp; b&nbsp;c &#233;", "a & b\u00a0c é"),
    ("Use <code>x &lt; y</code> here", "Use x < y here"),
    ("One<br>two", "One\ntwo"),
    ("<p>One</p>\n<p>Two</p>", "One\n\n\n\n\nTwo"),
    ("a<script>b < c</script>d", "a\n\n\n\nd"),
    ("a <!-- b --> c", "a  c"),
    ("a < b and <a href='", "a < b and <"),
    ("<pre>a</pre>b", "b"),
    ("<svg><text>a</text></svg>b", "b"),
    ("AT&T and R&D", "AT&T and R&D"),
    ("a &#" + "1" * 5000 + "; b", "a \ufffd b"),
    ("One <b c <i>two</i>", "One <two"),
    ('One <a title="two <b>three</b>', "One <three"),
    ("One <a title='> two'>three</a>", "One three"),
    ("One <!-- two <b>three</b>", "One <"),
    ("One <script>two</b> three", "One "),
    ("<code><pre>a</code>b", "b"),
]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("A secret.\n\\lstinline", "ends within a command"),
        ("{" * 5000 + "secret" + "}" * 5000, "nested too deeply"),
    ],
    ids=["cut short", "too deep"],
)
def test_latex_that_cannot_be_parsed_is_logged(caplog, source, where):
    """It is all markup, so that nothing of it is checked: who wonders why can find out."""
    pytest.importorskip("pylatexenc")
    assert read_markup(source, "latex").plain == ""
    assert "LaTeX" in caplog.text
    assert where in caplog.text
    assert "secret" not in caplog.text, "logs hold no text of the user's"


@pytest.mark.parametrize(("source", "read"), LATEX)
def test_latex(source, read):
    pytest.importorskip("pylatexenc")
    found = read_markup(source, "latex")
    assert found.whole == source
    assert found.plain.strip("\n") == read.strip("\n")


@pytest.mark.parametrize(("source", "read"), HTML)
def test_html(source, read):
    found = read_markup(source, "html")
    assert found.whole == source
    assert found.plain.strip("\n") == read.strip("\n")


def test_edits_go_where_they_belong_and_come_back():
    text = AnnotatedText(
        [Part("a dog", "a dog", True), Part("", "</b>", False), Part(" runs", " runs", True), Part("x", "$y$", False)]
    )  # fmt: skip
    assert text.has_markup
    assert text.markup == [(5, 9), (14, 17)]
    assert text.stand_ins == [(10, 11)]
    for read, placed in (
        (Edit(2, 5, "cat"), Edit(2, 5, "cat")),
        (Edit(5, 5, "s"), Edit(5, 5, "s")),
        (Edit(6, 10, "ran"), Edit(10, 14, "ran")),
        (Edit(10, 10, "!"), Edit(14, 14, "!")),
    ):
        assert text.place_edit(read) == placed
        assert text.read_edit(placed) == read
    assert text.place_edit(Edit(4, 7, "")) is None, "over markup"
    assert text.place_edit(Edit(10, 11, "z")) is None, "what stands for markup"
    assert text.place_edit(Edit(11, 11, "z")) is None
    assert not AnnotatedText.of("a").has_markup
    assert not AnnotatedText.of("").has_markup


def test_names():
    assert markup_of(PurePath("a/B.TEX")) == "latex"
    assert markup_of(PurePath("-")) == "plain"
    with pytest.raises(
        ValueError, match="no markup 'rst'; choose one of plain, markdown, latex, html"
    ):
        read_markup("", "rst")


@pytest.mark.parametrize(
    ("markup", "unit"), [("latex", r"\emph{a} $b$ "), ("html", "<b>a</b> &amp; ")]
)
def test_reading_can_be_ended(markup, unit):
    if markup == "latex":
        pytest.importorskip("pylatexenc")

    class EndError(Exception):
        pass

    calls = 0

    def check():
        nonlocal calls
        calls += 1
        if calls == 100:
            raise EndError

    with pytest.raises(EndError):
        read_markup(unit * 100, markup, check)
