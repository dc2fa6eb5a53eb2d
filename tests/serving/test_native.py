"""The native API over an editor whose every edit is known."""

import json
import logging
import threading
import time

import pytest

from emendo.serving.access import Access, ApiKey
from emendo.serving.jobs import Job
from emendo.serving.telemetry import Telemetry
from tests.serving.conftest import KEY, client_of

TEXT = "This is teh dog. I like an dog. 😀 They go store."
SECRET = "Zyzzyva"


def edit(client, status=200, **body):
    answer = client.post("/v1/edit", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def spans(text, entries):
    return [text[entry["start"] : entry["end"]] for entry in entries]


def test_one_text(client, editor):
    (result,) = edit(client, text=TEXT)["results"]
    assert result["text"] == "This is the dog. I like a dog. 😀 They go to the store."
    assert result["text"] == editor.edit(TEXT).text
    assert spans(TEXT, result["edits"]) == ["teh", "an", ""]
    assert [entry["type"] for entry in result["edits"]] == ["spelling", "article", "missing word"]
    assert [entry["original"] for entry in result["edits"]] == ["teh", "an", ""]
    assert "“an”" in result["edits"][1]["message"]
    assert spans(TEXT, result["sentences"]) == [
        "This is teh dog.",
        "I like an dog.",
        "😀 They go store.",
    ]


def test_many_texts(client):
    results = edit(client, texts=["Fine.", "", TEXT])["results"]
    assert [len(each["edits"]) for each in results] == [0, 0, 3]


def test_options(client, editor):
    code = "```\nteh\n```\n\nThis is teh dog.\n"
    assert len(edit(client, text=code)["results"][0]["edits"]) == 2
    assert len(edit(client, text=code, markup="markdown")["results"][0]["edits"]) == 1
    for markup, written in (
        ("latex", r"\verb|teh| and teh."),
        ("html", "<code>teh</code> and teh."),
    ):
        (only,) = edit(client, text=written, markup=markup)["results"][0]["edits"]
        assert only["start"] == written.rindex("teh")
    assert edit(client, text=code, dictionary=["teh"])["results"][0]["edits"] == []
    assert edit(client, text=code, language="de")["results"] == [
        {"text": code, "edits": [], "sentences": []}
    ]
    assert len(edit(client, text=code, language="en-GB")["results"][0]["edits"]) == 2
    edit(client, text="She is here.", level="thorough")
    assert editor.remembered(["She is here."], level="thorough")
    last = edit(client, text=TEXT, positions="utf-16")["results"][0]["edits"][-1]
    assert last["start"] == TEXT.index("go store") + 2 + 1


def test_sentences_are_placed_in_the_document(client):
    text = "<p>😀 This is teh dog.</p><p>I like an dog.</p>"
    (result,) = edit(client, text=text, markup="html")["results"]
    assert spans(text, result["sentences"]) == ["😀 This is teh dog.", "I like an dog."]
    body = {"text": text, "markup": "html"}
    with client.stream("POST", "/v1/edit/stream", json=body) as answer:
        *sentences, _ = map(json.loads, answer.iter_lines())
    assert spans(text, sentences) == ["😀 This is teh dog.", "I like an dog."]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": 5},
        {"text": "a", "texts": ["b"]},
        {"texts": []},
        {"texts": ["a"] * 1001},
        {"text": "a", "color": "red"},
        {"text": "a", "language": "en us"},
        {"text": "a", "dictionary": [""]},
        {"text": "a", "positions": "bytes"},
    ],
)
def test_what_is_not_of_the_form(client, body):
    assert "error" in edit(client, status=422, **body)


def test_wrong_bytes(client):
    for content in (b"", b"{", b"\xff", b"[" * 100_000, b'{"text": "\\ud800"}', b'{"text": NaN}'):
        answer = client.post("/v1/edit", content=content)
        assert answer.status_code in (400, 422), content[:20]
        assert list(answer.json()) == ["error"]
    assert edit(client, status=400, text="a", level="bold")["error"].startswith("there is no level")
    assert client.get("/v1/edit").status_code == 405
    assert client.get("/nowhere").json() == {"error": "Not Found"}


