"""A real client and a real process, over an editor whose edits are known."""

import asyncio
import inspect
import time

import pytest

pytest.importorskip("pygls")

from lsprotocol import types

from emendo.lsp.server import create_server
from emendo.lsp.settings import Settings
from tests.lsp.client import UTF8, UTF16, UTF32, applied, connected, known, offset_of

URI = "file:///somewhere/notes.txt"


def run(scenario, tmp_path, **options):
    async def main():
        async with connected(*known(tmp_path / "words.txt"), **options) as client:
            return await scenario(client)

    return asyncio.run(main())


def position(text, offset, encoding):
    from emendo.lsp.positions import Lines

    return Lines(text, encoding).position(offset)


TEXT = "Ünï 😀👨\u200d👩\u200d👧 e\u0301 teh end.\r\n\r\nI 🏳️\u200d🌈 go store.\rThis is 😀 very very good.\n"


@pytest.mark.parametrize(
    ("encodings", "chosen"),
    [(None, UTF16), ([UTF8, UTF16], UTF8), ([UTF16], UTF16), ([UTF32, UTF16], UTF32)],
    ids=["default", "utf-8", "utf-16", "utf-32"],
)
def test_emoji_before_the_error(tmp_path, encodings, chosen):
    async def scenario(client):
        assert client.encoding == chosen
        client.open(URI, TEXT)
        shown = await client.shown(URI, 1)
        found = [
            TEXT[offset_of(TEXT, d.range.start, chosen) : offset_of(TEXT, d.range.end, chosen)]
            for d in shown
        ]
        # An insertion is shown as the word beside it.
        assert found == ["teh", "go", "very "]
        assert [d.code for d in shown] == ["spelling", "missing-word", "extra-word"]
        assert "“teh” is probably meant to be “the”" in shown[0].message
        assert {d.source for d in shown} == {"emendo"}
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        actions = await client.actions(URI, whole)
        (everything,) = [a for a in actions if a.kind == "source.fixAll.emendo"]
        fixed = TEXT.replace("teh", "the").replace("go store", "go to the store")
        fixed = fixed.replace("very very", "very")
        assert applied(TEXT, everything.edit, chosen, 1) == fixed
        (insertion,) = [a for a in actions if a.title == "Insert “to the”"]
        assert insertion.is_preferred
        assert applied(TEXT, insertion.edit, chosen, 1) == TEXT.replace(
            "go store", "go to the store"
        )

    run(scenario, tmp_path, encodings=encodings)


@pytest.mark.parametrize("encoding", [UTF8, UTF16])
def test_what_is_typed_is_checked_and_nothing_else(tmp_path, encoding):
    seen = tmp_path / "seen"

    async def scenario(client):
        text = "😀 One is here.\r\nTwo 😀 are here.\u2028And three.\r\nFour is here."
        client.open(URI, text)
        assert await client.shown(URI, 1) == []
        before = seen.read_text().splitlines()
        # Typed letter by letter, in several versions, before the check of the first is done.
        place = text.index("are")
        for k, letter in enumerate("teh "):
            at = position(text, place + k, encoding)
            client.change(
                URI,
                2 + k,
                types.TextDocumentContentChangePartial(types.Range(at, at), letter),
            )
            text = text[: place + k] + letter + text[place + k :]
        (shown,) = await client.shown(URI, 5)
        start = offset_of(text, shown.range.start, encoding)
        assert text[start : start + 3] == "teh"
        (action, *_) = await client.actions(URI, shown.range, ["quickfix"])
        assert applied(text, action.edit, encoding, 5) == text.replace("teh", "the")
        after = seen.read_text().splitlines()[len(before) :]
        assert after
        assert all("Two" in line for line in after)
        # The action is applied, and the document as a whole replaced.
        client.change(URI, 6, types.TextDocumentContentChangeWholeDocument("All is well."))
        assert await client.shown(URI, 6) == []
        assert await client.actions(URI, shown.range) == []

    run(scenario, tmp_path, encodings=[encoding], environment={"SEEN": str(seen)})


