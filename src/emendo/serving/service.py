"""Edits texts of any number of requests at once; both APIs use it.

The result is the same as that of `Editor.edit`. Work that takes long in Python runs in a thread, so
that it does not block the event loop.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from emendo.errors import EngineError
from emendo.inference.editors import Editors
from emendo.inference.mixed_document import Line
from emendo.serving.aside import LONG, Aside
from emendo.serving.deadline import Deadline
from emendo.serving.scheduler import Scheduler
from emendo.text import EditedText
from emendo.text.edits import least_confidence
from emendo.text.markup import PLAIN

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Mapping, Sequence

    from emendo.bundle.levels import Level
    from emendo.inference import Editor
    from emendo.inference.alignment import Alignment
    from emendo.inference.mixed_document import MixedDocument, ModelSentence
    from emendo.inference.steps import Steps
    from emendo.serving.aside import Check
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry
    from emendo.text import Edit
    from emendo.text.markup import Markup
    from emendo.text.segmentation import Span

# A batch that finished this recently shows that the network works.
_FRESH = 2.0
_PROBE = "This is a test."
_PROBE_DEADLINE = 5.0
# Looking for ten words takes at most as long as reading one character.
_WORDS_A_CHARACTER = 10


class EditedDocument(NamedTuple):
    """A text with its edits, and the sentences that were read."""

    document: MixedDocument
    edited: EditedText
    languages: tuple[str, ...]
    """For each edit the language of the model that made it."""


class EditingService:
    """The editors, and the one scheduler in front of them."""

    def __init__(
        self, editor: Editor | Editors, settings: ServerSettings, telemetry: Telemetry
    ) -> None:
        self.editors = editor if isinstance(editor, Editors) else Editors([editor])
        self._settings = settings
        self._telemetry = telemetry
        self.scheduler = Scheduler(
            self._run,
            batch_tokens=settings.batch_tokens,
            max_waiting=settings.max_waiting,
            on_wait=telemetry.add_wait,
            text_of=lambda line: line.text,
            group_of=lambda line: line.model,
        )
        self.aside = Aside(settings.max_waiting, is_busy=lambda: self.scheduler.running > 0)
        telemetry.count_waiting(lambda: self.scheduler.waiting)
        self._names = [each.language for each in self.editors.all]
        telemetry.name_models(self._names)

    async def edit(
        self,
        texts: Sequence[str],
        *,
        level: str | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> list[EditedText]:
        """Edit texts; the arguments are those of `Editors.read` and `Editors.edit_many`.

        `deadline` is when all must be done; by default the number of seconds in the settings from
        now.

        Raises:
            OverloadedError: Too many requests wait already.
            DeadlineError: It took too long.
            EngineError: The network failed.
        """
        documents = await self.edit_documents(
            texts,
            level=level,
            markup=markup,
            dictionary=dictionary,
            languages=languages,
            deadline=deadline,
        )
        return [each.edited for each in documents]

    async def edit_documents(
        self,
        texts: Sequence[str],
        *,
        level: str | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> list[EditedDocument]:
        """Do the same as `edit`, and also return the sentences that were read."""
        deadline = deadline or Deadline.after(self._settings.deadline)
        chosen = self.editors.level(level)
        length = sum(map(len, texts))

        def read(check: Check) -> list[MixedDocument]:
            words = tuple(dict.fromkeys(dictionary))
            return [
                self.editors.read(
                    text,
                    markup=markup,
                    dictionary=_found(words, text),
                    languages=languages,
                    check=check,
                )
                for text in texts
            ]

        def place(check: Check) -> list[EditedDocument]:
            del check
            return [_placed(document, known) for document in documents]

        # Every text is searched for every word.
        size = length + len(texts) * len(dictionary) // _WORDS_A_CHARACTER
        documents = await self.aside.run(read, size, deadline)
        lines = list(dict.fromkeys(line for document in documents for line in document.lines))
        known, missing = self._remembered(lines, chosen)
        if missing:
            async with self.scheduler.submit(missing, level=chosen, deadline=deadline) as job:
                await job.finish()
            known |= job.results
        results = await self.aside.run(place, length, deadline)
        for result in results:
            for edit, language in zip(result.edited.edits, result.languages, strict=True):
                self._telemetry.add_edits([edit], language)
        return results

    async def align(
        self,
        text: str,
        *,
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> list[tuple[ModelSentence, list[Alignment]]]:
        """Return the alignment of each sentence of a text, or of each piece of a long one.

        Raises:
            OverloadedError: Too many requests wait already.
            DeadlineError: It took too long.
            EngineError: The network failed.
        """
        deadline = deadline or Deadline.after(self._settings.deadline)
        document = await self.aside.run(
            lambda check: self.editors.read(text, languages=languages, check=check),
            len(text),
            deadline,
        )
        async with self.scheduler.submit(document.lines, level=None, deadline=deadline) as job:
            await job.finish()
        return [
            (sentence, [job.results[line] for line in sentence.lines])
            for sentence in document.sentences
        ]

    async def stream(
        self,
        text: str,
        *,
        level: str | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> AsyncGenerator[tuple[Span, str, tuple[Edit, ...]], None]:
        """Yield the places of a text's sentences, in order, each as soon as it is done.

        With each come the language of the model that read it, and its edits.

        The deadline is for the first; each later one has the settings' time after the previous one.
        """
        deadline = deadline or Deadline.after(self._settings.deadline)
        chosen = self.editors.level(level)
        document = await self.aside.run(
            lambda check: self.editors.read(
                text,
                markup=markup,
                dictionary=_found(dictionary, text),
                languages=languages,
                check=check,
            ),
            len(text) + len(dictionary) // _WORDS_A_CHARACTER,
            deadline,
        )
        known, missing = self._remembered(document.lines, chosen)
        async with self.scheduler.submit(missing, level=chosen, deadline=deadline) as job:
            for sentence in document.sentences:
                wanted = [line for line in sentence.lines if line not in known]
                await job.finish_lines(wanted, deadline)
                deadline = Deadline.after(self._settings.deadline)
                edits = document.place_sentence(sentence, _of(known, job.results, sentence))
                language = document.language(sentence)
                self._telemetry.add_edits(edits, language)
                yield document.span(sentence), language, edits

    async def check_ready(self) -> None:
        """Check that the network answers: it did recently, or it is run.

        Raises:
            OverloadedError: It works, but too many requests are waiting.
            ServerError: It does not answer.
        """
        scheduler = self.scheduler
        if scheduler.running > _PROBE_DEADLINE:
            # Also with a full queue, whose requests are not answered either.
            raise EngineError("the network does not answer")
        if time.monotonic() - scheduler.last_success > _FRESH:
            level = self.editors.level()
            deadline = Deadline.after(_PROBE_DEADLINE)
            probes = [Line(_PROBE, model) for model in range(len(self.editors.all))]
            async with scheduler.submit(probes, level=level, deadline=deadline) as job:
                await job.finish()

    def _run(
        self, lines: Sequence[Line], levels: tuple[Level, ...] | None
    ) -> Steps[Mapping[Line, tuple[Edit, ...]] | Mapping[Line, Alignment]]:
        if levels is not None:
            return (yield from self.editors.line_steps(lines, levels))
        aligned = {}
        for line in lines:
            yield
            aligned[line] = self.editors.align(line)
        return aligned

    def _remembered(
        self, lines: Sequence[Line], levels: tuple[Level, ...]
    ) -> tuple[dict[Line, tuple[Edit, ...]], list[Line]]:
        known = self.editors.remembered(lines, levels)
        missing = [line for line in lines if line not in known]
        for model, name in enumerate(self._names):
            hits = sum(line.model == model for line in known)
            misses = sum(line.model == model for line in missing)
            self._telemetry.add_lines(name, hits=hits, misses=misses)
        return known, missing


def _placed(document: MixedDocument, known: Mapping[Line, tuple[Edit, ...]]) -> EditedDocument:
    found = [
        (edit, document.language(sentence))
        for sentence, edits in document.placed(known)
        for edit in edits
    ]
    edits = tuple(edit for edit, _ in found)
    edited = EditedText(document.source.whole, edits, least_confidence(edits))
    return EditedDocument(document, edited, tuple(language for _, language in found))


def _found(dictionary: Collection[str], text: str) -> Collection[str]:
    """Return the words that occur in a short text, to avoid preparing thousands of others."""
    return [word for word in dictionary if word in text] if len(text) < LONG else dictionary


def _of(
    known: dict[Line, tuple[Edit, ...]],
    new: dict[Line, tuple[Edit, ...]],
    sentence: ModelSentence,
) -> dict[Line, tuple[Edit, ...]]:
    """Return the edits of a sentence's lines, from the cache or the job."""
    return {line: known[line] if line in known else new[line] for line in sentence.lines}