def test_alignments(client, scribe):
    def align(status=200, **body):
        answer = client.post("/v1/align", json=body)
        assert answer.status_code == status, answer.text
        return answer.json().get("alignments")

    text = "😀 This is\nteh dog that he had. Das ist ein Hund, und der ist nicht da. I like it."
    first, last = align(text=text)
    assert text[first["start"] : first["end"]] == "😀 This is\nteh dog that he had."
    assert first["source"][:5] == first["output"][:5] == ["😀", " This", " is", " teh", " dog"]
    assert first["links"][3] == {"source": 3, "output": 3, "kept": True, "probability": 1.0}
    assert text[last["start"] :] == "I like it."
    assert align(text=text, positions="utf-16")[1]["start"] == last["start"] + 1
    assert align(text=text, language="de") == align(text="") == align(text="5 + 5") == []
    align(status=422, text="a" * 5001)
    align(status=422, text="a", level="thorough")
    # One that is too long for one pass comes in pieces.
    pieces = align(text="This is a word " * 80 + "too many.")
    assert len(pieces) > 1
    assert {each["start"] for each in pieces} == {0}

    scribe.align = lambda sentence: 1 / 0
    assert client.post("/v1/align", json={"text": "This is it."}).status_code == 500


def stream(client, **body):
    with client.stream("POST", "/v1/edit/stream", json=body) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        return [json.loads(line) for line in answer.iter_lines()]


def test_a_stream(client, editor):
    *sentences, last = stream(client, text=TEXT)
    assert last == {"done": True, "sentences": len(sentences), "edits": 3}
    whole = edit(client, text=TEXT)["results"][0]["edits"]
    assert [entry for each in sentences for entry in each["edits"]] == whole
    assert TEXT[sentences[1]["start"] : sentences[1]["end"]] == "I like an dog."
    assert stream(client, text="") == [{"done": True, "sentences": 0, "edits": 0}]
    assert stream(client, text=TEXT, language="fr")[-1]["sentences"] == 0
    assert client.post("/v1/edit/stream", json={"texts": ["a"]}).status_code == 422


def test_a_stream_remembers_each_level_by_itself(client, scribe):
    for level in ("balanced", "thorough"):
        stream(client, text=TEXT, level=level)
        assert scribe.seen, "what is known at another level says nothing about this one"
        scribe.seen.clear()
        stream(client, text=TEXT, level=level)
        assert not scribe.seen


def test_a_stream_says_what_went_wrong(client, scribe):
    def fail(sentences):
        if any("last" in sentence for sentence in sentences):
            raise RuntimeError(SECRET)

    scribe.before = fail
    text = " ".join("This is a long sentence " * 40 + f"number {k}." for k in range(30))
    answer = client.post("/v1/edit/stream", json={"text": text + " This is the last one."})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines[-1] == {"error": "the network failed on this text"}
    assert len(lines) < 32


def test_a_failing_network_is_a_500_without_details(client, scribe, caplog):
    def fail(sentences):
        raise RuntimeError(f"cannot read {sentences}")

    scribe.before = fail
    with caplog.at_level(logging.DEBUG):
        answer = client.post("/v1/edit", json={"text": f"This is the {SECRET}."})
        assert answer.status_code == 500
        assert client.post(
            "/v2/check", data={"language": "en", "text": f"This is the {SECRET}."}
        ).text.startswith("Error: ")
    assert SECRET not in answer.text
    assert SECRET not in caplog.text
    assert "RuntimeError" in caplog.text
    assert client.get("/ready").status_code == 503
    assert client.get("/health").status_code == 200
    scribe.before = lambda sentences: None
    assert client.get("/ready").status_code == 200
    assert edit(client, text=TEXT)


def test_logs_hold_figures_and_no_text(client, caplog):
    with caplog.at_level(logging.DEBUG):
        edit(client, text=f"This is teh {SECRET}.")
        client.get(f"/v2/check?language=en&text={SECRET}+teh")
        client.get(f"/{SECRET}")
        client.post("/v1/edit", json={"text": SECRET, "level": SECRET})
        client.post("/v1/edit", json={"text": SECRET, SECRET: SECRET})
        client.post("/v2/words/add", data={"word": SECRET})
        client.post("/v2/check", data={"language": SECRET, "text": SECRET})
    lines = [record for record in caplog.records if record.name == "emendo.requests"]
    assert [record.status for record in lines] == [200, 200, 404, 400, 422, 200, 400]
    assert [record.route for record in lines][:3] == ["/v1/edit", "/v2/check", "other"]
    assert lines[0].edits == 1
    assert lines[0].characters == 20
    for record in caplog.records:
        # The test's own client logs what it asks for.
        if not record.name.startswith("httpx"):
            assert SECRET not in str(vars(record))


