"""A server with several models: each text gets its own, and they share the queue alone."""

import asyncio
import threading

import httpx
import pytest

from emendo import Editor, Editors
from emendo.bundle import Level, open_bundle, set_levels
from emendo.errors import OverloadedError
from emendo.serving.service import EditingService
from emendo.serving.settings import ServerSettings
from emendo.serving.telemetry import Telemetry
from tests.conftest import ROOT
from tests.inference.test_editors import ENGLISH, FRENCH, GERMAN, RUSSIAN, Stamp
from tests.serving.conftest import client_of, running

PACKAGED = ROOT / "models/emendo-en/src/emendo_en/bundle"
TEXTS = {"en": ENGLISH, "de": GERMAN, "ru": RUSSIAN}


def editor(language, **options):
    return Editor(Stamp(language), languages=(language,), **options)


@pytest.fixture
def editors():
    return Editors([editor(code) for code in TEXTS])


@pytest.fixture
def client(editors):
    with client_of(editors) as client:
        yield client


def check(client, **form):
    answer = client.post("/v2/check", data=form)
    assert answer.status_code == 200, answer.text
    return answer.json()


def values(answer):
    return [match["replacements"][0]["value"] for match in answer["matches"]]


def test_auto_picks_the_model(client):
    for code, text in TEXTS.items():
        answer = check(client, text=text, language="auto")
        assert answer["language"]["code"] == code
        assert [value[:3] for value in values(answer)] == [f"{code}:"]
    mixed = check(client, text="\n\n".join(TEXTS.values()), language="auto")
    assert [value[:3] for value in values(mixed)] == ["en:", "de:", "ru:"]
    assert [
        each["detectedLanguages"][0]["language"] for each in mixed["extendedSentenceRanges"]
    ] == ["en", "de", "ru"]


def test_a_language_picks_its_model_and_an_unknown_one_nothing(client):
    assert values(check(client, text="Hallo", language="de-DE")) == ["de:Hallo"]
    assert values(check(client, text="Hallo", language="auto")) == ["en:Hallo"]
    assert values(check(client, text=ENGLISH, language="de")) == []
    assert values(check(client, text=FRENCH, language="fr")) == []
    assert values(check(client, text=FRENCH, language="auto")) == []


def test_all_languages_are_listed(client):
    listed = {each["longCode"] for each in client.get("/v2/languages").json()}
    assert {"en", "en-US", "de", "de-AT", "ru", "ru-RU"} <= listed
    assert client.get("/v1/info").json()["languages"] == ["en", "de", "ru"]


def test_the_native_api_names_the_language_of_each_sentence(client):
    text = f"{GERMAN}\n\n{RUSSIAN}"
    (result,) = client.post("/v1/edit", json={"text": text}).json()["results"]
    assert result["text"] == f"de:{GERMAN}\n\nru:{RUSSIAN}"
    assert [each["language"] for each in result["sentences"]] == ["de", "ru"]
    lines = client.post("/v1/edit/stream", json={"text": text}).text.splitlines()
    assert ['"language":"de"' in lines[0], '"language":"ru"' in lines[1]] == [True, True]
    (named,) = client.post("/v1/edit", json={"text": text, "language": "ru"}).json()["results"]
    assert named["text"] == f"{GERMAN}\n\nru:{RUSSIAN}"
    (other,) = client.post("/v1/edit", json={"text": text, "language": "fr"}).json()["results"]
    assert other == {"text": text, "edits": [], "sentences": []}


def test_the_same_line_is_cached_for_each_model(client, editors):
    for language in ("en", "de", "en", "de"):
        (value,) = values(check(client, text="Max, Tom!", language=language))
        assert value.startswith(f"{language}:")
    seen = [each._sentence_editor.seen for each in editors.all]
    assert seen == [["Max, Tom!"], ["Max, Tom!"], []]
    report = client.get("/metrics").text
    for code, count in (("en", 1), ("de", 1), ("ru", 0)):
        for cache in ("miss", "hit"):
            assert f'emendo_sentences_total{{cache="{cache}",model="{code}"}} {count}.0' in report


def work_with(editors, work, **settings):
    async def run():
        service = EditingService(editors, ServerSettings(**settings), Telemetry())
        service.scheduler.start()
        try:
            return await asyncio.wait_for(work(service), 30)
        finally:
            await service.scheduler.close()

    return asyncio.run(run())