def test_severity_alternatives_and_all_of_a_kind(tmp_path):
    async def scenario(client):
        text = "A cat and teh dog. The london of teh cat."
        client.open(URI, text)
        shown = await client.shown(URI, 1)
        by_word = {text[d.range.start.character : d.range.end.character]: d for d in shown}
        assert by_word["teh"].severity == types.DiagnosticSeverity.Warning
        assert by_word["cat"].severity == types.DiagnosticSeverity.Information
        assert by_word["london"].severity == types.DiagnosticSeverity.Hint
        actions = await client.actions(URI, shown[0].range)
        titles = [action.title for action in actions]
        assert titles[:2] == ["Replace “cat” by “dog”", "Replace “cat” by “hound”"]
        assert [a.is_preferred for a in actions[:2]] == [True, False]
        assert all(list(a.diagnostics) == [shown[0]] for a in actions if a.kind == "quickfix")
        (same,) = [a for a in actions if a.title.startswith("Correct all 2 of this kind")]
        assert applied(text, same.edit, client.encoding, 1) == text.replace("cat", "dog")
        assert await client.actions(URI, shown[0].range, ["refactor"]) == []
        (only,) = await client.actions(URI, shown[0].range, ["source.fixAll"])
        assert only.title == "emendo: correct all (5)"

    run(scenario, tmp_path)


def test_a_client_without_versions_gets_plain_changes(tmp_path):
    async def scenario(client):
        client.open(URI, "This is teh dog.")
        (shown,) = await client.shown(URI, 1)
        (action, *_) = await client.actions(URI, shown.range)
        assert action.edit.document_changes is None
        assert applied("This is teh dog.", action.edit, client.encoding) == "This is the dog."

    run(scenario, tmp_path, versions=False)


def test_words_are_learnt_and_findings_ignored(tmp_path):
    async def scenario(client):
        text = "This is teh cat. I go store. You go store now."
        client.open(URI, text)
        shown = await client.shown(URI, 1, 4)
        actions = await client.actions(URI, shown[0].range)
        (learn,) = [a for a in actions if a.title == "Add “teh” to the dictionary"]
        await client.run(learn.command)
        await client.shown(URI, 1, 3)
        assert (tmp_path / "words.txt").read_text() == "teh\n"
        (ignore,) = [
            a for a in await client.actions(URI, shown[2].range) if a.title == "Ignore this here"
        ]
        await client.run(ignore.command)
        rest = await client.shown(URI, 1, 2)
        assert [d.range.start.character for d in rest] == [12, text.rindex("go")]
        # It stays ignored when something else changes, and until the document is closed.
        client.change(URI, 2, types.TextDocumentContentChangeWholeDocument("Yes. " + text))
        await client.shown(URI, 2, 2)
        client.protocol.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
        )
        assert await client.shown(URI, 2, 0) == []
        client.open(URI, text)
        await client.shown(URI, 1, 3)

    run(scenario, tmp_path)


@pytest.mark.parametrize("way", ["options", "sent", "asked"])
def test_settings(tmp_path, way):
    given = {"level": "precise", "dictionary": ["teh"]}
    text = "This is teh cat."

    async def scenario(client):
        client.open(URI, text)
        if way != "options":
            await client.shown(URI, 1, 2 if way == "sent" else None)
            client.configuration = given
            settings = {"emendo": given} if way == "sent" else None
            client.protocol.workspace_did_change_configuration(
                types.DidChangeConfigurationParams(settings)
            )
        await client.shown(URI, 1, 0)
        wrong = {"emendo": {"levl": "precise", "minConfidence": 2, "level": "balanced"}}
        client.protocol.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(wrong)
        )
        await client.shown(URI, 1, 1 if way == "options" else 2)
        messages = await client.told(2)
        assert messages[0] == "emendo: there is no setting 'levl'; did you mean 'level'?"
        assert "'minConfidence' must be a number from 0 to 1" in messages[1]
        for wrong, told in (
            ({"level": "bold", "language": "en"}, "no level 'bold'; levels: balanced, precise"),
            ({"language": "de-DE"}, "the setting 'language' is 'de-DE', but the model knows en"),
        ):
            client.messages.clear()
            client.protocol.workspace_did_change_configuration(
                types.DidChangeConfigurationParams({"emendo": wrong})
            )
            assert told in (await client.told())[0]
            # What was found before has other positions after the next keystroke.
            await client.shown(URI, 1, 0)
        client.protocol.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"emendo": {"minConfidence": 0.9, "language": "en"}})
        )
        await client.shown(URI, 1, 0 if way == "options" else 1)

    options = given if way == "options" else None
    configuration = {} if way == "asked" else None
    run(scenario, tmp_path, options=options, configuration=configuration)


