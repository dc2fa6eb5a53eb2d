"""Sentences with their dependency parses, from spaCy or from CoNLL-U files.

The two sources name relations differently; here every relation has spaCy's name. One attaches a
conjunction to the first conjunct and the other to the second, so rules find it by its position.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from emendo.evaluation.raw_text import detokenise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from spacy.tokens import Doc

_NAMES = {
    "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass",
    "aux:pass": "auxpass",
    "acl:relcl": "relcl",
    "root": "ROOT",
    "obj": "dobj",
    "obl": "prep",
}
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_ENTITY = re.compile(r"\(([a-z]+)-\d+")
_ENTITIES = {"person": "PERSON", "organization": "ORG", "place": "GPE"}


class Token(NamedTuple):
    """A word with its place in the tree."""

    text: str
    space: str
    """White space after it."""
    tag: str
    """Of the Penn Treebank."""
    dep: str
    head: int
    """The number of its head in the sentence; its own for the root."""
    lemma: str
    entity: str = ""
    """PERSON, ORG, GPE and so on, if it is part of a name."""


@dataclass(frozen=True)
class Parse:
    """A sentence as a tree."""

    tokens: tuple[Token, ...]

    @cached_property
    def children(self) -> list[list[int]]:
        """The numbers of each token's dependents, in order."""
        found: list[list[int]] = [[] for _ in self.tokens]
        for number, token in enumerate(self.tokens):
            if token.head != number:
                found[token.head].append(number)
        return found

    @cached_property
    def root(self) -> int:
        """The number of the main verb, or of what stands for it."""
        return next((k for k, token in enumerate(self.tokens) if token.dep == "ROOT"), 0)

    @property
    def text(self) -> str:
        """The whole sentence."""
        return self.span(0, len(self.tokens))

    def span(self, start: int, end: int) -> str:
        """Return the text of tokens `start` to `end`, without the space after it."""
        return "".join(token.text + token.space for token in self.tokens[start:end]).rstrip()

    def subtree(self, number: int) -> list[int]:
        """Return the tokens under a token, itself included, in order."""
        found, pending = [], [number]
        while pending:
            each = pending.pop()
            found.append(each)
            pending += self.children[each]
            if len(found) > len(self.tokens):
                # A parse with a circle.
                return [number]
        return sorted(found)

    def edges(self, number: int) -> tuple[int, int] | None:
        """Return the start and the end of a subtree without its outer marks; None if it has gaps.

        Commas around a clause belong to it in one scheme, and to what surrounds it in the other.
        """
        inside = self.subtree(number)
        while inside and self.tokens[inside[0]].text == ",":
            del inside[0]
        while inside and self.tokens[inside[-1]].text in (",", "."):
            del inside[-1]
        if not inside:
            return None
        start, end = inside[0], inside[-1] + 1
        return (start, end) if end - start == len(inside) else None

    def is_comma(self, number: int) -> bool:
        """Whether there is a comma at a place."""
        return 0 <= number < len(self.tokens) and self.tokens[number].text == ","

    def child(self, number: int, *deps: str) -> int | None:
        """Return the first dependent with one of these relations."""
        return next((k for k in self.children[number] if self.tokens[k].dep in deps), None)

    def subject(self, verb: int) -> int | None:
        """Return the subject of a clause."""
        return self.child(verb, *SUBJECTS)

    def finite(self, verb: int) -> int | None:
        """Return the verb of a clause that has its tense: itself, an auxiliary or the copula."""
        around = (k for k in self.children[verb] if self.tokens[k].dep in ("aux", "auxpass", "cop"))
        return next((k for k in sorted((*around, verb)) if self.tokens[k].tag in FINITE), None)


def spacy_parses(doc: Doc) -> Iterator[Parse]:
    """Yield the sentences of a document of spaCy's."""
    for sent in doc.sents:
        yield Parse(
            tuple(
                Token(
                    token.text,
                    token.whitespace_,
                    token.tag_,
                    token.dep_,
                    token.head.i - sent.start,
                    token.lemma_,
                    token.ent_type_,
                )
                for token in sent
            )
        )


def conllu_documents(path: Path) -> Iterator[list[Parse]]:
    """Yield the documents of a CoNLL-U file, each as its sentences."""
    sentences: list[Parse] = []
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("# newdoc") and sentences:
                yield sentences
                sentences = []
            cells = line.rstrip("\n").split("\t")
            if cells[0].isdigit():
                rows.append(cells)
            elif not line.strip() and rows:
                sentences.append(_parse(rows))
                rows = []
    if rows:
        sentences.append(_parse(rows))
    if sentences:
        yield sentences


def _relation(row: Sequence[str]) -> str:
    """Return spaCy's name of a relation; only spaCy has one for "not" and "never"."""
    if row[7] == "advmod" and row[2].lower() in ("not", "never"):
        return "neg"
    return _NAMES.get(row[7], row[7].split(":")[0])


def _parse(rows: Sequence[Sequence[str]]) -> Parse:
    raw = detokenise([row[1] for row in rows])
    starts = [start for start, _ in raw.spans[1:]] + [len(raw.text)]
    tokens = []
    for number, (row, (start, end), following) in enumerate(
        zip(rows, raw.spans, starts, strict=True)
    ):
        # Only the first word of a name: enough for one that begins a sentence.
        entity = (_ENTITY.findall(row[9]) or [""])[-1]
        head = int(row[6]) - 1
        tokens.append(
            Token(
                raw.text[start:end],
                raw.text[end:following],
                row[4],
                _relation(row),
                head if head >= 0 else number,
                row[2],
                _ENTITIES.get(entity, "") if row[4] in ("NNP", "NNPS") else "",
            )
        )
    return Parse(tuple(tokens))
