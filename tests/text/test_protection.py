"""What is protected, what is not, and which edits that takes back."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from emendo.text import Edit, EditedText
from emendo.text.markdown import scan_markdown
from emendo.text.protection import drop_protected, protected_spans
from tests.text.test_segmentation import documents

PROTECTED = {
    "https://a.b/c?d=(e)": "See https://a.b/c?d=(e).",
    "http://x.y": "(http://x.y), he said",
    "www.example.com/a": "go to www.example.com/a!",
    "example.com/foo": "it is on example.com/foo.",
    "me.you+x@mail.example.org": "Write to me.you+x@mail.example.org, please",
    "@bob": "ask @bob.",
    "urn:isbn:0451450523": "see urn:isbn:0451450523 there",
    "05:30": "at UTC+05:30 now",
    "3.11.2": "install python-3.11.2 now",
    "NZ$30": "costs NZ$30 now",
    "@scope/pkg": "install @scope/pkg",
    "#tag": "with #tag, of course",
    "/usr/bin/env": "run /usr/bin/env.",
    "src/a/b.py": "see src/a/b.py:",
    "~/notes": "in ~/notes now",
    "../up": "in ../up",
    "C:\\dir\\f.txt": "open C:\\dir\\f.txt, then",
    "\\\\server\\share": "on \\\\server\\share it",
    "README.md": "the README.md is",
    "5 km": "run 5 km a day",
    "3.5GB": "has 3.5GB.",
    "$20": "costs $20 now",
    "€20k": "costs €20k",
    "20 %": "about 20 % of",
    "-5 °C": "at -5 °C outside",
    "12:30 pm": "by 12:30 pm sharp",
    "2024-01-02": "on 2024-01-02,",
    "10,000": "over 10,000 people",
    "v1.2.3-rc.1": "use v1.2.3-rc.1.",
    "192.168.0.1": "at 192.168.0.1,",
    "5 кг": "весит 5 кг, да",
    "{name}": "Hi {name}!",
    "{{ user.name }}": "Hi {{ user.name }}!",
    "%s": "got %s here",
    "%(count)d": "got %(count)d here",
    "%5.2f": "is %5.2f big",
    "${HOME}": "in ${HOME} it",
    "$HOME": "in $HOME it",
    "<b class='x y'>": "a <b class='x y'>b",
    "&nbsp;": "a&nbsp;b",
    "\\textbf": "a \\textbf it",
    ". . .": "He waited . . . and left.",
    ". . . .": "It was over. . . . Then",
    "\ud800": "a \ud800 b",
}
PLAIN = (
    "I like and/or he/she, don't you? Well-known: 5 cats in the 1990s (1st, 2nd). The U.S. a < b and c > d. "
    "50 per cent; it.He went 10 minutes ago in 1999. C'est la vie! A 5-year-old @ home # 1 \u00a0 e.g. this. . He said ... so"
)
WORDS = ("C++", ".NET", "don", "Kubernetes", "emendo", "New York", "", " ")
MARKDOWN = {
    '<img\n  src="a.png"\n  alt="a cat"\n>': 'x\n\n<img\n  src="a.png"\n  alt="a cat"\n>\n\ny',
    "`code`": "a `code` b",
    "``a ` b``": "see ``a ` b`` there",
    "](http://x (y))": "a [text](http://x (y)) b",
    '](a.png "t")': 'an ![alt](a.png "t") b',
    "][ref]": "see [it][ref] b",
    "**": "some **bold text here",
    "[^1]": "a note[^1] b",
    "<!-- a\nb -->": "x <!-- a\nb --> y",
    "<kbd>x y</kbd>": "press <kbd>x y</kbd> now",
    "```py\nx = 1\n\ny\n```\n": "a\n```py\nx = 1\n\ny\n```\nb",
    "~~~\nx ``` y\n~~~": "a\n\n~~~\nx ``` y\n~~~",
    "    code\n": "a\n\n    code\nb",
    "      code": "- a\n\n  b\n\n      code",
    "> ```\n> x\n": "> ```\n> x\n\nafter",
    "---\na: b\n---": "---\na: b\n---\ntext",
    "[ref]: http://x 'T'\n": "a\n\n[ref]: http://x 'T'\nb",
}


def found(text, **options):
    return [text[start:end] for start, end in protected_spans(text, **options)]


@pytest.mark.parametrize(("span", "text"), PROTECTED.items(), ids=repr)
def test_what_is_protected(span, text):
    assert span in found(text)


def test_plain_words_are_not():
    assert found(PLAIN) == []


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Use `recieve` or `git comit -m x` here.", ["`recieve`", "`git comit -m x`"]),
        ("Call helo() or self.recieve() or it(s).", ["helo()", "self.recieve()"]),
        ("He said `yes' and `no'.", []),
        ("I`m sure she don`t likes it.", []),
        ("Use `echo 'a'` or they goes to `ls`.", ["`ls`"]),
        ("A lone ` and\nanother ` one", []),
    ],
)
def test_code_in_plain_text(text, spans):
    assert found(text) == spans


def test_own_words_as_spelt_and_whole():
    text = "C++ or .NET, don't don, Kubernetes's kubernetes emendo-based New York emendos"
    spans = ["C++", ".NET", "don", "Kubernetes", "emendo", "New York"]
    assert found(text, words=WORDS) == spans


@pytest.mark.parametrize(("span", "text"), MARKDOWN.items(), ids=repr)
def test_what_is_protected_in_markdown(span, text):
    assert span in found(text, markdown=True)


def test_prose_in_markdown_is_not():
    text = (
        "# Head line\n\nSome text\n    goes on.\n\n- one\n\n  para\n    1. deep\n\n> quote\nlazy\n"
    )
    assert found(text, markdown=True) == []
    assert found("an \\`escaped mark, and ` one, it's snake_case", markdown=True) == []


LINES = (
    "text", "more", "```", "~~~", "````", "```py", "    code", "  two", "      six", "- item", "1. one", "2. two", "> quote",
    "> ```", "> - a", "- ```", ">", "# head", "---", "", "", "", "", "  - sub", "    - deep", "\ttab", "  ```", "***", ">     qcode",
    "-     icode", "text ``` x", "===",
)  # fmt: skip


def code_lines(text, spans):
    lines = text.split("\n")
    numbers = {k for start, end in spans for k in range(start, end)}
    return {k for k in numbers if lines[k].strip(" >\t")}


def test_code_is_what_a_full_parser_takes_for_code():
    """Random lines are nastier than any document; in those that people write, all agree."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.disable(["inline"])
    rng = random.Random(0)
    missed = surplus = 0
    for _ in range(3000):
        text = "x\n" + "\n".join(rng.choice(LINES) for _ in range(rng.randint(1, 7)))
        tokens = parser.parse(text)
        theirs = code_lines(text, [t.map for t in tokens if t.type in ("fence", "code_block")])
        spans = scan_markdown(text)[0]
        ours = code_lines(
            text,
            [(text.count("\n", 0, a), text.count("\n", 0, a) + 1) for a, _ in spans],
        )
        missed += bool(theirs - ours)
        surplus += bool(ours - theirs)
    assert missed / 3000 < 0.01
    assert surplus / 3000 < 0.02