def test_models_share_a_queue_but_no_batch():
    gate, entered, batches = threading.Event(), threading.Event(), []

    class Slow(Stamp):
        def edit_sentences(self, sentences, level):
            batches.append((self.name, list(sentences)))
            entered.set()
            assert gate.wait(10)
            return super().edit_sentences(sentences, level)

    # The same levels: they must not put two models into one batch.
    editors = Editors(
        [Editor(Slow(c), languages=(c,), levels={"balanced": Level()}) for c in TEXTS]
    )

    async def work(service):
        first = asyncio.create_task(service.edit(["Hallo"]))
        await asyncio.to_thread(entered.wait)
        mixed = [
            asyncio.create_task(service.edit([f"{k} {ENGLISH}\n\n{k} {GERMAN}\n\n{k} {RUSSIAN}"]))
            for k in range(3)
        ]
        await asyncio.sleep(0.1)
        assert service.scheduler.waiting == 3, "a request is one, however many models it needs"
        with pytest.raises(OverloadedError):
            await service.edit([GERMAN])
        gate.set()
        await first
        return [(await each)[0].text for each in mixed]

    done = work_with(editors, work, max_waiting=3)
    assert done == [f"en:{k} {ENGLISH}\n\nde:{k} {GERMAN}\n\nru:{k} {RUSSIAN}" for k in range(3)]
    for name, sentences in batches[1:]:
        assert all(TEXTS[name] in sentence for sentence in sentences)
    assert len(batches) == 4, "one for each model, and the first"


def test_a_model_that_fails_leaves_the_others():
    class Broken(Stamp):
        def edit_sentences(self, sentences, level):
            raise RuntimeError("broken")

    editors = Editors([editor("en"), Editor(Broken("de"), languages=("de",))])
    with client_of(editors) as client:
        assert client.post("/v1/edit", json={"text": GERMAN}).status_code == 500
        assert client.post("/v1/edit", json={"text": ENGLISH}).status_code == 200
        assert client.post("/v1/edit", json={"text": f"{ENGLISH}\n\n{GERMAN}"}).status_code == 500
        assert client.post("/v1/edit", json={"text": ENGLISH}).status_code == 200


@pytest.fixture(scope="module")
def bundles(tiny_bundle, tmp_path_factory):
    """The tiny model as one for each language."""
    import json
    import shutil

    found = []
    for code in TEXTS:
        folder = tmp_path_factory.mktemp("bundles") / code
        shutil.copytree(tiny_bundle, folder)
        content = json.loads((folder / "bundle.json").read_text())
        (folder / "bundle.json").write_text(json.dumps(content | {"languages": [code]}))
        assert open_bundle(folder).config.languages == (code,)
        found.append(folder)
    set_levels(found[1], {"balanced": Level(sentence_threshold=1.0)}, "balanced")
    return found


def test_a_server_with_three_models(bundles, tmp_path):
    """A real process: it says what each model takes, and reads each text with its own.

    The English model is the shipped one, the others are tiny.
    """
    texts = {**TEXTS, "en": "She would like to recieve the letters that we have."}
    first, others = PACKAGED, bundles[1:]
    more = [each for folder in others for each in ("--model", folder)]
    log = tmp_path / "log"
    with running(first, *more, "--dictionaries", tmp_path / "words", log=log) as server:
        with httpx.Client(base_url=server.url, timeout=30) as client:
            info = client.get("/v1/info").json()
            assert info["languages"] == ["en", "de", "ru"]
            for code, text in texts.items():
                (result,) = client.post("/v1/edit", json={"text": text}).json()["results"]
                assert [each["language"] for each in result["sentences"]] == [code]
                assert ("receive" in result["text"]) == (code == "en")
                # Only the German one is never sure enough.
                assert bool(result["edits"]) == (code != "de")
            report = client.get("/metrics").text
            for code in TEXTS:
                assert f'emendo_batch_sentences_count{{model="{code}"}} ' in report
        loaded = [line for line in server.log_lines() if line["event"] == "model loaded"]
        assert [line["language"] for line in loaded] == ["en", "de", "ru"]
        assert all(line["memory_mb"] is None or line["memory_mb"] >= 0 for line in loaded)
        assert server.stop() == 0
