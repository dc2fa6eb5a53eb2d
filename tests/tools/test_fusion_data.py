"""The data of emendo-fuse-en: what is balanced, what stands in its context, what is kept apart."""

import importlib.util
import json
import random
import subprocess
import sys
from collections import Counter

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "models/emendo-fuse-en/prepare.py"


@pytest.fixture(scope="module")
def prepare():
    spec = importlib.util.spec_from_file_location("fuse_prepare", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLASSES = ("pair_conn", "single_relative")


def record(kind, connective="", number=0):
    return {
        "source": f"The cat {number} came. The dog left.",
        "target": f"The cat {number} came and the dog left.",
        "cut": 16,
        "class": kind,
        "connective": connective,
        "from": "book",
        "before": "It rained.",
        "after": "",
    }


def test_each_class_has_its_share(prepare):
    shares = {"a": 50, "b": 30, "c": 20, "d": 100}
    records = [record("a", number=k) for k in range(700)]
    records += [record("b", "however" if k < 200 else "but", k) for k in range(240)]
    records += [record("c", ("and", "but", "or")[max(0, k - 57)], k) for k in range(60)]
    kept = prepare.balanced(records, shares, random.Random(0))
    # None is of the last class, so its share does not count. Of "c", "and" may make up half of 200.
    assert Counter(each["class"] for each in kept) == {"a": 500, "b": 240, "c": 60}
    assert len({each["source"] for each in kept if each["class"] == "a"}) == 500
    kept = prepare.balanced(records, shares, random.Random(0), times=3)
    assert Counter(each["class"] for each in kept) == {"a": 500, "b": 300, "c": 106}
    of_c = Counter(each["connective"] for each in kept if each["class"] == "c")
    assert of_c == {"and": 100, "but": 3, "or": 3}
    of_b = Counter(each["source"] for each in kept if each["class"] == "b")
    assert set(of_b.values()) == {1, 2}, "all of them, and only then some again"
    assert prepare.balanced([], shares, random.Random(0)) == []


def test_some_pairs_stand_in_their_context_and_some_stay(prepare):
    made = [prepare.pair_of(record("a"), number) for number in range(40)]
    plain = ("The cat 0 came. The dog left.", "The cat 0 came and the dog left.")
    assert made[2] == plain
    assert made[1] == tuple(f"It rained. {side}" for side in plain)
    assert made[0] == made[20] == (plain[1], plain[1])
    assert sum(source.startswith("It rained") for source, _ in made) == 5
    assert sum(source == target for source, target in made) == 2


def test_the_whole_folder(tmp_path):
    pairs = tmp_path / "pairs"
    pairs.mkdir()
    for split in ("train", "dev", "test"):
        rows = [record(kind, number=k) for kind in CLASSES for k in range(30)]
        lines = "".join(json.dumps({**row, "from": split}) + "\n" for row in rows)
        (pairs / f"{split}.jsonl").write_text(lines)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--pairs", pairs, tmp_path / "out"],
        capture_output=True,
        text=True,
        check=True,
    )
    # Their shares are 12 and 10 %. In dev no pair is repeated.
    assert json.loads(done.stdout) == {
        **{"train": 60, "dev": 57, "test": 60},
        "classes": {"pair_conn": 33, "single_relative": 27},
    }
    out = tmp_path / "out"
    assert len((out / "train.tsv").read_text().splitlines()) == 60
    source, target = (out / "dev.tsv").read_text().splitlines()[0].split("\t")
    assert source == (out / "dev.src").read_text().splitlines()[0]
    assert target == (out / "dev.trg").read_text().splitlines()[0]
    assert (out / "test.jsonl").read_text() == (pairs / "test.jsonl").read_text()


def test_text_or_pairs_are_needed(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "give ARCHIVES or --pairs" in done.stderr
