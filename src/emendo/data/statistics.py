"""Statistics of a file of pairs: how much changes, in which ways, and how many slots it takes."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from emendo.data.encoding import EMPTY, UNMAKEABLE, has_path
from emendo.languages import DEFAULT_LANGUAGE
from emendo.text import edit_type, merge_edits
from emendo.text.words import split_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from emendo.data.filters import PairFilter
    from emendo.text import EditPair, TextTokenizer

SLOTS = (1, 2, 4, 8)
"""The values of T that targets are tested with."""
SPACING = "spacing"
"""Edits that change only white space."""

_CHUNK = 1024


@dataclass
class PairStatistics:
    """Counts over pairs."""

    pairs: int = 0
    changed: int = 0
    """Pairs whose target is not the source."""
    words: int = 0
    """Of all sources; a punctuation mark is a word."""
    wrong_words: int = 0
    """Words replaced, deleted and inserted, counted on the side with more."""
    types: Counter[str] = field(default_factory=Counter)
    """Edits by type, as the editor names them; for a language without tables, only the types that
    need no word tables."""
    edits: Counter[str] = field(default_factory=Counter)
    """Runs of words by operation: replace, insert, delete; and `SPACING`."""
    tokens: int = 0
    """Of all sources; this and the following fields need a tokenizer."""
    longest: int = 0
    """Tokens of the longest source."""
    fitting: dict[int, int] = field(default_factory=dict)
    """Pairs whose target can be written with T slots per token, by T."""
    unfitting: Counter[str] = field(default_factory=Counter)
    """Pairs that cannot be written with any number of slots, by reason."""
    refused: Counter[str] = field(default_factory=Counter)
    """Pairs that the filter left out, by reason; they are in no other count."""

    @property
    def word_error_rate(self) -> float:
        """Wrong words over words."""
        return self.wrong_words / max(1, self.words)

    def to_json(self) -> str:
        """Return one JSON object."""
        return json.dumps({**vars(self), "word_error_rate": self.word_error_rate})


def measure_pairs(
    pairs: Iterable[EditPair],
    *,
    pair_filter: PairFilter | None = None,
    tokenizer: TextTokenizer | None = None,
    language: str = DEFAULT_LANGUAGE,
) -> PairStatistics:
    """Count over a stream of pairs, in constant memory.

    Args:
        pairs: What to count.
        pair_filter: Leaves out pairs; None counts everything.
        tokenizer: Counts slots and tokens; None leaves them out.
        language: Of the texts, for the types of edits.
    """
    found = PairStatistics()
    pairs = pair_filter.apply(pairs, found.refused) if pair_filter else iter(pairs)
    if tokenizer is not None:
        found.fitting = dict.fromkeys(SLOTS, 0)
    while chunk := list(itertools.islice(pairs, _CHUNK)):
        for pair in chunk:
            _count_words(pair, found, language)
        if tokenizer is not None:
            _count_slots(chunk, tokenizer, found)
    return found


def _count_words(pair: EditPair, found: PairStatistics, language: str) -> None:
    found.pairs += 1
    source = _words(pair.source)
    found.words += len(source)
    if pair.source == pair.target:
        return
    found.changed += 1
    edits = list(_edits(source, _words(pair.target)))
    for kind, size in edits:
        found.edits[kind] += 1
        found.wrong_words += size
    if not edits:
        found.edits[SPACING] += 1
    for edit in merge_edits(pair.source, [(0, len(pair.source), pair.target)]).edits:
        found.types[edit_type(pair.source, edit, language=language)] += 1


def _words(text: str) -> list[str]:
    return [text[word.body : word.end] for word in split_words(text) if word.body < word.end]


def _edits(old: list[str], new: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the kind of each run of words that differs, and its size."""
    # Most of a pair is unchanged, which difflib is slow to find.
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    for kind, i, i2, j, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield kind, max(i2 - i, j2 - j)


def _count_slots(pairs: list[EditPair], tokenizer: TextTokenizer, found: PairStatistics) -> None:
    sources = tokenizer.encode_many([pair.source for pair in pairs])
    targets = tokenizer.encode_targets([pair.target for pair in pairs], sources)
    for source, target in zip(sources, targets, strict=True):
        found.tokens += len(source)
        found.longest = max(found.longest, len(source))
        if not source.is_readable:
            found.unfitting[EMPTY] += 1
        elif target.unmakeable:
            found.unfitting[UNMAKEABLE] += 1
        else:
            for slots in SLOTS:
                found.fitting[slots] += has_path(source, target, slots, tokenizer.vocab_size)


def summarise(found: PairStatistics) -> list[tuple[str, str]]:
    """Return the rows of a table: name and value."""
    rows = [
        ("pairs", f"{found.pairs:,}"),
        ("changed", _share(found.changed, found.pairs)),
        ("words a source", f"{found.words / max(1, found.pairs):.1f}"),
        ("word error rate", f"{found.word_error_rate:.2%}"),
    ]
    total = found.edits.total()
    rows += [(f"edits: {kind}", _share(n, total)) for kind, n in found.edits.most_common()]
    total = found.types.total()
    rows += [(f"type: {kind}", _share(n, total)) for kind, n in found.types.most_common()]
    if found.fitting:
        rows.append(("tokens a source", f"{found.tokens / max(1, found.pairs):.1f}"))
        rows.append(("tokens of the longest", f"{found.longest:,}"))
    rows += [(f"fit T = {slots}", _share(n, found.pairs)) for slots, n in found.fitting.items()]
    for name, counts in (("fit no T", found.unfitting), ("refused", found.refused)):
        rows += [(f"{name}: {reason}", f"{n:,}") for reason, n in counts.most_common()]
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / max(1, whole):.2%})"
