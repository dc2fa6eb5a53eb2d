"""Several editors: each paragraph is read by the editor for its language.

docs/explanation/documents.md has the rules. With one editor, the results are those of that editor.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from emendo.bundle.format import CORRECTION
from emendo.errors import ConfigError
from emendo.inference.document import read_source
from emendo.inference.mixed_document import Line, MixedDocument
from emendo.inference.steps import run_steps
from emendo.inference.text_types import check_text, check_texts
from emendo.text import EditedText
from emendo.text.edits import least_confidence
from emendo.text.language import choose_languages
from emendo.text.markup import PLAIN
from emendo.text.segmentation import split_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from emendo.bundle.levels import Level, LevelName
    from emendo.inference.alignment import Alignment
    from emendo.inference.document import Source
    from emendo.inference.editor import Editor
    from emendo.inference.steps import Steps
    from emendo.text import Edit
    from emendo.text.markup import Markup
    from emendo.text.segmentation import Span

    Levels = tuple[Level, ...]

# Sentences between two progress reports, about a second; sorted by length to fill batches.
_AT_ONCE = 64
# Sentences that a stream runs first, for a quick start; the number then increases.
_AT_FIRST = 4
# The longest paragraph, in characters, whose language is cached.
_LONGEST_KNOWN = 500


class Editors:
    """Edits documents in several languages, with an editor for each.

    The language is chosen for each paragraph, list item and heading by its own words. If they do
    not show it, the paragraph before decides, or the next; in a text without any evidence, the
    first editor reads everything.

    Editors share no cache. Any number of threads can use those made by `load_editors`.
    """

    def __init__(self, editors: Sequence[Editor]) -> None:
        """Join editors.

        Args:
            editors: The first is the default.

        Raises:
            ConfigError: There is none, their languages are unknown or not distinct, or one of
                several does not correct.
        """
        self.all = tuple(editors)
        if not self.all:
            raise ConfigError("there is no editor; give at least one")
        self.languages = tuple(code for editor in self.all for code in editor.languages)
        check_languages([editor.languages for editor in self.all])
        check_tasks([editor.task for editor in self.all])
        self.levels = tuple(dict.fromkeys(name for editor in self.all for name in editor.levels))

    def __repr__(self) -> str:
        return f"Editors(languages={list(self.languages)}, levels={list(self.levels)})"

    @property
    def language(self) -> str:
        """The language of the default editor; "" if it has none."""
        return self.all[0].language

    @property
    def task(self) -> str:
        """What the models do to a text, such as "correction"."""
        return self.all[0].task

    @property
    def unit(self) -> str:
        """What the models read at once, such as "sentence"."""
        return self.all[0].unit

    @property
    def default_level(self) -> str:
        """The name of the default editor's default level."""
        return self.all[0].default_level

    def edit(
        self,
        text: str,
        *,
        level: LevelName | str | Level | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
    ) -> EditedText:
        """Edit a document; the arguments are those of `Editor.edit`.

        A level that only some models have is their own default for the others.
        """
        check_text(text)
        return self.edit_many([text], level=level, markup=markup, dictionary=dictionary)[0]

    def edit_many(
        self,
        texts: Sequence[str],
        *,
        level: LevelName | str | Level | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        on_progress: Callable[[int, int], object] | None = None,
    ) -> list[EditedText]:
        """Edit documents; the arguments are those of `Editor.edit_many`."""
        check_texts(texts)
        levels = self.level(level)
        documents = [self.read(text, markup=markup, dictionary=dictionary) for text in texts]
        lines = list(dict.fromkeys(line for document in documents for line in document.lines))
        known = self.remembered(lines, levels)
        missing = sorted(
            (line for line in lines if line not in known),
            key=lambda line: (line.model, len(line.text)),
        )
        for start in range(0, len(missing), _AT_ONCE):
            if on_progress:
                on_progress(len(known), len(lines))
            known |= self.edit_lines(missing[start : start + _AT_ONCE], levels)
        if on_progress:
            on_progress(len(known), len(lines))
        return [document.place(known) for document in documents]

    def edit_stream(
        self,
        text: str,
        *,
        level: LevelName | str | Level | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
    ) -> Iterator[EditedText]:
        """Edit a document piece by piece, as `Editor.edit_stream` does."""
        levels = self.level(level)
        return self._pieces(self.read(text, markup=markup, dictionary=dictionary), levels)

    def _pieces(self, document: MixedDocument, levels: Levels) -> Iterator[EditedText]:
        text, sentences = document.source.whole, document.sentences
        first, size, done = 0, _AT_FIRST, 0
        while portion := sentences[first : first + size]:
            lines = list(dict.fromkeys(line for each in portion for line in each.lines))
            known = self.remembered(lines, levels)
            missing = [line for line in lines if line not in known]
            known |= self.edit_lines(missing, levels) if missing else {}
            for sentence in portion:
                edits = document.place_sentence(sentence, known)
                end = max(done, document.span(sentence)[1])
                yield _piece(text, edits, done, end)
                done = end
            first, size = first + size, min(2 * size, _AT_ONCE)
        if done < len(text):
            yield EditedText(text[done:])

    def read(
        self,
        text: str,
        *,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        check: Callable[[], object] | None = None,
    ) -> MixedDocument:
        """Find the sentences to edit in a text, and the editor of each.

        Args:
            text: As for `Editor.edit`.
            markup: As for `Editor.edit`.
            dictionary: As for `Editor.edit`.
            languages: Some of the editors' languages; by default all. With one, there is no choice.
            check: Called repeatedly; an exception that it raises ends the reading.
        """
        check_text(text)
        source = read_source(text, markup=markup, dictionary=dictionary, check=check)
        own = [
            editor.languages
            if languages is None
            else tuple(code for code in editor.languages if code in languages)
            for editor in self.all
        ]
        # An editor without languages reads any, but not one that was asked for by name.
        asked = [k for k, codes in enumerate(own) if codes or languages is None]
        shares = self._shares(source, asked, own, check)
        return MixedDocument(
            [
                editor.read_blocks(source, share, languages=codes, check=check)
                for editor, share, codes in zip(self.all, shares, own, strict=True)
            ],
            [editor.language for editor in self.all],
        )

    def _shares(
        self,
        source: Source,
        asked: Sequence[int],
        own: Sequence[tuple[str, ...]],
        check: Callable[[], object] | None,
    ) -> list[list[Span] | None]:
        """Return the blocks of each editor; None means all."""
        if len(asked) < 2:
            return [None if k in asked else [] for k in range(len(self.all))]
        groups = tuple(own[k] for k in asked)
        blocks = split_blocks(source.annotated.plain)
        chosen = []
        for block in blocks:
            if check:
                check()
            prose = source.prose(block)
            choose = _choose if len(prose) <= _LONGEST_KNOWN else choose_languages
            chosen.append(choose(prose, groups))
        owners = [asked[choice] for choice in _settled(chosen)]
        return [
            [block for block, owner in zip(blocks, owners, strict=True) if owner == k]
            for k in range(len(self.all))
        ]

    def remembered(self, lines: Iterable[Line], levels: Levels) -> dict[Line, tuple[Edit, ...]]:
        """Return the edits of lines that are in the editors' caches."""
        return {
            Line(text, model): edits
            for model, texts in _by_model(lines).items()
            for text, edits in self.all[model].remembered(texts, level=levels[model]).items()
        }

    def edit_lines(self, lines: Iterable[Line], levels: Levels) -> dict[Line, tuple[Edit, ...]]:
        """Run the networks over lines of documents, and cache the edits."""
        return run_steps(self.line_steps(lines, levels))

    def line_steps(
        self, lines: Iterable[Line], levels: Levels
    ) -> Steps[dict[Line, tuple[Edit, ...]]]:
        """Do the work of `edit_lines` in steps."""
        found: dict[Line, tuple[Edit, ...]] = {}
        for model, texts in _by_model(lines).items():
            edits = yield from self.all[model].line_steps(texts, level=levels[model])
            found.update((Line(text, model), each) for text, each in edits.items())
        return found

    def align(self, line: Line) -> Alignment:
        """Return the alignment of one pass over a line."""
        return self.all[line.model].align(line.text)

    def level(self, level: str | Level | None = None) -> Levels:
        """Return a level of each editor, by its name.

        Raises:
            ConfigError: No editor has it.
        """
        if isinstance(level, str) and level not in self.levels:
            raise ConfigError(f"there is no level {level!r}; levels: {', '.join(self.levels)}")
        return tuple(
            editor.level(None if isinstance(level, str) and level not in editor.levels else level)
            for editor in self.all
        )