def test_too_much_is_refused(editor):
    with client_of(editor, max_characters=100) as client:
        assert edit(client, text="a" * 100)
        assert "101" in edit(client, status=413, text="a" * 101)["error"]
        assert edit(client, status=413, texts=["a" * 60] * 2)
        for path in ("/v1/edit", "/v2/check", "/v2/words/add"):
            answer = client.post(path, content=b"a" * (2**21))
            assert answer.status_code == 413
            parts = (b"a" * 2**16 for _ in range(64))
            assert client.post(path, content=parts).status_code == 413, "without a length"
        answer = client.post("/v2/check", data={"language": "en", "text": "a" * 101})
        assert answer.status_code == 413
        markup = json.dumps({"annotation": [{"markup": "b" * 101}]})
        answer = client.post("/v2/check", data={"language": "en", "data": markup})
        assert answer.status_code == 413
        assert client.get("/v2/maxtextlength").text == "100"


def test_bodies_together_are_bounded(editor):
    with client_of(editor, max_buffered=1000) as client:
        answer = client.post("/v1/edit", json={"text": "a" * 2000})
        assert answer.status_code == 429
        assert edit(client, text="a" * 500), "and given back"


def test_who_asks_too_often_waits(editor):
    with client_of(editor, rate=30) as client:
        statuses = [client.get("/v1/info").status_code for _ in range(8)]
        assert statuses == [200] * 5 + [429] * 3
        answer = client.post("/v2/check", data={"language": "en", "text": "a"})
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 3
        assert answer.text.startswith("Error: ")
        assert client.get("/health").status_code == 200


def test_an_overload_is_told_at_once(editor, scribe):
    gate, entered = threading.Event(), threading.Event()

    def wait(sentences):
        entered.set()
        assert gate.wait(10)

    scribe.before = wait
    telemetry = Telemetry()
    with client_of(editor, telemetry, max_waiting=1) as client:
        answers = []

        def ask(k):
            answers.append(client.post("/v1/edit", json={"text": f"This is text {k}."}))

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(2)]
        threads[0].start()
        assert entered.wait(10)
        threads[1].start()
        while not telemetry.registry.get_sample_value("emendo_waiting_requests"):
            pass
        for path in ("/v1/edit", "/v1/edit/stream"):
            refused = client.post(path, json={"text": "This is one too many."})
            assert refused.status_code == 429
            assert refused.headers["retry-after"] == "1"
        assert client.post("/v2/check", data={"language": "en", "text": "a"}).status_code == 429
        assert client.get("/v2/healthcheck").status_code == 503
        assert client.get("/ready").json() == {"status": "busy"}
        gate.set()
        for thread in threads:
            thread.join()
        assert [answer.status_code for answer in answers] == [200, 200]
        assert telemetry.registry.get_sample_value("emendo_refused_total", {"reason": "load"}) == 3


def test_a_full_queue_before_a_network_that_hangs_is_not_ready(editor, scribe, monkeypatch):
    """A balancer would go on to send it requests, for a full queue is no failure by itself."""
    monkeypatch.setattr("emendo.serving.service._PROBE_DEADLINE", 0.2)
    gate, entered = threading.Event(), threading.Event()

    def hang(sentences):
        entered.set()
        assert gate.wait(10)

    scribe.before = hang
    telemetry = Telemetry()
    with client_of(editor, telemetry, max_waiting=1) as client:

        def ask(k):
            client.post("/v1/edit", json={"text": f"This is text {k}."})

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(2)]
        threads[0].start()
        assert entered.wait(10)
        threads[1].start()
        while not telemetry.registry.get_sample_value("emendo_waiting_requests"):
            pass
        time.sleep(0.3)
        assert client.get("/ready").status_code == 503
        gate.set()
        for thread in threads:
            thread.join()
        assert client.get("/ready").status_code == 200


def test_a_deadline_is_a_503(editor, scribe):
    gate = threading.Event()
    scribe.before = lambda sentences: gate.wait(10)
    with client_of(editor, deadline=0.1) as client:
        answer = client.post("/v1/edit", json={"text": TEXT})
        gate.set()
        assert answer.status_code == 503
        assert answer.headers["retry-after"]


def test_keys(editor):
    with client_of(editor, api_keys=(ApiKey.parse(f"me:{KEY}"),)) as client:
        body = {"text": TEXT}
        answer = client.post("/v1/edit", json=body)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        for headers in (
            {"Authorization": f"Bearer {KEY}"},
            {"Authorization": f"bearer {KEY}"},
            {"X-API-Key": KEY},
        ):
            assert client.post("/v1/edit", json=body, headers=headers).status_code == 200
        assert client.post(f"/k/{KEY}/v1/edit", json=body).status_code == 200
        for wrong in (KEY[:-1], KEY + "a", "", "é"):
            headers = {"X-API-Key": wrong.encode("latin-1")}
            assert client.post("/v1/edit", json=body, headers=headers).status_code == 401
        assert client.get("/metrics").status_code == 401
        assert client.get(f"/k/{KEY}/metrics").status_code == 200
        for path in ("/health", "/ready"):
            assert client.get(path).status_code == 200


