"""A model whose task is fusion, through every door: a tiny random one, trained for nothing.

What it writes is nonsense. What is tested is what it reads, and where its edits are offered.
"""

import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import product

import pytest

pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

from emendo import load_editor
from emendo.bundle import open_bundle, seal_bundle
from emendo.bundle.format import CORRECTION, KNOWN_WORDS, MISSPELLINGS, SENTENCE
from emendo.export import export_bundle
from emendo.text import read_m2
from tests.conftest import scramble

ALONE = "She likes a cat!"


@pytest.fixture(scope="module")
def bundle(tiny_model, small_tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fusion")
    scramble(tiny_model(task="fusion"), scale=0.35).save_pretrained(folder / "model")
    small_tokenizer.save(folder / "model/tokenizer.json")
    export_bundle(folder, folder / "bundle")
    return folder / "bundle"


@pytest.fixture(scope="module")
def editor(bundle):
    return load_editor(bundle, backend="onnx")


@pytest.fixture(scope="module")
def text(editor):
    """Two paragraphs, of which the first is a passage that the model changes."""
    words = ["quick", "brown", "lazy", "fox", "dog", "cat", "store"]
    for first, second in product(words, words):
        passage = f"I like the {first} dog. He know the {second} store."
        if editor.edit_sentences([passage])[0].edits:
            found = f"{passage}\r\n\r\n{ALONE}\n"
            if editor.edit(found).edits:
                return found
    raise AssertionError("the model changes nothing")


def emendo(*arguments, text=""):
    return subprocess.run(
        [sys.executable, "-m", "emendo", *map(str, arguments)],
        input=text.encode(),
        capture_output=True,
        check=False,
    )


def test_the_export_says_what_the_network_was_trained_for(bundle, tiny_bundle):
    config = open_bundle(bundle).config
    assert (config.task, config.unit) == ("fusion", "passage")
    config = open_bundle(tiny_bundle).config
    assert (config.task, config.unit) == (CORRECTION, SENTENCE)


def test_python(editor, text):
    assert (editor.task, editor.unit) == ("fusion", "passage")
    passage = text.split("\r\n")[0]
    (read,) = editor.read(text).sentences
    assert (read.start, read.end, read.line) == (0, len(passage), passage)
    edited = editor.edit(text)
    assert edited.text == editor.edit_sentences([passage])[0].text + f"\r\n\r\n{ALONE}\n"
    # Each sentence alone has no neighbour to be joined with.
    assert editor.edit(ALONE).text == ALONE


def test_a_passage_is_edited_once(bundle, editor, text):
    """Read again, what was joined would be joined with what follows."""
    passage = text.split("\r\n")[0]
    once = load_editor(bundle, backend="onnx", rounds=1).edit_sentences([passage])
    twice = load_editor(bundle, backend="onnx", rounds=2).edit_sentences([passage])
    assert editor.edit_sentences([passage]) == once != twice


def test_tables_of_corrections_are_not_used(bundle, editor, text, tmp_path):
    shutil.copytree(bundle, tmp_path / "with")
    (tmp_path / "with" / MISSPELLINGS).write_text("know\tknows\n")
    (tmp_path / "with" / KNOWN_WORDS).write_text("the\n")
    config = seal_bundle(tmp_path / "with", open_bundle(bundle).config)
    assert load_editor(tmp_path / "with", backend="onnx").edit(text) == editor.edit(text)
    # As a model of correction the same files count.
    seal_bundle(tmp_path / "with", replace(config, task=CORRECTION, unit=SENTENCE))
    assert load_editor(tmp_path / "with", backend="onnx").edit(text) != editor.edit(text)


def test_command_line(bundle, text, tmp_path):
    done = emendo("edit", "-m", bundle, text=text)
    assert done.returncode == 0, done.stderr
    # With the engine that the command chooses: on processors with bf16 units not that of `editor`.
    assert done.stdout.decode() == load_editor(bundle).edit(text).text
    (tmp_path / "text.txt").write_bytes(text.encode())
    done = emendo("edit", "-m", bundle, "--m2", tmp_path / "text.txt")
    # One block for each paragraph: an edit may join sentences.
    first, second = read_m2(iter(done.stdout.decode().splitlines()))
    assert first.tokens[:3] == ("I", "like", "the")
    assert first.edits
    assert (" ".join(second.tokens), second.edits) == ("She likes a cat !", ())


def test_levels_are_not_tuned_for_it(bundle, tmp_path):
    (tmp_path / "dev.tsv").write_text("A. B.\tA and B.\n")
    done = emendo("tune", bundle, "--reference", tmp_path / "dev.tsv")
    assert done.returncode == 2
    assert "is fusion; levels are chosen for correction" in " ".join(done.stderr.decode().split())


def test_http(bundle, editor, text, tmp_path):
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("fastapi")
    from tests.serving.conftest import running

    with running(bundle, "--dictionaries", tmp_path / "words", log=tmp_path / "log") as server:

        def get(path):
            return httpx.get(f"{server.url}{path}")

        def post(path, **content):
            return httpx.post(f"{server.url}{path}", json=content)

        info = get("/v1/info").json()
        assert (info["task"], info["unit"]) == ("fusion", "passage")
        (result,) = post("/v1/edit", text=text).json()["results"]
        expected = editor.edit(text)
        assert result["text"] == expected.text
        end = len(text.split("\r\n")[0])
        assert result["sentences"] == [{"start": 0, "end": end, "language": "en"}]
        assert len(result["edits"]) == len(expected.edits)
        assert {edit["message"] for edit in result["edits"]} == {""}
        lines = post("/v1/edit/stream", text=text).text.splitlines()
        assert len(lines) == 2
        assert json.loads(lines[0])["edits"] == result["edits"]
        # LanguageTool's clients and the page show edits as errors.
        refused = httpx.post(f"{server.url}/v2/check", data={"text": text, "language": "en-US"})
        assert refused.status_code == 400
        assert "the task of this server's model is fusion, not correction" in refused.text
        assert get("/v2/languages").json() == []
        assert get("/").status_code == 404
        assert get("/docs").status_code == 200


def test_batch(bundle, editor, text, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [text, ALONE, text.split("\r\n")[0]]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    done = emendo(
        *("batch", tmp_path / "in.jsonl", tmp_path / "out", "-m", bundle),
        *("--backend", "onnx", "--workers", 1),
    )
    assert done.returncode == 0, done.stderr
    paths = (tmp_path / "out").glob("*.parquet")
    found = [row for path in paths for row in pq.read_table(path).to_pylist()]
    assert [row["emendo_text"] for row in found] == [editor.edit(row).text for row in rows]
    assert [bool(row["emendo_edits"]) for row in found] == [True, False, True]


def test_editors_do_not_get_it(bundle, tmp_path):
    pytest.importorskip("pygls")
    from tests.lsp.client import connected

    async def main():
        async with connected(
            *("-m", "emendo", "lsp", "--model", bundle, "--backend", "onnx"),
            *("--dictionary", tmp_path / "words.txt"),
        ) as client:
            client.open("file:///a.txt", "This is it. That is not.")
            return (await client.told())[0]

    assert "its task is fusion, not correction; name a model that corrects" in asyncio.run(main())
