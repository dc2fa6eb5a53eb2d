"""experiments/claims.py: arms are trained, tested and compared, and nothing stale is believed."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import claims
from decoding_arms import TextEditor
from emendo.files import write_whole
from emendo.modeling import CopyCTCForEditing
from emendo.training.config import TrainConfig
from emendo.training.toml_config import dump_config, load_config
from verdicts import f05, judge

RUN = """
trackers = []
[model]
encoder = "{encoder}"
upsampling = 2
[dev]
file = "{pairs}"
metric = "em"
[[stages]]
name = "claims"
train = ["{pairs}"]
learning_rate = 1e-3
tokens_per_step = 64
tokens_per_batch = 32
steps = 10
evaluate_every = 10
"""
CLAIMS = """
judged_on = "bea-dev"
[arms.base]
[arms.vanilla]
set = ["model.use_keep=false"]
[arms.two-rounds]
of = "base"
rounds = 2
[[claims]]
name = "copying helps"
better = "base"
worse = "vanilla"
[[claims]]
name = "rounds help"
better = "two-rounds"
worse = "base"
[[claims]]
name = "many seeds"
better = "base"
worse = "vanilla"
seeds = 2
"""


def arm(seeds, *, correct, proposed, sentences=400, gold=2):
    """Counts of an arm that gets some sentences right."""
    found = np.zeros((seeds, sentences, 3))
    found[:, :proposed, 1] = 1
    found[:, :correct, 0] = 1
    found[..., 2] = gold
    return found


def test_f_is_that_of_the_scorer():
    from emendo.evaluation.counts import Counts

    for counts in (Counts(3, 5, 9), Counts(0, 4, 7), Counts(0, 0, 7), Counts(7, 7, 7)):
        assert f05(np.array(counts, dtype=float)) == pytest.approx(100 * counts.f())


def test_figures_are_those_of_all_seeds_together():
    # 60 correct of 150, and of 800 to find, in each of two runs.
    counts = arm(2, correct=60, proposed=150)
    assert claims.figures(counts) == [40.0, 7.5, round(float(f05(np.array([120, 300, 1600.0]))), 1)]


def test_verdicts_follow_the_interval():
    better, worse = arm(3, correct=120, proposed=150), arm(3, correct=60, proposed=150)
    assert judge(better, worse).word == "held"
    assert judge(worse, better).word == "not held"
    same = judge(better, better)
    assert (same.word, same.difference, same.smallest) == ("undecided", 0.0, 0.0)


def test_seeds_that_disagree_decide_nothing():
    better, worse = arm(3, correct=120, proposed=150), arm(3, correct=60, proposed=150)
    better[0], worse[0] = worse[0].copy(), better[0].copy()
    found = judge(better, worse)
    assert found.difference > 0
    assert found.word == "undecided"
    assert found.smallest > found.difference
    assert len(found.by_seed) == 3


def test_three_seeds_of_one_sign_are_not_enough():
    """Without an effect, three differences have the same sign in a quarter of all cases."""
    better, worse = (arm(3, correct=100, proposed=150, sentences=1500) for _ in range(2))
    for seed, more in enumerate((4, 8, 40)):
        better[seed, 100 : 100 + more, 0] = 1
    found = judge(better, worse)
    assert all(each > 0 for each in found.by_seed)
    assert found.word == "undecided"
    # The same difference for every seed is one.
    better, worse = (arm(3, correct=100, proposed=150, sentences=1500) for _ in range(2))
    better[:, 100:140, 0] = 1
    assert judge(better, worse).word == "held"


def test_one_seed_says_how_sentences_differ():
    better, worse = arm(1, correct=120, proposed=150), arm(1, correct=60, proposed=150)
    found = judge(better, worse)
    assert found.word == "held"
    assert 0 < found.smallest < found.difference


def test_arms_of_different_sentences_are_refused():
    with pytest.raises(ValueError, match="different shapes"):
        judge(arm(3, correct=1, proposed=1), arm(2, correct=1, proposed=1))


def plan_of(name):
    return claims.Plan.read(claims.HERE / name)


@pytest.mark.parametrize("name", claims.PLANS)
def test_the_files_name_arms_that_exist_and_can_be_trained(name):
    plan = plan_of(name)
    used = {each for claim in plan.claims for each in (claim.better, claim.worse)}
    assert used == set(plan.arms)
    for arm in plan.arms.values():
        assert not arm.of or arm.of in plan.arms
        load_config(TrainConfig, plan.run_file, plan.settings(arm, 1))


def test_the_paper_is_tested_with_three_seeds_and_one_and_a_half_million_tokens():
    plan = plan_of("claims")
    stage = load_config(TrainConfig, plan.run_file, []).stages[0]
    assert stage.steps * stage.tokens_per_step >= 1_500_000
    assert [claim.seeds for claim in plan.claims[:2]] == [3, 3]
    assert plan.judged_on == "bea-dev"


def test_recipes_see_the_same_number_of_tokens_and_are_chosen_on_no_reported_set():
    plan = plan_of("recipe")
    tokens = set()
    for arm in plan.arms.values():
        stage = load_config(TrainConfig, plan.run_file, plan.settings(arm, 0)).stages[1]
        tokens.add(stage.steps * stage.tokens_per_step)
    assert tokens == {240 * 2048}
    bias, judged = claims.gold_sets(plan.judged_on)
    assert len(bias.sources) == claims.DEV
    assert len(judged.sources) > 2 * claims.DEV
    _, reported = claims.gold_sets("bea-dev")
    for one, other in ((bias, judged), (bias, reported), (judged, reported)):
        # Greetings and the like occur in several texts.
        assert len({*one.sources} & {*other.sources}) < 20


def test_unknown_sets_are_refused(tmp_path):
    write_whole(tmp_path / "claims.toml", CLAIMS.replace("bea-dev", "jfleg"))
    with pytest.raises(SystemExit, match="judged_on is one of bea-dev, fce-dev"):
        claims.Plan.read(tmp_path)


def test_claims_from_the_training_to_the_verdict(encoder, pairs, tmp_path, monkeypatch, capsys):
    """Real runs of a tiny network, tested on a few sentences of real learners."""
    folder = tmp_path / "claims"
    folder.mkdir()
    write_whole(folder / "train.toml", RUN.format(encoder=encoder, pairs=pairs))
    write_whole(folder / "claims.toml", CLAIMS)
    monkeypatch.setattr(claims, "HERE", tmp_path)
    monkeypatch.setattr(claims, "DEV", 4)
    monkeypatch.setattr(claims, "TEST", 6)
    runs = folder / "runs"
    whole = claims.Plan.read(folder)
    plan = replace(whole, claims=whole.claims[:2])
    claims.run(plan, tmp_path, runs)
    assert sorted(path.name for path in runs.iterdir()) == ["base-0", "cache", "vanilla-0"]
    monkeypatch.setattr(sys, "argv", ["claims.py", "summary"])
    claims.main()
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {name: row["verdict"] for name, row in rows.items()} == {
        # Untrained networks keep or lose everything, and find none of the learners' errors.
        "copying helps": "undecided",
        "rounds help": "undecided",
        "many seeds": "not run",
    }
    monkeypatch.setattr(sys, "argv", ["claims.py", "summary", "--seeds", "1"])
    claims.main()
    said = capsys.readouterr().out
    assert "many seeds: undecided (one seed: an indication)" in said
    (row,) = (row for name, row in json.loads(said.splitlines()[-1]).items() if "many" in name)
    assert row == rows["copying helps"]
    assert row["seeds"] == 1
    assert set(row["precision_recall_f05"]) == {"base", "vanilla"}
    # Nothing is trained or tested twice.
    monkeypatch.setattr(claims, "train", None)
    monkeypatch.setattr(claims, "test", None)
    claims.run(plan, tmp_path, runs)
    claims.draw(plan, runs, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    # A model that is not the tested one is not believed, but results do not need their models.
    weights = runs / "base-0" / claims.WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    with pytest.raises(SystemExit, match="has changed since"):
        claims.summarise(plan, runs)
    weights.unlink()
    assert claims.summarise(plan, runs)["copying helps"] == rows["copying helps"]
    claims.run(plan, tmp_path, runs)
    # Neither are two results of different models, nor a result of other metrics.
    other = runs / "base-0/result-two-rounds.json"
    was = other.read_text(encoding="utf-8")
    write_whole(other, json.dumps({**json.loads(was), claims.WEIGHTS: "0"}))
    with pytest.raises(SystemExit, match="different models"):
        claims.summarise(plan, runs)
    write_whole(other, was)
    (runs / "base-0" / claims.METRICS).unlink()
    write_whole(runs / "base-0" / claims.METRICS, "")
    with pytest.raises(SystemExit, match=r"metrics\.jsonl has changed"):
        claims.summarise(plan, runs)


def test_all_uses_of_a_model_are_tested_before_the_next_is_trained():
    uses = plan_of("claims").needed()
    first, second, *_ = uses
    assert (first, second) == (("base", 0), ("vanilla", 0))
    assert [arm.name for arm in uses[first]] == ["base", "two-rounds", "three-rounds", "beam"]
    assert ("base", 2) in uses
    assert ("flat", 0) in uses
    assert ("flat", 1) not in uses


def test_a_run_of_other_settings_is_not_believed(encoder, pairs, tmp_path):
    write_whole(tmp_path / "train.toml", RUN.format(encoder=encoder, pairs=pairs))
    plan = claims.Plan(tmp_path / "train.toml", "bea-dev", {"base": claims.Arm("base")}, ())
    folder = tmp_path / "base-0"
    (folder / "model").mkdir(parents=True)
    config = load_config(TrainConfig, tmp_path / "train.toml", ["seed=7"])
    write_whole(folder / claims.CONFIG, dump_config(config))
    files = (claims.WEIGHTS, claims.CONFIG, claims.METRICS)
    for name in (claims.WEIGHTS, claims.METRICS):
        write_whole(folder / name, "")
    result = {name: claims.sha256_of(folder / name) for name in files}
    write_whole(
        folder / "result-base.json",
        json.dumps({**result, "judged_on": "bea-dev", "counts": [[0, 0, 1]]}),
    )
    with pytest.raises(SystemExit, match="not the run that"):
        claims.read_counts(plan, tmp_path, "base", 1)
    with pytest.raises(SystemExit, match="not of fce-dev"):
        claims.read_counts(replace(plan, judged_on="fce-dev"), tmp_path, "base", 1)


def test_beam_search_finds_what_greedy_decoding_finds_in_a_sure_network(
    encoder, small_tokenizer, tmp_path
):
    torch.manual_seed(0)
    network = CopyCTCForEditing.from_encoder(encoder, small_tokenizer, upsampling=2)
    # So sure of everything that no sum over paths changes the best output.
    with torch.no_grad():
        torch.nn.init.normal_(network.model.three_way.weight, std=20.0)
        torch.nn.init.normal_(network.lexicon.dense.weight, std=20.0)
    network.save_pretrained(tmp_path)
    small_tokenizer.save(tmp_path / "tokenizer.json")
    sentences = ["I like an dog.", "They is here.", "Where have been you?"]
    greedy, beam = TextEditor(tmp_path), TextEditor(tmp_path, beam=8)
    assert beam.biases((0.0, -1.0)) == (0.0, -1.0)
    assert greedy.biases((0.0, -1.0)) == (0.0, -1.0)
    corrected = greedy.correct(sentences)
    assert all(text != source for text, source in zip(corrected, sentences, strict=True))
    assert beam.correct(sentences) == corrected
    biased = greedy.correct(sentences, 1e4)
    assert biased != corrected
    assert beam.correct(sentences, 1e4) == biased
