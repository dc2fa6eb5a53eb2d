"""Edits texts of any number of requests at once; both APIs use it.

The result is the same as that of `Editor.edit`. Work that takes long in Python runs in a thread, so
that it does not block the event loop.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from emendo.errors import EngineError
from emendo.serving.aside import LONG, Aside
from emendo.serving.deadline import Deadline
from emendo.serving.scheduler import Scheduler
from emendo.text import EditedText
from emendo.text.markup import PLAIN

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Mapping, Sequence

    from emendo.bundle.levels import Level
    from emendo.inference import Editor
    from emendo.inference.alignment import Alignment
    from emendo.inference.document import Document, Sentence
    from emendo.serving.aside import Check
    from emendo.serving.settings import ServerSettings
    from emendo.serving.telemetry import Telemetry
    from emendo.text import Edit
    from emendo.text.markup import Markup

# A batch that finished this recently shows that the network works.
_FRESH = 2.0
_PROBE = "This is a test."
_PROBE_DEADLINE = 5.0


class EditingService:
    """An editor, and the scheduler in front of it."""

    def __init__(self, editor: Editor, settings: ServerSettings, telemetry: Telemetry) -> None:
        self.editor = editor
        self._settings = settings
        self._telemetry = telemetry
        self.scheduler = Scheduler(
            self._run,
            batch_tokens=settings.batch_tokens,
            max_waiting=settings.max_waiting,
            on_wait=telemetry.add_wait,
        )
        self.aside = Aside(settings.max_waiting)
        telemetry.count_waiting(lambda: self.scheduler.waiting)

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
        """Edit texts; the arguments are those of `Editor.read` and `Editor.edit_many`.

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
        return [edited for _, edited in documents]

    async def edit_documents(
        self,
        texts: Sequence[str],
        *,
        level: str | None = None,
        markup: Markup = PLAIN,
        dictionary: Collection[str] = (),
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> list[tuple[Document, EditedText]]:
        """Do the same as `edit`, and also return the sentences that were read."""
        deadline = deadline or Deadline.after(self._settings.deadline)
        chosen = self.editor.level(level)
        length = sum(map(len, texts))

        def read(check: Check) -> list[Document]:
            return [
                self.editor.read(
                    text,
                    markup=markup,
                    dictionary=_found(dictionary, text),
                    languages=languages,
                    check=check,
                )
                for text in texts
            ]

        def place(check: Check) -> list[EditedText]:
            del check
            return [document.place(known) for document in documents]

        documents = await self.aside.run(read, length, deadline)
        lines = list(dict.fromkeys(line for document in documents for line in document.lines))
        known, missing = self._remembered(lines, chosen)
        if missing:
            async with self.scheduler.submit(missing, level=chosen, deadline=deadline) as job:
                await job.finish()
            known |= job.results
        results = await self.aside.run(place, length, deadline)
        self._telemetry.add_edits(results)
        return list(zip(documents, results, strict=True))

    async def align(
        self,
        text: str,
        *,
        languages: Collection[str] | None = None,
        deadline: Deadline | None = None,
    ) -> list[tuple[Sentence, list[Alignment]]]:
        """Return the alignment of each sentence of a text, or of each piece of a long one.

        Raises:
            OverloadedError: Too many requests wait already.
            DeadlineError: It took too long.
            EngineError: The network failed.
        """
        deadline = deadline or Deadline.after(self._settings.deadline)
        document = await self.aside.run(
            lambda check: self.editor.read(text, languages=languages, check=check),
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
    ) -> AsyncGenerator[tuple[Sentence, tuple[Edit, ...]], None]:
        """Yield the sentences of a text with their edits, in order, each as soon as it is done.

        The deadline is for the first; each later one has the settings' time after the previous one.
        """
        deadline = deadline or Deadline.after(self._settings.deadline)
        chosen = self.editor.level(level)
        document = await self.aside.run(
            lambda check: self.editor.read(
                text,
                markup=markup,
                dictionary=_found(dictionary, text),
                languages=languages,
                check=check,
            ),
            len(text),
            deadline,
        )
        known, missing = self._remembered(document.lines, chosen)
        async with self.scheduler.submit(missing, level=chosen, deadline=deadline) as job:
            for sentence in document.sentences:
                wanted = [line for line in sentence.lines if line not in known]
                await job.finish_lines(wanted, deadline)
                deadline = Deadline.after(self._settings.deadline)
                edits = document.place_sentence(sentence, _of(known, job.results, sentence))
                self._telemetry.add_edits([EditedText(text, edits)])
                yield sentence, edits

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
            level = self.editor.level()
            deadline = Deadline.after(_PROBE_DEADLINE)
            async with scheduler.submit([_PROBE], level=level, deadline=deadline) as job:
                await job.finish()

    def _run(
        self, lines: Sequence[str], level: Level | None
    ) -> Mapping[str, tuple[Edit, ...]] | Mapping[str, Alignment]:
        if level is None:
            return {line: self.editor.align(line) for line in lines}
        return self.editor.edit_lines(lines, level=level)

    def _remembered(
        self, lines: Sequence[str], level: Level
    ) -> tuple[dict[str, tuple[Edit, ...]], list[str]]:
        known = self.editor.remembered(lines, level=level)
        missing = [line for line in lines if line not in known]
        self._telemetry.add_lines(hits=len(known), misses=len(missing))
        return known, missing


def _found(dictionary: Collection[str], text: str) -> Collection[str]:
    """Return the words that occur in a short text, to avoid preparing thousands of others."""
    return [word for word in dictionary if word in text] if len(text) < LONG else dictionary


def _of(
    known: dict[str, tuple[Edit, ...]], new: dict[str, tuple[Edit, ...]], sentence: Sentence
) -> dict[str, tuple[Edit, ...]]:
    """Return the edits of a sentence's lines, from the cache or the job."""
    return {line: known[line] if line in known else new[line] for line in sentence.lines}
