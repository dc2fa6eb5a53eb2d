"""Memory is bounded by bytes, whatever is sent: caches, pieces of long sentences, batches, answers."""

import json
from pathlib import Path

import httpx
import pytest

from emendo import Editor, load_editor
from emendo.bundle import Level
from emendo.inference.document import _judge
from emendo.inference.sentence_cache import SentenceCache
from emendo.text import Edit, word_files
from tests.scribe import Scribe
from tests.security.scribe_server import ScribeServer

LEVEL = Level()
RUN_ON = "and the dog is here and "


def test_a_run_on_sentence_is_read_in_small_pieces():
    """Attention takes memory by the square of a piece's length."""
    scribe = Scribe()
    scribe.max_tokens = 8192
    document = Editor(scribe).read("This is " + RUN_ON * 1000)
    assert max(map(scribe.count_tokens, document.lines)) <= 192


def test_a_batch_of_long_sentences_is_small(tiny_bundle):
    batches = []
    editor = load_editor(tiny_bundle, backend="onnx", batch_tokens=10**6, on_batch=batches.append)
    editor.edit_sentences([f"{k} the dog is here and the cat is it" for k in range(200)])
    shapes = [batch.attention_mask.shape for batch in batches]
    assert sum(rows for rows, _ in shapes) >= 200
    assert max(rows * tokens**2 for rows, tokens in shapes) <= 192**2


def test_the_sentence_cache_is_bounded_by_bytes():
    cache = SentenceCache(1000)
    for k in range(1000):
        edits = tuple(Edit(j, j + 1, "word") for j in range(100))
        cache.remember(LEVEL, {f"{k}" + "é😀" * 4000: edits})
    assert 0 < len(cache) < 200
    short = {f"sentence {k}": () for k in range(1000)}
    cache.remember(LEVEL, short)
    assert len(cache.look_up(LEVEL, short)) > 990, "usual sentences all find room"


def test_verdicts_on_languages_are_bounded_by_bytes():
    _judge.cache_clear()
    editor = Editor(Scribe())
    for k in range(20):
        editor.read(f"This is the {k}th sentence, " + "😀 and it is long " * 1000)
    assert _judge.cache_info().currsize == 0, "long sentences are judged anew"
    editor.read("This is a short one. This is another one.")
    assert _judge.cache_info().currsize == 2


def test_dictionaries_that_are_remembered_are_bounded_by_bytes(tmp_path, monkeypatch):
    read = []
    read_text = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda p, **k: (read.append(p.name), read_text(p, **k))[1]
    )
    monkeypatch.setattr(word_files, "_MOST_BYTES", 1_000_000)
    files = word_files.WordFiles()
    large = [tmp_path / f"large{k}" for k in range(10)]
    for path in large:
        # A character outside the first plane takes four bytes, in each word of them.
        path.write_text("\n".join(f"😀{k}" + "x" * 90 for k in range(1000)))
        assert len(files.words(path)) == 1000
    assert len(files.words(large[-1])) == 1000
    assert len(read) == 10, "the last is remembered"
    files.words(large[0])
    assert len(read) == 11, "the first is not"
    small = [tmp_path / f"small{k}" for k in range(50)]
    for path in small * 2:
        path.exists() or path.write_text("emendo\n")
        assert files.words(path) == ("emendo",)
    assert len(read) == 61, "usual ones all find room"


def started(folder):
    with ScribeServer(folder / "log", deadline=60.0) as server:
        # What is loaded once, at the first request, is part of being idle.
        httpx.post(f"{server.url}/v1/edit", json={"text": "This is teh dog. " * 200}, timeout=30)
        httpx.post(f"{server.url}/v2/check", data={"text": "teh", "language": "en"}, timeout=30)
        server.idle = server.memory()
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def refusing_server(tmp_path_factory):
    """Another one, because the peak of a process never falls."""
    yield from started(tmp_path_factory.mktemp("log"))


@pytest.mark.parametrize("path", ["/v1/edit", "/v1/edit/stream", "/v1/align"])
@pytest.mark.parametrize(
    "body",
    [
        {f"{k:x}": 0 for k in range(320_000)},
        {"text": "a", "dictionary": [0] * 1_600_000},
        {"texts": [0] * 1_600_000},
    ],
    ids=["fields", "words", "texts"],
)
def test_a_malformed_request_takes_little(refusing_server, path, body):
    """An error for each of its parts would be hundreds of megabytes."""
    content, kind = json.dumps(body).replace(" ", ""), {"Content-Type": "application/json"}
    answer = httpx.post(refusing_server.url + path, content=content, headers=kind, timeout=60)
    assert answer.status_code == 422
    assert len(answer.text) < 1000
    assert refusing_server.peak() < 1.3 * refusing_server.idle + 64


WORST = {
    "errors": "the teh " * 25_000,
    "sentences": "Teh cat. " * 22_000,
    "run-on": "This is " + "and the dog likes it " * 9500,
    "emoji": "😀 teh " * 30_000,
    "punctuation": "-." * 99_000,
    "addresses": "a.b/c_1 " * 25_000,
    "one word": "a" * 200_000,
}


@pytest.mark.parametrize("path", ["/v1/edit", "/v2/check"])
@pytest.mark.parametrize("kind", WORST)
def test_the_worst_request_takes_little(server, path, kind):
    text = WORST[kind]
    if path == "/v1/edit":
        answer = httpx.post(server.url + path, json={"text": text}, timeout=120)
    else:
        form = {"text": text, "language": "en"}
        answer = httpx.post(server.url + path, data=form, timeout=120)
    assert answer.status_code == 200, answer.text
    assert server.peak() < 1.3 * server.idle + 64