def check_languages(groups: Sequence[Collection[str]]) -> None:
    """Check that texts can be divided between models.

    Args:
        groups: The languages of each model.

    Raises:
        ConfigError: One of several has none, or two have the same.
    """
    seen: set[str] = set()
    for group in groups:
        if not group and len(groups) > 1:
            raise ConfigError(
                "one of several models names no language, so no text can be given to it; use it "
                "alone, or add its language to its bundle.json"
            )
        twice = seen.intersection(group)
        if twice:
            raise ConfigError(
                f"two models are for the language {', '.join(sorted(twice))}; leave one of them out"
            )
        seen.update(group)


def check_tasks(tasks: Sequence[str]) -> None:
    """Check that models can work side by side.

    Raises:
        ConfigError: One of several has another task than correction.
    """
    others = sorted(set(tasks) - {CORRECTION})
    if len(tasks) > 1 and others:
        raise ConfigError(
            f"the task of one of several models is {', '.join(others)}, and only models for "
            "correction can be used together; use it alone"
        )


def _by_model(lines: Iterable[Line]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for line in lines:
        found.setdefault(line.model, []).append(line.text)
    return found


@lru_cache(maxsize=4096)
def _choose(prose: str, groups: tuple[tuple[str, ...], ...]) -> tuple[int, ...]:
    """Choose for a paragraph, cached, because an open document is read at every keystroke."""
    return choose_languages(prose, groups)


def _settled(chosen: Sequence[tuple[int, ...]]) -> list[int]:
    """Decide for blocks that may be several: as the one before, or the next, or the default."""
    # Of each block the nearest clear choice at or after it.
    ahead: list[int | None] = []
    following: int | None = None
    for choices in reversed(chosen):
        following = choices[0] if len(choices) == 1 else following
        ahead.append(following)
    settled: list[int] = []
    for choices, after in zip(chosen, reversed(ahead), strict=True):
        near = (*settled[-1:], after)
        settled.append(next((k for k in near if k in choices), choices[0]))
    return settled


def _piece(text: str, edits: Sequence[Edit], start: int, end: int) -> EditedText:
    """Return a part of a text with its edits, with positions from its start."""
    moved = tuple(replace(each, start=each.start - start, end=each.end - start) for each in edits)
    return EditedText(text[start:end], moved, least_confidence(moved))
