"""Checks open documents, off the event loop, and only the newest version of each.

One thread reads documents and runs the network. A change cancels the check of the version before;
what that check had found out about single sentences is remembered, so nothing is done twice.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from emendo.bundle.format import CORRECTION
from emendo.errors import ConfigError, EmendoError, RequestError
from emendo.inference.editors import Editors
from emendo.lsp.findings import Findings, find
from emendo.lsp.settings import AUTO
from emendo.text.word_files import WordFiles, check_word

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from emendo.inference import Editor
    from emendo.inference.mixed_document import Line, MixedDocument
    from emendo.lsp.open_document import OpenDocument
    from emendo.lsp.settings import Settings
    from emendo.text import Edit

    Result = TypeVar("Result")

logger = logging.getLogger(__name__)

# Seconds of quiet before a check. A burst of changes (a paste, several cursors) is one; between two
# keystrokes of a fast writer there is more time.
_QUIET = 0.02
# Sentences between two looks at whether the document has changed meanwhile.
_AT_ONCE = 16
# Seconds that a request may wait for the check that it is about.
_PATIENCE = 5.0


class Checks:
    """The open documents, what was found in each, and the editor that finds it."""

    def __init__(
        self,
        load: Callable[[Settings], Editor | Editors],
        *,
        publish: Callable[[Findings], None],
        complain: Callable[[str], None],
    ) -> None:
        """Prepare for documents.

        Args:
            load: Loads one editor or several; called in a thread.
            publish: Shows what was found.
            complain: Tells the user what is wrong.
        """
        self._load = load
        self._publish = publish
        self._complain = complain
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="check")
        self._documents: dict[str, OpenDocument] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._found: dict[str, Findings] = {}
        self._ignored: dict[str, set[tuple[str, ...]]] = {}
        self._words = WordFiles()
        self._settings: Settings | None = None
        self._loading: asyncio.Task[Editors | None] | None = None
        self._complaints: set[str] = set()

    def use(self, settings: Settings) -> None:
        """Take over settings, load the model if it is another, and check everything again."""
        old, self._settings = self._settings, settings
        if old is None or old.models != settings.models:
            self._loading = asyncio.ensure_future(self._load_editors(settings))
        self._complaints.clear()
        self.check_all()

    def open(self, document: OpenDocument) -> None:
        """Check a document from now on."""
        self._documents[document.uri] = document
        self._found.pop(document.uri, None)
        self.check(document.uri)

    def document(self, uri: str) -> OpenDocument | None:
        """Return an open document."""
        return self._documents.get(uri)

    def close(self, uri: str) -> None:
        """Forget a document, and take back what is shown of it."""
        document = self._documents.pop(uri, None)
        if task := self._tasks.pop(uri, None):
            task.cancel()
        self._found.pop(uri, None)
        self._ignored.pop(uri, None)
        if document:
            self._publish(Findings(uri, document.version, "", document.lines, ()))

    def check(self, uri: str) -> None:
        """Check a document soon, and no older version of it."""
        if task := self._tasks.get(uri):
            task.cancel()
        task = asyncio.ensure_future(self._check(self._documents[uri]))
        self._tasks[uri] = task

    def check_all(self) -> None:
        """Check every open document."""
        for uri in self._documents:
            self.check(uri)

    async def findings(self, uri: str) -> Findings | None:
        """Return what was found in a document as it is now, or None if that is not known yet."""
        deadline = time.monotonic() + _PATIENCE
        # A check that a newer one has replaced is waited for no longer, but for the newer one.
        while (task := self._tasks.get(uri)) and not task.done():
            rest = deadline - time.monotonic()
            if rest <= 0:
                break
            await asyncio.wait({task}, timeout=rest)
        found, document = self._found.get(uri), self._documents.get(uri)
        return found if found and document and found.version == document.version else None

    def ignore(self, uri: str, signature: tuple[str, ...]) -> None:
        """Show a finding no more, as long as its document is open."""
        self._ignored.setdefault(uri, set()).add(signature)
        if uri in self._documents:
            self.check(uri)

    async def add_word(self, word: str) -> None:
        """Write a word into the user's dictionary.

        Raises:
            RequestError: It is not a word.
            OSError: The file cannot be written.
        """
        assert self._settings is not None
        path = self._settings.dictionary
        check_word(word)

        def write() -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._words.change(path, lambda old: old | {word})

        await self._aside(write)
        self.check_all()

    def stop(self) -> None:
        """Let go of everything; what runs is not waited for."""
        for task in (*self._tasks.values(), self._loading):
            if task:
                task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _load_editors(self, settings: Settings) -> Editors | None:
        try:
            loaded = await self._aside(lambda: self._load(settings))
            editors = loaded if isinstance(loaded, Editors) else Editors([loaded])
            if editors.task != CORRECTION:
                # An editor would underline every edit as an error.
                raise ConfigError(
                    f"its task is {editors.task}, not correction; name a model that corrects"
                )
            return editors
        except (EmendoError, OSError, ValueError) as error:
            self._complain(f"the model could not be loaded: {_told(error)}")
            return None

    async def _check(self, document: OpenDocument) -> None:
        await asyncio.sleep(_QUIET)
        loading, settings = self._loading, self._settings
        if loading is None or settings is None:
            return
        # The load goes on, whatever becomes of this check.
        editors = await asyncio.shield(loading)
        if editors is None:
            self._forget(document)
            return
        try:
            await self._run(editors, settings, document)
        except (EmendoError, OSError) as error:
            self._forget(document)
            self._complain_once(_told(error))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._forget(document)
            # Never the message: it may have the user's text in it.
            logger.error("a check failed: %s", type(error).__name__)
            self._complain_once(f"a check failed ({type(error).__name__})")

    def _forget(self, document: OpenDocument) -> None:
        """Show nothing: what was found in an earlier version has other positions now."""
        if self._found.pop(document.uri, None):
            self._publish(Findings(document.uri, document.version, "", document.lines, ()))

    async def _run(self, editors: Editors, settings: Settings, document: OpenDocument) -> None:
        text, version, lines = document.text, document.version, document.lines
        is_first = document.uri not in self._found
        levels = editors.level(settings.level)

        def show(read: MixedDocument, known: dict[Line, tuple[Edit, ...]]) -> None:
            edits = [
                (edit, read.language(sentence))
                for sentence, found in read.placed(known)
                for edit in found
                if edit.confidence >= settings.min_confidence
            ]
            ignored = self._ignored.get(document.uri, ())
            shown = tuple(
                finding for finding in find(read, edits) if finding.signature not in ignored
            )
            results.append(Findings(document.uri, version, text, lines, shown))

        def read() -> tuple[MixedDocument, dict[Line, tuple[Edit, ...]], list[Line]]:
            words = {*settings.words, *self._words.words(settings.dictionary)}
            found = editors.read(
                text,
                markup=document.markup,
                dictionary=[word for word in words if word in text],
                languages=_languages(settings, editors),
            )
            known = editors.remembered(found.lines, levels)
            missing = [line for line in found.lines if line not in known]
            if not missing:
                show(found, known)
            return found, known, missing

        results: list[Findings] = []
        found, known, missing = await self._aside(read)
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            is_last = start + _AT_ONCE >= len(missing)

            def run(part: list[Line] = part, is_last: bool = is_last) -> None:
                known.update(editors.edit_lines(part, levels))
                if is_last:
                    show(found, known)
                elif is_first:
                    # A long document, just opened: what is known is shown at once.
                    show(found, {**dict.fromkeys(found.lines, ()), **known})

            await self._aside(run)
            if is_first and results and not is_last:
                self._publish(results.pop())
        self._found[document.uri] = results[-1]
        self._publish(results[-1])

    def _complain_once(self, message: str) -> None:
        if message not in self._complaints:
            self._complaints.add(message)
            self._complain(message)

    async def _aside(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _languages(settings: Settings, editors: Editors) -> tuple[str, ...] | None:
    if settings.language.lower() == AUTO:
        return None
    code = settings.language.lower().replace("_", "-").partition("-")[0]
    if code not in editors.languages:
        raise RequestError(
            f"the setting 'language' is {settings.language!r}, but the model knows "
            f"{', '.join(editors.languages)}; nothing is checked"
        )
    return (code,)


def _told(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, EmendoError) and error.args else str(error)
