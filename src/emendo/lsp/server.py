"""The protocol: what a client asks and tells, over pygls."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

import emendo
from emendo.errors import EmendoError
from emendo.lsp.checking import Checks
from emendo.lsp.code_actions import ADD_WORD, IGNORE, KINDS, code_actions
from emendo.lsp.message_input import MessageInput
from emendo.lsp.open_document import OpenDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from emendo.inference import Editor, Editors
    from emendo.lsp.findings import Findings
    from emendo.lsp.settings import Settings

    Load = Callable[[Settings], Editor | Editors]

_NAME = "emendo"


class _Protocol(LanguageServerProtocol):
    """pygls without its own copy of documents, which takes more characters for line ends."""

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401 - of a type for each method
        """Read a message; a request with wrong parameters is answered, not only logged."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "id" not in data or "method" not in data:
                raise
            method = data["method"]
            if method in {**self.fm.features, **self.fm.builtin_features}:
                code, said = types.ErrorCodes.InvalidParams, f"wrong parameters for {method}"
            else:
                code, said = types.ErrorCodes.MethodNotFound, f"there is no method {method}"
            self._send_response(data["id"], None, types.ResponseError(code.value, said))
            return None

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - of a type for each method
        """Answer requests after `shutdown`, too: the protocol has an error for them."""
        if message is None:
            return
        method = getattr(message, "method", None)
        if self._shutdown and method not in (None, types.EXIT) and hasattr(message, "id"):
            error = types.ResponseError(
                types.ErrorCodes.InvalidRequest.value, "the server was asked to shut down"
            )
            self._send_response(message.id, None, error)
            return
        super().handle_message(message)

    # Not generators, as in pygls: it would keep a future of each notification for ever.
    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)


class _Server(LanguageServer):
    """A server that does not take whatever length a client names."""

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        bounded = MessageInput(stdin or sys.stdin.buffer)
        super().start_io(cast("BinaryIO", bounded), stdout)


def create_server(load: Load, settings: Settings) -> LanguageServer:
    """Return a server for one client; `start_io` runs it.

    Args:
        load: Loads an editor for settings; called in a thread, after the client was answered.
        settings: What holds unless the client says otherwise.
    """
    server = _Server(_NAME, emendo.__version__, protocol_cls=_Protocol)
    _Handlers(server, load, settings).register()
    return server


class _Handlers:
    """Answers what the client asks."""

    def __init__(
        self,
        server: LanguageServer,
        load: Callable[[Settings], Editor | Editors],
        settings: Settings,
    ) -> None:
        self._server = server
        self._base = settings
        self._checks = Checks(load, publish=self._publish, complain=self._complain)

    def register(self) -> None:
        """Tell pygls who answers what."""
        options = {
            types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=list(KINDS))
        }
        for name, answer in (
            (types.INITIALIZE, self.initialize),
            (types.INITIALIZED, self.initialized),
            (types.SHUTDOWN, self.shutdown),
            (types.TEXT_DOCUMENT_DID_OPEN, self.did_open),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.did_change),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.did_close),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.did_change_configuration),
            (types.TEXT_DOCUMENT_CODE_ACTION, self.code_action),
        ):
            # pygls writes on what it is given, and a bound method cannot be written on.
            self._server.feature(name, options.get(name))(partial(answer))
        self._server.command(ADD_WORD)(partial(self.add_word))
        self._server.command(IGNORE)(partial(self.ignore))

    def initialize(self, params: types.InitializeParams) -> None:
        """Take over the options that the client starts the server with."""
        self._base = self._updated(params.initialization_options)

    async def initialized(self, _params: types.InitializedParams) -> None:
        """Load the model, now that the client was answered."""
        self._checks.use(self._base)
        await self._pull()

    def shutdown(self, _params: None) -> None:
        """Stop what runs."""
        self._checks.stop()

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Check a document from now on."""
        encoding = self._server.protocol.server_capabilities.position_encoding
        self._checks.open(
            OpenDocument(params.text_document, encoding or types.PositionEncodingKind.Utf16)
        )

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Check a document again."""
        document = self._checks.document(params.text_document.uri)
        if document:
            document.change(params.text_document.version, params.content_changes)
            self._checks.check(document.uri)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document."""
        self._checks.close(params.text_document.uri)

    async def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Take over settings, which some clients send, and others want to be asked for."""
        if _plain(params.settings) or not await self._pull():
            self._checks.use(self._updated(params.settings))

    async def code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return what can be done, once the newest version is checked."""
        found = await self._checks.findings(params.text_document.uri)
        if found is None:
            return []
        workspace = self._server.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        return code_actions(
            found,
            params.range,
            params.context.only,
            with_versions=bool(edits and edits.document_changes),
        )

    async def add_word(self, word: str) -> None:
        """Add a word to the dictionary."""
        try:
            await self._checks.add_word(word)
        except (EmendoError, OSError) as error:
            self._complain(str(error))

    def ignore(self, uri: str, signature: list[str]) -> None:
        """Show a finding no more."""
        self._checks.ignore(uri, tuple(signature))

    async def _pull(self) -> bool:
        """Ask for settings, and return whether the client can be asked."""
        workspace = self._server.client_capabilities.workspace
        if not (workspace and workspace.configuration):
            return False
        items = [types.ConfigurationItem(section=_NAME)]
        (given,) = await self._server.workspace_configuration_async(
            types.ConfigurationParams(items)
        ) or [None]
        # Where nothing is set any more, what was set before must not hold on.
        self._checks.use(self._updated(given))
        return True

    def _updated(self, given: Any) -> Settings:  # noqa: ANN401 - whatever the JSON holds
        settings, complaints = self._base.updated(_plain(given))
        for complaint in complaints:
            self._complain(complaint)
        return settings

    def _publish(self, findings: Findings) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=findings.uri, version=findings.version, diagnostics=findings.diagnostics()
            )
        )

    def _complain(self, message: str) -> None:
        self._server.window_show_message(
            types.ShowMessageParams(types.MessageType.Error, f"emendo: {message}")
        )


def _plain(given: Any) -> Mapping[str, Any]:  # noqa: ANN401 - whatever the JSON holds
    """Return settings as a dictionary, with or without our name around them."""
    if hasattr(given, "_asdict"):
        given = given._asdict()
    if not isinstance(given, dict):
        return {}
    if _NAME in given:
        return _plain(given[_NAME])
    # Sections of other servers; ours has none inside.
    has_sections = any(isinstance(v, dict) or hasattr(v, "_asdict") for v in given.values())
    return {} if has_sections else given
