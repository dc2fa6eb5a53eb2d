"""No Markdown holds the interpreter: one search by a pattern lets no other thread run until it ends."""

import time
from statistics import median

import pytest

from emendo.text import protected_spans
from emendo.text.markdown import scan_markdown

SIZE = 16_000
SECONDS = 0.05
LINKS = [
    "](", "](<", "](a", "](a ", "](a  \"", "]( \"", "](( ", "](()", "](a(b)", "](](<)", "](\t", "[^", "][", "](a 'b' ",
]  # fmt: skip


def filled(start, part):
    return start + part * ((SIZE - len(start)) // len(part))


@pytest.mark.parametrize(
    "text",
    [
        *(filled(link, space) for link in LINKS for space in (" ", "\t", " \t")),
        *(filled("", link) for link in LINKS),
        *(filled("", f"{link}{' ' * 120}") for link in LINKS),
    ],
    ids=lambda text: repr(text[:6]),
)
@pytest.mark.timeout(60)
def test_no_text_holds_the_interpreter(text):
    def seconds():
        begin = time.thread_time()
        scan_markdown(text)
        return time.thread_time() - begin

    assert median(seconds() for _ in range(3)) < SECONDS


@pytest.mark.parametrize(
    "target",
    [
        "()", "( )", "(a)", "( a )", "(<a b>)", "( <a b>  )", "(a(b)c)", "((b)c)", '(a "t")', '( a\t"t" )', "(a 't' )", "(a (t))",
        '( "t")', '("t")', "(a<b)", "(a(b) (t))", "(\t(t)\t)",
    ],
)  # fmt: skip
def test_targets_are_found_whole(target):
    text = f"[x]{target} y"
    assert (2, 3 + len(target)) in protected_spans(text, markdown=True)


@pytest.mark.parametrize("target", ["(a b)", "(a\n)", '(a"t"', "(((a)))", '(a "t" b)'])
def test_what_is_no_target_is_text(target):
    _, inside = scan_markdown(f"[x]{target} y")
    assert (2, 3) in inside
