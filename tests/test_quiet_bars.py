"""What only a quiet machine can hold, or takes minutes: `make bars`, by hand and never in CI.

The condition: two cores with nothing else on them, as little memory in use as an empty desktop
takes, and the versions of the peers that the figures name. A bar stands at 1.5 times its figure.
"""

import shutil

import pytest

from tests.conftest import unpacked
from tests.test_bars import PACKAGED, WEIGHTS, hold, run

pytestmark = [pytest.mark.quiet, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def english(evaluation_data, tmp_path_factory):
    """emendo-en's network as a bundle: no levels, which take minutes to tune, and no table."""
    pytest.importorskip("onnxscript")
    unpacked("permissive-pairs")
    from edit_models import exported

    return exported(WEIGHTS, tmp_path_factory.mktemp("english") / "bundle", 50)


@pytest.fixture(scope="module")
def english_int8():
    """The bundle that is shipped."""
    return PACKAGED


def test_serve_memory(english_int8):
    """The worst requests that are accepted, against 1.3 times the idle and 64 MB."""
    pytest.importorskip("uvicorn")
    figures = run("serve_memory.py", "--short", "--model", english_int8)
    assert figures["refused"] == 0
    assert figures["over_bound_mb"] <= 0


def test_serve_mixed(english_int8):
    """Friendly clients beside hostile ones; `make integration` has them for two hours.

    The ratio of p99 is not held here: in seconds there are too few requests.
    """
    pytest.importorskip("uvicorn")
    figures = run("serve_mixed.py", "--seconds", 20, "--model", english_int8)
    assert figures["wrong"] == 0
    assert figures["friendly_lost"] == 0
    assert figures["friendly_5xx"] == 0
    assert figures["friendly_429_share"] <= 0.01
    assert figures["attacks"] > 0
    # The share of a moment may be over; one attack takes a few milliseconds.
    assert figures["attackers_cores"] < 0.6


def test_serve_simulated(english_int8):
    """The order of the work beside hostile clients; 1.10 where it was 2.9, and 2 is the target."""
    pytest.importorskip("uvicorn")
    figures = run("serve_simulated.py", "--slower", 1.25, "--seconds", 120, "--model", english_int8)
    assert figures["failed"] == 0
    assert figures["p99_ratio"] <= 1.5


def test_loss_of_a_large_vocabulary():
    """XLM-R's width and vocabulary, as much memory as the process takes at most."""
    large = ("--peak", "fused", "--width", 1024, "--vocab", 250002)
    peak = run("loss.py", *large)["peak"] / 2**30
    hold({"xlmr_peak_gib": peak}, at_most={"xlmr_peak_gib": 2.9})


@pytest.mark.parametrize(
    ("peer", "version", "sentences", "figure"),
    [
        ("harper", "harper-py 0.2.0", 500, 17.1),
        ("quire", "quire-grammar 0.3.4, quire-grammar-model 0.3.2", 150, 8.3),
    ],
)
def test_peers(evaluation_data, errant, peer, version, sentences, figure):
    """The F0.5 of others, by which emendo-en is measured; Harper's varies a little by itself."""
    pytest.importorskip({"harper": "harper", "quire": "quire_grammar_model"}[peer])
    figures = run("raw_text.py", "--peer", peer, "--sentences", sentences)
    if figures["version"] != version:
        pytest.skip(f"the figure is of {version}, here is {figures['version']}")
    assert figures["f05"] == pytest.approx(figure, rel=0.1)


def test_edit_speed(english):
    """Text in to text out, against the bare encoder and an autoregressive Transformer."""
    pytest.importorskip("openvino")
    figures = run("edit_speed.py", "--short", "--model", WEIGHTS, "--bundle", english)
    hold(
        figures,
        at_most={
            "ort_ratio": 2.6,
            "openvino_ratio": 3.2,
            "startup_s": 0.7,
            "rss_mb": 266,
            "install_mb": 214,
        },
        # 11 to 19 and 36 to 64 were seen: so few sentences spread.
        at_least={"ort_vs_torch_ar_greedy": 17, "ort_vs_torch_ar_beam12": 59},
    )
    # A second round reads those that change, which may be the long ones.
    assert figures["second_round_ratio"] <= 1.5 * figures["share_changed"] + 0.1


def test_edit_parity(english, errant):
    """The same edits in every engine and precision, alone and in a batch."""
    pytest.importorskip("openvino")
    arguments = ("--model", WEIGHTS, "--bundle", english, "--sentences", 120, "--alone", 12)
    figures = run("edit_parity.py", *arguments)
    assert figures["changed"] > 15
    # int8: of 1,000 sentences 96.
    lowest = {"ort_fp32": 100, "openvino_fp32": 100, "openvino_bf16": 97}
    lowest |= {"ort_int8": 94, "openvino_int8": 94}
    for engine, share in lowest.items():
        assert figures[f"{engine}_same"] >= share, engine
        assert figures[f"{engine}_alone"] == 100, engine
        # Within 0.5 on 1,000.
        assert abs(figures[f"{engine}_f05"] - figures["torch_f05"]) <= 2, engine


def test_serve(english_int8):
    """The server under load against the editor in process."""
    pytest.importorskip("uvicorn")
    figures = run("serve.py", "--short", "--model", english_int8)
    hold(
        figures,
        at_most={"cached_ratio": 0.014, "idle_rss_mb": 215, "ready_s": 1.4},
        at_least={"throughput_ratio": 0.85},
    )


def test_replicas(english_int8):
    """Two replicas against one behind HAProxy, and what callers notice of a restart or a failure."""
    pytest.importorskip("uvicorn")
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is not installed: apt-get install haproxy")
    figures = run("replicas.py", "--seconds", 5, "--rounds", 1, "--model", english_int8)
    assert figures["rolling_lost"] == figures["rolling_doubled"] == 0
    # Only what that replica had at that moment; eight callers have one request each.
    assert figures["kill_lost"] <= 8
    assert figures["kill_later_lost"] == figures["kill_elsewhere_lost"] == 0
    assert figures["stalled_out_s"] <= 5
    assert figures["balancer_p50_ms"] <= 2
    # Where there are fewer cores, HAProxy and the clients take theirs from the replicas.
    assert figures["throughput_ratio"] >= (1.7 if figures["cores"] >= 4 else 1.4)
    assert figures["efficiency"] >= 0.9


def test_lsp(english_int8):
    """From a keystroke to diagnostics, in a document of 2,000 words."""
    pytest.importorskip("pygls")
    figures = run("lsp.py", "--short", "--model", english_int8)
    assert figures["diagnostics"] > 0
    hold(figures, at_most={"p50_ms": 107, "idle_rss_mb": 210})


def test_batch(english):
    """Ray's workers against bare loops: the same bytes, and about as fast."""
    pytest.importorskip("ray")
    figures = run("batch.py", "--short", "--model", english)
    assert figures["equal"]
    # Files of 200 rows have few of like length.
    hold(
        figures,
        at_most={"padding": 0.13},
        at_least={"ray_ratio": 0.85, "two_worker_ratio": 0.85},
    )