@pytest.mark.parametrize(
    ("can_be_asked", "sent", "asked"),
    [
        (False, {"emendo": {}}, None),
        (False, {}, None),
        (True, None, {}),
        (True, {"emendo": {}}, {}),
        # The protocol's word for: there is no such section.
        (True, None, None),
    ],
)
def test_settings_that_are_taken_back_no_longer_hold(tmp_path, can_be_asked, sent, asked):
    async def scenario(client):
        client.open(URI, "This is teh cat.")
        await client.shown(URI, 1, 2)
        for settings, answer, findings in (
            ({"emendo": {"minConfidence": 0.9}}, None, 1),
            (sent, asked, 2),
        ):
            client.configuration = answer
            client.protocol.workspace_did_change_configuration(
                types.DidChangeConfigurationParams(settings)
            )
            await client.shown(URI, 1, findings)

    run(scenario, tmp_path, configuration={} if can_be_asked else None)


def test_a_model_that_cannot_be_loaded_is_told(tmp_path):
    async def scenario(client):
        client.open(URI, "This is teh dog.")
        (message,) = await client.told()
        assert message == (
            "emendo: the model could not be loaded: broken is no bundle: it has no bundle.json"
        )
        assert (
            await client.actions(URI, types.Range(types.Position(0, 0), types.Position(0, 9))) == []
        )
        # Another one is loaded without a new start.
        client.protocol.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"emendo": {"model": "whole"}})
        )
        await client.shown(URI, 1, 1)

    run(scenario, tmp_path, options={"model": "broken"})


def test_a_slow_load_keeps_nobody_waiting(tmp_path):
    async def scenario(client):
        begin = time.monotonic()
        client.open(URI, "This is teh dog.")
        # It answers while it loads.
        await client.run(types.Command("", "emendo.ignore", arguments=["file:///none", ["a"]]))
        assert not client.diagnostics
        await client.shown(URI, 1, 1)
        assert time.monotonic() - begin > 2.5

    run(scenario, tmp_path, environment={"SLOW": "3"})


MARKUP = [
    ("file:///a.md", "markdown", "`teh` is teh dog.\n\n    teh\n", "`teh` is the dog.\n\n    teh\n"),
    ("file:///b.md", "", "`teh` is teh dog.\n", "`teh` is the dog.\n"),
    ("file:///a%20b.tex", "", "\\teh{teh} is teh $teh$. % teh\n", "\\teh{teh} is the $teh$. % teh\n"),
    ("untitled:1", "latex", "It is \\emph{teh} dog~\\cite{teh}.", "It is \\emph{the} dog~\\cite{teh}."),
    ("file:///a.html", "html", "<p id='teh'>teh</p><pre>teh</pre>", "<p id='teh'>the</p><pre>teh</pre>"),
]  # fmt: skip


def test_markup_by_language_or_name(tmp_path):
    async def scenario(client):
        for uri, language, text, fixed in MARKUP:
            client.open(uri, text, language)
            (shown,) = await client.shown(uri, 1, 1)
            (action,) = await client.actions(uri, shown.range, ["source.fixAll"])
            assert applied(text, action.edit, client.encoding, 1) == fixed

    run(scenario, tmp_path)


def test_notifications_leave_nothing_behind(tmp_path):
    """pygls keeps the future of a handler that is a generator, and never drops it again."""
    server = create_server(lambda *_: None, Settings(tmp_path))
    handlers = server.protocol.fm.builtin_features
    for name in ("didOpen", "didChange", "didClose"):
        assert not inspect.isgeneratorfunction(handlers[f"textDocument/{name}"])