def test_a_key_never_reaches_the_log(editor, caplog):
    with (
        caplog.at_level(logging.DEBUG),
        client_of(editor, api_keys=(ApiKey.parse(KEY),)) as client,
    ):
        client.get(f"/k/{KEY}/v2/languages")
        client.get(f"/k/{KEY}/nowhere")
        client.get(f"/v2/languages?apiKey={KEY}")
    own = [record for record in caplog.records if not record.name.startswith("httpx")]
    assert len(own) >= 3
    assert all(KEY not in str(vars(record)) for record in own)


def test_a_server_for_this_machine_does_not_listen_to_pages(client):
    for host in ("evil.example", "localhost.evil.com", "evil-localhost", "127.0.0.1.evil.com", ""):
        assert client.get("/v1/info", headers={"Host": host}).status_code == 403
    assert client.get("/v2/languages", headers={"Host": "localhost:8081"}).status_code == 200
    page = {"Origin": "https://evil.example"}
    words = {"word": "evil"}
    assert client.post("/v2/words/add", data=words, headers=page).status_code == 403
    add_on = {"Origin": "moz-extension://5"}
    assert client.post("/v2/words/add", data=words, headers=add_on).status_code == 200


def test_cors_is_off_unless_it_is_wanted(editor, client):
    page = {"Origin": "https://page.example"}
    assert "access-control-allow-origin" not in client.get("/v1/info", headers=page).headers
    with client_of(editor, cors_origins=("https://page.example",)) as wanted:
        headers = wanted.get("/v1/info", headers=page).headers
        assert headers["access-control-allow-origin"] == "https://page.example"
        other = wanted.get("/v1/info", headers={"Origin": "https://other.example"}).headers
        assert "access-control-allow-origin" not in other


def test_the_page_needs_nothing_from_elsewhere(client):
    page = client.get("/docs")
    assert page.status_code == 200
    assert "/v1/edit" in page.text
    assert "<script" not in page.text
    assert "src=" not in page.text
    assert "http" not in page.text
    schema = client.get("/openapi.json").json()
    assert list(schema["paths"]) == ["/v1/edit", "/v1/edit/stream", "/v1/align", "/v1/info"]
    assert schema["components"]["schemas"]["OneText"]["properties"]["level"]["anyOf"][0][
        "enum"
    ] == [
        "balanced",
        "thorough",
    ]


def test_info_and_metrics(client):
    assert client.get("/v1/info").json()["levels"] == ["balanced", "thorough"]
    edit(client, text=TEXT)
    report = client.get("/metrics").text
    assert 'emendo_request_seconds_count{route="/v1/edit",status="200"} 1.0' in report
    assert 'emendo_edits_total{model="en",type="spelling"} 1.0' in report
    assert 'emendo_sentences_total{cache="miss",model="en"} 3.0' in report


def test_a_request_id_is_kept_if_it_is_one(client):
    own = "0123abcd-ffff"
    assert client.get("/health", headers={"X-Request-ID": own}).headers["x-request-id"] == own
    given = client.get("/health", headers={"X-Request-ID": "a b"}).headers["x-request-id"]
    assert len(given) == 16


def test_jobs_belong_to_the_key_or_the_address(editor, monkeypatch):
    callers = []
    monkeypatch.setattr(
        Job,
        "__init__",
        lambda job, *a, own=Job.__init__: own(job, *a) or callers.append(job.caller),
    )
    keys = (ApiKey.parse("ann:ann-has-this-key"), ApiKey.parse("ben:ben-has-that-key"))
    with client_of(editor, api_keys=keys) as client:
        for key in ("ann-has-this-key", "ben-has-that-key"):
            headers = {"Authorization": f"Bearer {key}"}
            assert client.post("/v1/edit", json={"text": key}, headers=headers).is_success
    with client_of(editor) as client:
        assert client.post("/v1/edit", json={"text": "He go."}).is_success
    assert [caller for caller in callers if caller] == ["key ann", "key ben", "address testclient"]


@pytest.mark.parametrize(
    ("host", "caller"),
    [
        ("192.0.2.7", "address 192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "address 2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", "address 2001:db8:1:2::/64"),
        ("::1", "address ::/64"),
        ("fe80::1%eth0", "address fe80::/64"),
        ("::ffff:192.0.2.7", "address 192.0.2.7"),
        ("testclient", "address testclient"),
    ],
)
def test_hosts_with_many_addresses_are_one_caller(host, caller):
    scope = {"type": "http", "client": (host, 1), "headers": []}
    assert Access((), is_open=True, origins=()).caller(scope) == caller