@settings(max_examples=500)
@given(documents, st.booleans())
def test_spans_are_sorted_and_apart(text, markdown):
    spans = protected_spans(text, markdown=markdown, words=WORDS)
    done = -1
    for start, end in spans:
        assert done < start < end <= len(text)
        done = end


# Of "see http://a now", where the address is [4, 12).
EDITS = (
    (Edit(0, 3, "x"), True, "before"),
    (Edit(0, 4, "see "), True, "up to the border"),
    (Edit(0, 4, "see"), False, "glued to the front"),
    (Edit(3, 4, ""), False, "the space before goes"),
    (Edit(4, 4, "a "), True, "inserted at the front"),
    (Edit(4, 4, "a"), False, "inserted and glued"),
    (Edit(4, 5, "H"), False, "the first character"),
    (Edit(6, 6, " "), False, "inserted inside"),
    (Edit(3, 13, " here "), False, "all of it"),
    (Edit(12, 12, ","), True, "inserted at the end"),
    (Edit(12, 12, "s"), False, "inserted and glued at the end"),
    (Edit(12, 13, ""), False, "the space behind goes"),
    (Edit(12, 13, ", "), True, "replaced behind"),
    (Edit(11, 13, "x "), False, "the last character"),
    (Edit(13, 16, "x"), True, "behind"),
)


@pytest.mark.parametrize(("edit", "stays", "case"), EDITS, ids=[case for _, _, case in EDITS])
def test_which_edits_are_taken_back(edit, stays, case):
    edited = EditedText("see http://a now", (edit,))
    assert drop_protected(edited, [(4, 12)]).edits == ((edit,) if stays else ()), case


@settings(max_examples=300)
@given(documents, st.data())
def test_what_is_protected_stays(text, data):
    spans = protected_spans(text, markdown=True, words=WORDS)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = tuple(
        Edit(start, end, data.draw(st.sampled_from(["", "x", " x "])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    )
    kept = drop_protected(EditedText(text, edits), spans)
    output, shift = kept.text, 0
    changes = list(kept.edits)
    for start, end in spans:
        while changes and changes[0].end <= start:
            edit = changes.pop(0)
            shift += len(edit.replacement) - (edit.end - edit.start)
        assert output[start + shift : end + shift] == text[start:end]


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox, 5 km from http://a.b/c, jumps. " * 4_000,
        *(
            part * (100_000 // len(part))
            for part in (
                "a", ".", "{", "}", "{{}", "<a", "<!--", "<pre> ", "`", "` ", "\\`", "%(", "%0", "$(", "$(a ", "a.", "a/", "a@", "@a", "1,",
                "1", "http://a)", "a://", "www.", "](", "](a", "[", "*", "_", "a_", "> a\n", "- a\n", "- ", ">", "\\", "\n", "[a]:\n",
                "&", "+a.", "-", "US$", "é-", "~", "#", "0x", "- a\n\n    b\n", "\ud800",
            )
        ),
        "- " * 50_000 + "x",
        "http://" + ")" * 100_000,
        "%" + "0" * 100_000,
        "a" + " " * 100_000 + "b",
        "".join(" " * k + "- a\n" for k in range(800)),
        "".join("`" * (k % 700 + 1) + " " for k in range(1000)),
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_no_text_takes_longer_than_its_length(text):
    begin = time.process_time()
    protected_spans(text, markdown=True, words=WORDS)
    # A quarter of a second where it is quiet; a quadratic step would take minutes.
    assert time.process_time() - begin < 4


def test_what_is_left_is_as_sure_as_its_least_sure_edit():
    edited = EditedText(
        "a b c", (Edit(0, 1, "x", 0.5), Edit(2, 3, "y", 0.9), Edit(4, 5, "z", 0.8)), 0.4
    )
    assert drop_protected(edited, [(0, 1)]).confidence == 0.8
    assert drop_protected(edited, [(0, 5)]).confidence == 1
    assert drop_protected(edited, []).confidence == 0.4
