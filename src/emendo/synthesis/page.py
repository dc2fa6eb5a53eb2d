"""A page of pairs to look at, a few of each kind of error, with the errors marked."""

from __future__ import annotations

from html import escape
from random import Random
from typing import TYPE_CHECKING

from emendo.html_page import html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.synthesis.error_writer import WrongSentence

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1e; background: #fff;
       max-width: 56rem; margin: 2.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; }
p { margin: .3rem 0; } .note { color: #48484c; }
del { background: #fde2e1; color: #9b1c1c; text-decoration: line-through; }
ins { background: #dcf5e3; color: #14612f; text-decoration: none; }
.focus { outline: 1.5px solid #6b7280; outline-offset: 1px; border-radius: 2px; }
"""


class PairSample:
    """Keeps a few random pairs of each kind of error out of a stream of any length."""

    def __init__(self, *, per_kind: int = 2, seed: int = 1) -> None:
        self._per_kind = per_kind
        self._rng = Random(seed)
        self._seen: dict[str, int] = {}
        self._kept: dict[str, list[WrongSentence]] = {}

    def watch(self, sentences: Iterable[WrongSentence]) -> Iterator[WrongSentence]:
        """Pass sentences on, and keep some."""
        for sentence in sentences:
            for kind in {kind for _, kind in sentence.errors}:
                self._offer(kind, sentence)
            yield sentence

    def _offer(self, kind: str, sentence: WrongSentence) -> None:
        seen = self._seen[kind] = self._seen.get(kind, 0) + 1
        kept = self._kept.setdefault(kind, [])
        if len(kept) < self._per_kind:
            kept.append(sentence)
        elif (place := self._rng.randrange(seen)) < self._per_kind:
            kept[place] = sentence

    def page(self) -> str:
        """Return the page, as one HTML file."""
        whole = max(1, sum(self._seen.values()))
        parts = [
            "<h1>Synthetic errors</h1>",
            "<p class='note'>Struck out: the error. Green: the correct text. A frame "
            "marks errors of the kind in the heading; shares are of all errors' kinds.</p>",
        ]
        for kind in sorted(self._kept, key=lambda name: -self._seen[name]):
            parts.append(f"<h2>{escape(kind)} ({100 * self._seen[kind] / whole:.1f} %)</h2>")
            parts += (f"<p>{_marked(sentence, kind)}</p>" for sentence in self._kept[kind])
        return html_page("Synthetic errors", parts, style=_STYLE)


def _marked(sentence: WrongSentence, focus: str) -> str:
    parts = []
    done = 0
    for edit, kind in sentence.errors:
        parts.append(escape(sentence.target[done : edit.start]))
        inner = ""
        if edit.replacement:
            inner += f"<del>{escape(edit.replacement)}</del>"
        if edit.end > edit.start:
            inner += f"<ins>{escape(sentence.target[edit.start : edit.end])}</ins>"
        css = " class='focus'" if kind == focus else ""
        parts.append(f"<span{css} title='{escape(kind)}'>{inner}</span>")
        done = edit.end
    return "".join(parts) + escape(sentence.target[done:])
