"""LaTeX as it is read: its prose, without commands, mathematics, code and comments.

pylatexenc parses the document. Its character nodes are text, unless they are inside a command or an
environment without prose. The arguments of unknown commands are not read.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from emendo.errors import require
from emendo.text.annotated_text import AnnotatedText, Annotator, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_log = logging.getLogger(__name__)

_BLOCK = "\n\n"
# A letter, as in mathematics, that replaces what is not prose.
_STAND_IN = "x"
# Commands with prose in their last argument, and what arguments they take.
_EMPHASES = """
    emph textbf textit textsl textsc textsf textrm textup textmd textnormal underline uline mbox
    fbox text enquote hl sout uppercase lowercase MakeUppercase
"""
_PROSE = {
    **dict.fromkeys(_EMPHASES.split(), "{"),
    **dict.fromkeys(("textcolor", "colorbox", "href"), "[{{"),
}
_HEADINGS = """
    part chapter section subsection subsubsection paragraph subparagraph caption title subtitle
    frametitle framesubtitle
"""
_PROSE_BLOCKS = {**dict.fromkeys(_HEADINGS.split(), "*[{"), "captionof": "*{[{"}
_NOTES = dict.fromkeys(("footnote", "footnotetext", "thanks", "marginpar"), "[{")
_SETTINGS = """
    label index bf it em tt sc sl sf rm bfseries itshape slshape scshape ttfamily rmfamily sffamily
    mdseries upshape normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge
    Huge centering raggedright raggedleft noindent indent protect selectfont color vspace hspace
    vfill hfill phantomsection smallskip nopagebreak allowbreak / - @ ,
"""
_SILENT = frozenset(_SETTINGS.split())
_SIGNS = frozenset("%&$#_{} ")
_BREAK_NAMES = "par item newpage clearpage pagebreak maketitle hline bigskip medskip"
_BREAKS = frozenset(_BREAK_NAMES.split())
_REFERENCE_NAMES = "ref eqref pageref autoref nameref cref Cref vref hyperref labelcref subref"
_REFERENCES = frozenset(_REFERENCE_NAMES.split())
_CITATION = re.compile(r"(?:paren|text|foot|auto|no)?[cC]ite\w*")
_WORD_NAMES = "texttt url nolinkurl path gls Gls glspl ac acs acf SI si qty num ensuremath"
_WORDS = frozenset(_WORD_NAMES.split())
_CODE_NAMES = """
    verbatim verbatim* Verbatim BVerbatim LVerbatim lstlisting minted comment filecontents
    filecontents* luacode asy alltt
