"""Edits documents: recent sentences come from a cache, the network runs over the rest.

`document.py` finds the sentences of a text and places their edits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.bundle.format import CORRECTION, DEFAULT_LEVEL, PASSAGE, SENTENCE
from emendo.bundle.levels import EVERYTHING, Level
from emendo.errors import BundleError, ConfigError
from emendo.inference.document import read_blocks, read_source
from emendo.inference.editors import Editors
from emendo.inference.sentence_cache import SentenceCache
from emendo.inference.steps import run_steps
from emendo.inference.text_types import check_text
from emendo.languages import DEFAULT_LANGUAGE
from emendo.text.markup import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from emendo.bundle.levels import LevelName
    from emendo.inference.alignment import Alignment
    from emendo.inference.document import Document, Source
    from emendo.inference.sentence_editor import SentenceEditor
    from emendo.inference.steps import Steps
    from emendo.text import Edit, EditedText
    from emendo.text.markup import Markup
    from emendo.text.segmentation import Span

# Tokens of a sentence that are read at once, even if the network could read more: memory grows
# with their square, and only run-on sentences have more.
_LONGEST = 192


class Editor:
    """Edits whole documents, and single sentences, with one network.

    Any number of threads can share an editor made by `load_editor`.
    """

    def __init__(
        self,
        sentence_editor: SentenceEditor,
        *,
        languages: Collection[str] = (DEFAULT_LANGUAGE,),
        task: str = CORRECTION,
        unit: str = SENTENCE,
        levels: Mapping[str, Level] | None = None,
        default_level: str = DEFAULT_LEVEL,
        cache_size: int = 10_000,
    ) -> None:
        """Make an editor of documents from an editor of sentences.

        Args:
            sentence_editor: Edits the sentences.
            languages: Two-letter codes of the languages of the model; sentences in others are
                not changed.
            task: What the model does to a text, such as "correction" or "fusion".
            unit: What it reads at once: "sentence", or "passage", which is two or more sentences
                of a paragraph.
            levels: The levels by name.
            default_level: The level that is used if a call names none.
            cache_size: Number of sentences whose edits are cached; 0 turns the cache off.
        """
        self._sentence_editor = sentence_editor
        if unit not in (SENTENCE, PASSAGE):
            raise BundleError(
                f"the model's unit is {unit!r}, and this emendo reads {SENTENCE} and {PASSAGE}; "
                "install a newer emendo"
            )
        self.languages = tuple(languages)
        self.task = task
        self.unit = unit
        self.levels: Mapping[str, Level] = levels or {DEFAULT_LEVEL: EVERYTHING}
        self.default_level = default_level
        self._cache = SentenceCache(cache_size)
        self.level(default_level)

    def __repr__(self) -> str:
        task = "" if self.task == CORRECTION else f"task={self.task!r}, "
        return (
            f"Editor({task}languages={list(self.languages)}, levels={list(self.levels)}, "
            f"default_level={self.default_level!r})"
        )

    @property
    def language(self) -> str:
        """The code of its first language, in which edits are explained; "" if it has none."""
        return next(iter(self.languages), "")

    def edit(
        self,
        text: str,
        *,
        level: LevelName | str | Level | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
    ) -> EditedText:
        """Edit a document; the network runs only over sentences that are not cached.

        Args:
            text: Of any length, with any line ends.
            level: A name among `levels`, or a level of your own; the default is `default_level`.
            markup: "plain", "markdown", "latex" or "html". Code, commands and link targets are
                never edited.
            dictionary: The user's own words, which are never edited.
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
        """Edit documents, with their sentences in shared batches.

        Args:
            texts: The documents.
            level: As for `edit`.
            markup: As for `edit`.
            dictionary: As for `edit`.
            on_progress: Called regularly with the number of sentences done and the total.
        """
        return Editors([self]).edit_many(
            texts, level=level, markup=markup, dictionary=dictionary, on_progress=on_progress
        )

    def edit_stream(
        self,
        text: str,
        *,
        level: LevelName | str | Level | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
    ) -> Iterator[EditedText]:
        """Edit a document piece by piece, and yield each piece as soon as it is done.

        A piece ends at the end of a sentence or passage. The sources of all pieces, joined, are
        the text, and their outputs equal that of `edit`. Positions of edits count from the start
        of the piece.

        Args:
            text: As for `edit`.
            level: As for `edit`.
            markup: As for `edit`.
            dictionary: As for `edit`.
        """
        return Editors([self]).edit_stream(text, level=level, markup=markup, dictionary=dictionary)

    def read(
        self,
        text: str,
        *,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        check: Callable[[], object] | None = None,
    ) -> Document:
        """Find the sentences or passages to edit in a text, without editing them.

        Args:
            text: As for `edit`.
            markup: As for `edit`.
            dictionary: As for `edit`.
            languages: Some of the editor's languages; by default all.
            check: Called repeatedly; an exception that it raises ends the reading.
        """
        check_text(text)
        source = read_source(text, markup=markup, dictionary=dictionary, check=check)
        return self.read_blocks(source, languages=languages, check=check)

    def read_blocks(
        self,
        source: Source,
        blocks: Iterable[Span] | None = None,
        *,
        languages: Collection[str] | None = None,
        check: Callable[[], object] | None = None,
    ) -> Document:
        """Find the sentences to edit in blocks of a text, by default in all.

        Args:
            source: The text.
            blocks: In order (`split_blocks`).
            languages: As for `read`.
            check: As for `read`.
        """
        return read_blocks(
            source,
            blocks,
            languages=self.languages if languages is None else languages,
            max_tokens=min(_LONGEST, self._sentence_editor.max_tokens),
            count_tokens=self._sentence_editor.count_tokens,
            unit=self.unit,
            check=check,
        )

    def remembered(
        self, lines: Collection[str], *, level: str | Level | None = None
    ) -> dict[str, tuple[Edit, ...]]:
        """Return the edits of lines that are in the cache."""
        return self._cache.look_up(self.level(level), lines)

    def edit_lines(
        self, lines: Sequence[str], *, level: str | Level | None = None
    ) -> dict[str, tuple[Edit, ...]]:
        """Run the network over lines of documents, and cache the edits."""
        return run_steps(self.line_steps(lines, level=level))

    def line_steps(
        self, lines: Sequence[str], *, level: str | Level | None = None
    ) -> Steps[dict[str, tuple[Edit, ...]]]:
        """Do the work of `edit_lines` in steps."""
        chosen = self.level(level)
        (results,) = yield from self._sentence_editor.steps_at_levels(lines, [chosen])
        edits = {edited.source: edited.edits for edited in results}
        self._cache.remember(chosen, edits)
        return edits

    def edit_sentences(
        self, sentences: Sequence[str], *, level: str | Level | None = None
    ) -> list[EditedText]:
        """Edit sentences, or passages, as they are.

        Nothing is split, joined, protected, skipped or cached.
        """
        return self._sentence_editor.edit_sentences(sentences, self.level(level))

    def edit_at_levels(
        self,
        sentences: Sequence[str],
        levels: Sequence[Level],
        known: dict[tuple[float, str], EditedText] | None = None,
    ) -> list[list[EditedText]]:
        """Edit sentences as they are, at several levels; `known` is for further calls."""
        return self._sentence_editor.edit_at_levels(sentences, levels, known)

    def align(self, sentence: str) -> Alignment:
        """Return the alignment of one pass over a sentence."""
        return self._sentence_editor.align(sentence)

    def level(self, level: str | Level | None = None) -> Level:
        """Return a level by its name, or the default one."""
        if isinstance(level, Level):
            return level
        name = self.default_level if level is None else level
        if name not in self.levels:
            raise ConfigError(f"there is no level {name!r}; levels: {', '.join(self.levels)}")
        return self.levels[name]
