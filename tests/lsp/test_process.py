"""The real `emendo lsp`, over a tiny network that edits at random."""

import asyncio

import pytest

pytest.importorskip("pygls")
pytest.importorskip("onnxruntime")

from emendo import load_editor
from tests.lsp.client import UTF8, UTF16, applied, connected

TEXT = "He go to the 😀 store and likes a cat.\n\nThe quick brown fox jumps `over` it!\n"


def test_the_real_command(tiny_bundle, tmp_path):
    async def main():
        for encoding in (UTF8, UTF16):
            async with connected(
                *("-m", "emendo", "lsp", "--model", tiny_bundle, "--backend", "onnx"),
                *("--dictionary", tmp_path / "words.txt"),
                encodings=[encoding],
            ) as client:
                uri = "file:///notes.md"
                client.open(uri, TEXT, "markdown")
                shown = await client.shown(uri, 1)
                assert shown
                (action,) = await client.actions(uri, shown[0].range, ["source.fixAll"])
                fixed = applied(TEXT, action.edit, encoding, 1)
                assert fixed == edited.text

    edited = load_editor(tiny_bundle, backend="onnx").edit(TEXT, markup="markdown")
    assert edited.edits
    asyncio.run(main())


def test_no_model_and_a_wrong_one_are_told(tmp_path):
    async def main(*arguments):
        async with connected(
            "-m", "emendo", "lsp", "--dictionary", tmp_path / "words.txt", *arguments
        ) as client:
            client.open("file:///a.txt", "This is it.")
            return (await client.told())[0]

    assert (
        "no model is installed. Install one (the English one is the package emendo-en"
        in asyncio.run(main())
    )
    (tmp_path / "empty").mkdir()
    message = asyncio.run(main("--model", tmp_path / "empty"))
    assert message.startswith("emendo: the model could not be loaded: ")
    assert str(tmp_path / "empty") in message