"""
_CODE = frozenset(_CODE_NAMES.split())
_DRAWING_NAMES = "tikzpicture pgfpicture picture algorithmic algorithm axis thebibliography forest"
_DRAWINGS = frozenset(_DRAWING_NAMES.split())
_MATHEMATICS = frozenset(("math", "displaymath", "subequations", "dmath", "dmath*", "IEEEeqnarray"))
_BODY = re.compile(r"^(?:[^%\n\\]|\\.)*?\\begin\{document\}", re.MULTILINE)
_CLASS = re.compile(r"^[ \t]*\\document(?:class|style)\b", re.MULTILINE)
_SPACE = re.compile(r"\s+")
_OPTION = re.compile(r"\[[^\[\]]*\]")
_ENDS_SENTENCE = re.compile(r"[.!?…][\"'”’)]*\s*\Z")


def read_latex(text: str, check: Callable[[], object] | None = None) -> AnnotatedText:
    """Return a document, or a part of one, with its markup marked.

    A text that cannot be parsed is all markup, with a warning in the log.

    Args:
        text: The document.
        check: Called repeatedly; an exception that it raises ends the reading.
    """
    check = check or (lambda: None)
    require("LaTeX", "latex", "pylatexenc")
    from pylatexenc.latexwalker import LatexWalkerParseError

    body = _BODY.search(text)
    if body is None and _CLASS.search(text):
        return AnnotatedText([Part("", text, is_text=False)])
    start = body.end() - len(r"\begin{document}") if body else 0
    # It logs tolerated errors together with the text.
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    try:
        walker = _walker()(text, latex_context=_context(), tolerant_parsing=True)
        walker.check = check
        # Text after the end of the document is not printed.
        nodes, *_ = walker.get_latex_nodes(start, read_max_nodes=1 if body else None)
        reader = _Reader(text, check)
        reader.read_nodes(nodes)
    except RecursionError:
        return _unread(text, "it is nested too deeply")
    except IndexError:
        return _unread(text, "it ends within a command")
    except LatexWalkerParseError as error:
        line = text.count("\n", 0, error.pos) + 1 if error.pos is not None else 1
        return _unread(text, f"the mistake is in line {line}")
    return reader.annotator.finish()


def _unread(text: str, reason: str) -> AnnotatedText:
    """Treat a whole text as markup, and log it, because the result looks like correct text."""
    _log.warning("LaTeX cannot be parsed, so the text is not checked: %s", reason)
    return AnnotatedText([Part("", text, is_text=False)])


@cache
def _context() -> Any:  # noqa: ANN401 - pylatexenc has no types
    """Return pylatexenc's tables, with the environments whose content it must not read."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec, VerbatimArgsParser

    class CodeParser(VerbatimArgsParser):  # type: ignore[misc]
        """Takes everything up to the environment's own end."""

        def __init__(self, name: str) -> None:
            super().__init__("verbatim-environment")
            self.name = name

        def parse_args(self, w: Any, pos: int, parsing_state: Any = None) -> Any:  # noqa: ANN401
            from pylatexenc.latexwalker import LatexCharsNode, LatexWalkerParseError
            from pylatexenc.macrospec import ParsedVerbatimArgs

            stop = w.s.find(f"\\end{{{self.name}}}", pos)
            if stop < 0:
                raise LatexWalkerParseError(s=w.s, pos=pos, msg="code without an end")
            node = w.make_node(
                LatexCharsNode,
                parsing_state=parsing_state,
                chars=w.s[pos:stop],
                pos=pos,
                len=stop - pos,
            )
            return ParsedVerbatimArgs(verbatim_chars_node=node), pos, stop - pos

    context = get_default_latex_context_db()
    context.add_context_category(
        "code",
        macros=[
            MacroSpec("lstinline", args_parser=VerbatimArgsParser("verb-macro")),
            *(
                MacroSpec(name, arguments)
                for name, arguments in {**_PROSE, **_PROSE_BLOCKS, **_NOTES}.items()
            ),
        ],
        environments=[EnvironmentSpec(name, args_parser=CodeParser(name)) for name in _CODE],
        prepend=True,
    )
    return context


@cache
def _walker() -> Any:  # noqa: ANN401 - pylatexenc has no types
    from pylatexenc.latexwalker import LatexToken, LatexWalker, LatexWalkerEndOfStream

    class Walker(LatexWalker):  # type: ignore[misc]
        """Reads a run of white space at once: pylatexenc copies it for each of its characters."""

        # For the last run, which paragraphs may split thousands of times.
        run = (0, 0)

        def get_token(self, pos: int, *args: Any, **options: Any) -> Any:  # noqa: ANN401
            self.check()
            start, stop = self.run
            if not start <= pos < stop:
                space = _SPACE.match(self.s, pos)
                if space is None:
                    return super().get_token(pos, *args, **options)
                start, stop = self.run = space.span()
            paragraph = self.s.find(_BLOCK, pos, stop)
            if paragraph >= 0:
                return LatexToken(
                    tok="char",
                    arg=_BLOCK,
                    pos=paragraph,
                    len=len(_BLOCK),
                    pre_space=self.s[pos:paragraph],
                )
            if stop == len(self.s):
                raise LatexWalkerEndOfStream(final_space=self.s[pos:stop])
            token = super().get_token(stop, *args, **options)
            token.pre_space = self.s[pos:stop]
            return token

    return Walker


@cache
def _writer() -> Any:  # noqa: ANN401 - pylatexenc has no types
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text()


