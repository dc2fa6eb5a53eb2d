"""An editor, as far as a language server sees one: pygls's own client over a real process."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from typing import Union

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

from tests.conftest import ROOT

TIMEOUT = 60
UTF8, UTF16, UTF32 = types.PositionEncodingKind


def _converter():
    """Return lsprotocol's converter, which takes every action with a command for a mere command."""
    converter = default_converter()

    def structure(given, _type):
        is_command = isinstance(given.get("command"), str)
        return converter.structure(given, types.Command if is_command else types.CodeAction)

    converter.register_structure_hook(Union[types.Command, types.CodeAction], structure)  # noqa: UP007
    return converter


class Client:
    """Opens documents, types, and takes what the server offers."""

    def __init__(self, *, configuration=None):
        self.protocol = LanguageClient("test", "1", converter_factory=_converter)
        self.messages = []
        self.diagnostics = {}
        self.configuration = configuration
        self.encoding = None
        self.texts = {}
        self._news = asyncio.Condition()
        self.protocol.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._published))
        self.protocol.feature(types.WINDOW_SHOW_MESSAGE)(partial(self._told))
        self.protocol.feature(types.WORKSPACE_CONFIGURATION)(lambda _: [self.configuration])

    async def _published(self, params):
        async with self._news:
            self.diagnostics[params.uri] = params
            self._news.notify_all()

    async def _told(self, params):
        async with self._news:
            self.messages.append(params.message)
            self._news.notify_all()

    async def start(self, *command, encodings=None, options=None, environment=None, versions=True):
        env = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            **(environment or {}),
        }
        await self.protocol.start_io(sys.executable, *map(str, command), env=env)
        answer = await asyncio.wait_for(
            self.protocol.initialize_async(
                types.InitializeParams(
                    capabilities=types.ClientCapabilities(
                        general=types.GeneralClientCapabilities(position_encodings=encodings),
                        workspace=types.WorkspaceClientCapabilities(
                            configuration=self.configuration is not None,
                            workspace_edit=types.WorkspaceEditClientCapabilities(
                                document_changes=versions
                            ),
                        ),
                    ),
                    initialization_options=options,
                )
            ),
            TIMEOUT,
        )
        self.encoding = answer.capabilities.position_encoding
        self.protocol.initialized(types.InitializedParams())
        return answer

    def open(self, uri, text, language="plaintext", version=1):
        self.texts[uri] = text
        item = types.TextDocumentItem(uri, language, version, text)
        self.protocol.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri, version, *changes):
        self.protocol.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri), list(changes)
            )
        )

    async def shown(self, uri, version, count=None):
        """Wait for what is found in a version of a document."""

        def is_there():
            params = self.diagnostics.get(uri)
            return (
                params is not None
                and params.version == version
                and (count is None or len(params.diagnostics) == count)
            )

        async with self._news:
            await asyncio.wait_for(self._news.wait_for(is_there), TIMEOUT)
        return list(self.diagnostics[uri].diagnostics)

    async def told(self, count=1):
        async with self._news:
            await asyncio.wait_for(
                self._news.wait_for(lambda: len(self.messages) >= count), TIMEOUT
            )
        return self.messages

    async def actions(self, uri, place, only=None):
        answer = await asyncio.wait_for(
            self.protocol.text_document_code_action_async(
                types.CodeActionParams(
                    types.TextDocumentIdentifier(uri),
                    place,
                    types.CodeActionContext([], only=only),
                )
            ),
            TIMEOUT,
        )
        return list(answer)

    async def run(self, command):
        await asyncio.wait_for(
            self.protocol.workspace_execute_command_async(
                types.ExecuteCommandParams(command.command, command.arguments)
            ),
            TIMEOUT,
        )

    async def stop(self):
        await asyncio.wait_for(self.protocol.shutdown_async(None), TIMEOUT)
        self.protocol.exit(None)
        await asyncio.wait_for(self.protocol._server.wait(), TIMEOUT)
        code = self.protocol._server.returncode
        await self.protocol.stop()
        return code


@asynccontextmanager
async def connected(*command, configuration=None, **options):
    client = Client(configuration=configuration)
    await client.start(*command, **options)
    try:
        yield client
    finally:
        assert await client.stop() == 0


def known(dictionary):
    """Return the command of a server whose edits are known."""
    return ("-m", "tests.lsp.known_server", dictionary)


def places(text, encoding):
    """Return where each position of the protocol lies, counted the slow and plain way."""
    codec, width = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}[encoding]
    line = column = 0
    found = {}
    for k, character in enumerate(text):
        found[line, column] = k
        column += len(character.encode(codec, "surrogatepass")) // width
        if character == "\n" or (character == "\r" and text[k + 1 : k + 2] != "\n"):
            line, column = line + 1, 0
    found[line, column] = len(text)
    return found


def offset_of(text, position, encoding):
    """Return where a position of the protocol lies."""
    return places(text, encoding)[position.line, position.character]


def applied(text, edit, encoding, version=None):
    """Apply a workspace edit as an editor does."""
    if edit.document_changes is not None:
        (change,) = edit.document_changes
        assert change.text_document.version == version
        edits = change.edits
    else:
        (edits,) = edit.changes.values()
    where = places(text, encoding)
    spans = [
        (
            where[each.range.start.line, each.range.start.character],
            where[each.range.end.line, each.range.end.character],
            each.new_text,
        )
        for each in edits
    ]
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text
