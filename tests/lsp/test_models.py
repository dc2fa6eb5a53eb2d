"""An open document in several languages: each paragraph is checked by its own model."""

import asyncio

import pytest

pytest.importorskip("pygls")

from lsprotocol.types import PositionEncodingKind, TextDocumentItem

from emendo import Editor, Editors
from emendo.lsp.checking import Checks
from emendo.lsp.open_document import OpenDocument
from emendo.lsp.settings import Settings
from tests.inference.test_editors import ENGLISH, FRENCH, GERMAN, RUSSIAN, Stamp

TEXT = f"{ENGLISH}\n\n{GERMAN}\n\n{RUSSIAN}\n\n{FRENCH}\n"


def found(tmp_path, *, loaded=None, **options):
    """Return the replacements in a document, after settings that name other models."""
    complaints = []

    def load(settings):
        if loaded is not None:
            loaded.append(settings.models)
        codes = settings.models or ("en", "de", "ru")
        return Editors([Editor(Stamp(code), languages=(code,)) for code in codes])

    async def run():
        checks = Checks(load, publish=lambda _: None, complain=complaints.append)
        item = TextDocumentItem("file:///a", "plaintext", 1, TEXT)
        checks.open(OpenDocument(item, PositionEncodingKind.Utf16))
        results = []
        for models in ((), ("de", "en")):
            checks.use(Settings(tmp_path / "words", models, **options))
            findings = await checks.findings("file:///a")
            results.append([each.edit.replacement for each in findings.all] if findings else None)
        checks.stop()
        return results

    return asyncio.run(asyncio.wait_for(run(), 30)), complaints


def test_each_paragraph_has_its_model_and_a_change_of_models_takes_effect(tmp_path):
    loaded = []
    results, complaints = found(tmp_path, loaded=loaded)
    assert results == [["en:", "de:", "ru:"], ["en:", "de:"]]
    assert loaded == [(), ("de", "en")]
    assert not complaints


def test_a_language_can_be_named(tmp_path):
    results, complaints = found(tmp_path, language="de-AT")
    assert results == [["de:"], ["de:"]]
    assert not complaints


def test_a_language_without_a_model_is_reported(tmp_path):
    results, complaints = found(tmp_path, language="fr")
    assert results == [None, None]
    assert "'fr', but the model knows" in complaints[0]