class _Reader:
    """Walks over the parser's nodes."""

    def __init__(self, text: str, check: Callable[[], object]) -> None:
        self.annotator = Annotator(text)
        self._check = check
        self._text = text
        self._seen = ""

    def read_nodes(self, nodes: Sequence[Any]) -> None:
        """Read nodes that stand side by side."""
        # Where the arguments of an unknown command end.
        done = 0
        takes = False
        for node in nodes:
            self._check()
            if node is None:
                continue
            kind = type(node).__name__
            if takes and node.pos == done and kind == "LatexGroupNode":
                done = node.pos + node.len
                continue
            start = node.pos
            if takes and node.pos == done and kind == "LatexCharsNode":
                option = _OPTION.match(node.chars)
                if option:
                    start = done = node.pos + option.end()
                    if start == node.pos + node.len:
                        continue
            takes = False
            if kind == "LatexCharsNode":
                self._take(start, node.pos + node.len)
            elif kind == "LatexGroupNode":
                self.read_nodes(node.nodelist)
            elif kind == "LatexMacroNode":
                takes = self._read_macro(node)
            elif kind == "LatexEnvironmentNode":
                self._read_environment(node)
            elif kind == "LatexMathNode":
                self._stand_in(_STAND_IN)
            elif kind == "LatexSpecialsNode":
                meaning = _writer().nodelist_to_text([node]) if node.specials_chars != "&" else ""
                self._stand_in(meaning or _BLOCK)
            done = node.pos + node.len

    def _take(self, start: int, end: int) -> None:
        self.annotator.text(start, end)
        self._seen = self._text[max(start, end - 20) : end]

    def _stand_in(self, meaning: str) -> None:
        self.annotator.read(meaning)
        if meaning:
            self._seen = meaning

    def _read_macro(self, node: Any) -> bool:  # noqa: ANN401 - pylatexenc has no types
        """Read a command; return whether groups right after it are its arguments."""
        name = node.macroname
        arguments = (
            [each for each in (node.nodeargd.argnlist or ()) if each] if node.nodeargd else []
        )
        space = " " if node.macro_post_space else ""
        if name in _PROSE or name in _PROSE_BLOCKS:
            edge = _BLOCK if name in _PROSE_BLOCKS else ""
            self._stand_in(edge)
            if arguments:
                self.read_nodes([arguments[-1]])
                self._stand_in(edge)
            return not arguments
        if name in _NOTES:
            # A note inside a sentence would split it; one after the sentence can be read.
            if arguments and _ENDS_SENTENCE.search(self._seen):
                self._stand_in(_BLOCK)
                self.read_nodes([arguments[-1]])
                self._stand_in(_BLOCK)
            return not arguments
        if name in ("\\", "newline", "linebreak"):
            self._stand_in("\n")
        elif name in _BREAKS:
            self._stand_in(_BLOCK)
        elif name in _SILENT:
            pass
        elif name in _REFERENCES:
            self._stand_in("1" + space)
        elif _CITATION.fullmatch(name):
            self._stand_in("[1]" + space)
        elif name in _WORDS or name in ("verb", "lstinline"):
            self._stand_in(_STAND_IN + space)
        else:
            return self._read_other(node, space)
        return not arguments and name != "\\"

    def _read_other(self, node: Any, space: str) -> bool:  # noqa: ANN401 - pylatexenc has no types
        """Read a sign, a letter with an accent, a setting, or an unknown command."""
        if node.macroname in _SIGNS:
            self._stand_in(node.macroname)
            return False
        contexts = (_context(), _writer().latex_context)
        specs = [context.get_macro_spec(node.macroname) for context in contexts]
        if any(spec and spec.macroname == node.macroname for spec in specs):
            meaning = _writer().nodelist_to_text([node])
            # Signs and letters are short; longer results are not prose.
            self._stand_in(meaning if len(meaning.strip()) <= 3 else "")
            return False
        is_alone = self._is_alone(node.pos, node.pos + node.len)
        self._stand_in("" if is_alone else _STAND_IN + space)
        return True

    def _is_alone(self, start: int, end: int) -> bool:
        """Whether the line has nothing else; stops at the first other character."""
        text = self._text
        while start and text[start - 1] != "\n" and text[start - 1].isspace():
            start -= 1
        while end < len(text) and text[end] != "\n" and text[end].isspace():
            end += 1
        return (not start or text[start - 1] == "\n") and (end == len(text) or text[end] == "\n")

    def _read_environment(self, node: Any) -> None:  # noqa: ANN401 - pylatexenc has no types
        name = node.environmentname
        known = _context().get_environment_spec(name)
        if name in _MATHEMATICS or getattr(known, "is_math_mode", False):
            self._stand_in(_STAND_IN)
            return
        self._stand_in(_BLOCK)
        if name in _CODE or name in _DRAWINGS:
            return
        self._read_content(node)
        self._stand_in(_BLOCK)

    def _read_content(self, node: Any) -> None:  # noqa: ANN401 - pylatexenc has no types
        """Read an environment's content without unknown options and arguments."""
        nodes = [each for each in node.nodelist if each is not None]
        done = 0
        for first in nodes:
            text = self._text[first.pos : first.pos + first.len]
            option = _OPTION.match(text)
            if type(first).__name__ == "LatexGroupNode":
                done += 1
            elif type(first).__name__ == "LatexCharsNode" and option:
                done += 1
                if option.end() < len(text):
                    self._take(first.pos + option.end(), first.pos + first.len)
                    break
            else:
                break
        self.read_nodes(nodes[done:])
