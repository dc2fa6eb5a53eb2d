"""Makes pairs from files of clean text, as a stream, in any number of processes.

Every sentence has its own random generator, seeded by the run's seed and the sentence's position,
so that the output does not depend on the number of processes or the size of chunks.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import FormatError, RequestError
from emendo.languages import DEFAULT_LANGUAGE
from emendo.synthesis.clean_text import CleanText
from emendo.synthesis.error_writer import ErrorWriter, WrongSentence
from emendo.synthesis.tables import load_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

NO_PLACE = "no error found a place"

_CHUNK_LINES = 256
# Chunks that wait for each process: enough to keep it busy, few enough to bound the memory.
_CHUNKS_AHEAD = 4


@dataclass(frozen=True)
class SynthesisConfig:
    """How pairs are made from clean text."""

    language: str = DEFAULT_LANGUAGE
    seed: int = 1
    """Another seed writes other errors into the same text."""
    clean_share: float = 0.3
    """The share of sentences without an error, which teach a model not to change text."""
    errors_per_100_words: float = 10.0
    """In the sentences that get errors."""
    copies: int = 1
    """How many times the text is used, each time with other errors."""
    kinds: tuple[str, ...] = ()
    """Only errors of these kinds; by default all. One named twice is drawn twice as often."""
    more: Path | None = None
    """Another table of confusions: kind, right, wrong and weight, as in `learned.tsv`."""

    def __post_init__(self) -> None:
        if not 0 <= self.clean_share <= 1:
            raise RequestError(f"clean_share is {self.clean_share}; it must be from 0 to 1")
        if not 0 < self.errors_per_100_words <= 50:
            raise RequestError(
                f"errors_per_100_words is {self.errors_per_100_words}; it must be more than 0 "
                "and at most 50"
            )
        if self.copies < 1:
            raise RequestError(f"copies is {self.copies}; it must be at least 1")


@dataclass
class SynthesisCounts:
    """Counts of the pairs, and of the sentences that were left out."""

    pairs: int = 0
    clean: int = 0
    """Pairs without an error."""
    words: int = 0
    """Of the pairs that have errors."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Errors by kind."""
    refused: Counter[str] = field(default_factory=Counter)
    """Sentences that were left out, by reason, each time the text is used; with a limit, up to the
    end of the chunk of lines that reached it."""
    errorless: int = 0
    """Clean pairs that should have had an error, but `NO_PLACE`."""

    @property
    def errors_per_100_words(self) -> float:
        """In the pairs that have errors."""
        return 100 * self.kinds.total() / max(1, self.words)

    def to_json(self) -> str:
        """Return one JSON object."""
        return json.dumps({**vars(self), "errors_per_100_words": self.errors_per_100_words})

    def rows(self) -> list[tuple[str, str]]:
        """Return labels and values for people."""
        errors = max(1, self.kinds.total())
        rows = [
            ("pairs", f"{self.pairs:,}"),
            ("without an error", f"{self.clean:,}"),
            (f"of these, {NO_PLACE}", f"{self.errorless:,}"),
            ("errors per 100 words of the others", f"{self.errors_per_100_words:.1f}"),
        ]
        rows += [(kind, f"{100 * n / errors:.1f} %") for kind, n in self.kinds.most_common()]
        rows += [(f"left out: {reason}", f"{n:,}") for reason, n in self.refused.most_common()]
        return rows


class _Chunk(NamedTuple):
    """Lines, and the position of the first."""

    copy: int
    first: int
    lines: list[str]


_Items = list[tuple[WrongSentence, bool]]
"""Sentences, and whether one that should have an error has none."""
_Made = tuple[_Items, Counter[str]]


def synthesize(
    files: Sequence[Path],
    config: SynthesisConfig,
    counts: SynthesisCounts,
    *,
    workers: int = 1,
    limit: int | None = None,
) -> Iterator[WrongSentence]:
    """Make pairs from the sentences of text files.

    Args:
        files: UTF-8, a sentence or a paragraph on each line.
        config: The options.
        counts: Updated.
        workers: Processes; 1 stays in this one.
        limit: Stop after this many pairs.

    Yields:
        Sentences in the order of the text, including those that stay clean.

    Raises:
        FormatError: A file is not UTF-8.
    """
    made = (
        item
        for items, refused in _run(_chunks(files, config), config, workers)
        for item in _count_refused(items, refused, counts)
    )
    for sentence, found_no_place in islice(made, limit):
        counts.pairs += 1
        counts.errorless += found_no_place
        if sentence.errors:
            counts.words += len(sentence.target.split())
            counts.kinds.update(kind for _, kind in sentence.errors)
        else:
            counts.clean += 1
        yield sentence


def _count_refused(items: _Items, refused: Counter[str], counts: SynthesisCounts) -> _Items:
    counts.refused += refused
    return items


def _run(chunks: Iterator[_Chunk], config: SynthesisConfig, workers: int) -> Iterator[_Made]:
    if workers == 1:
        yield from (_make(chunk, config) for chunk in chunks)
        return
    waiting: deque[Future[_Made]] = deque()
    with ProcessPoolExecutor(workers) as pool:
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_make, chunk, config))
                if len(waiting) > workers * _CHUNKS_AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _chunks(files: Sequence[Path], config: SynthesisConfig) -> Iterator[_Chunk]:
    for copy in range(config.copies):
        lines = _lines(files)
        first = 0
        while chunk := list(islice(lines, _CHUNK_LINES)):
            yield _Chunk(copy, first, chunk)
            first += len(chunk)


def _lines(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        # Bytes are split only at line feeds; str would also split inside a text.
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    yield raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise FormatError(f"{path}: line {number}: not UTF-8 ({error})") from error


@cache
def _tools(config: SynthesisConfig) -> tuple[CleanText, ErrorWriter]:
    """Return the objects that a process needs, made once in each."""
    tables = load_tables(config.language, config.more)
    known = frozenset(wrong for wrongs in tables.misspellings.values() for wrong in wrongs)
    writer = ErrorWriter(
        config.language,
        errors_per_100_words=config.errors_per_100_words,
        kinds=config.kinds,
        more=config.more,
    )
    return CleanText(config.language, misspellings=known), writer


def _make(chunk: _Chunk, config: SynthesisConfig) -> _Made:
    clean_text, writer = _tools(config)
    refused: Counter[str] = Counter()
    made: _Items = []
    rng = Random()
    for number, line in enumerate(chunk.lines, chunk.first):
        for position, sentence in enumerate(clean_text.sentences(line, refused)):
            rng.seed(f"{config.seed} {chunk.copy} {number} {position}")
            if rng.random() < config.clean_share:
                made.append((WrongSentence(sentence, ()), False))
                continue
            wrong = writer.write(sentence, rng)
            made.append((wrong, not wrong.errors))
    return made, refused
