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


def test_no_class_and_no_connective_has_too_many(prepare):
    records = [record("a", number=k) for k in range(1000)]
    records += [record("b", "however" if k < 90 else "but", k) for k in range(100)]
    records += [record("c", "thus", k) for k in range(40)]
    records += [record("d", ("and", "but", "or")[k % 20 > 17 and k % 2], k) for k in range(400)]
    kept = prepare.balanced(records, random.Random(0))
    counts = Counter(each["class"] for each in kept)
    # The middle of 1000, 100, 40 and 400 is 250.
    assert counts == {"a": 500, "b": 100, "c": 40, "d": 400}
    of_d = [each["connective"] for each in kept if each["class"] == "d"]
    assert len(set(of_d)) == 2
    three = [record("d", ("and", "but", "or")[max(0, k - 397)], k) for k in range(400)]
    kept = prepare.balanced([*records[:1140], *three], random.Random(0))
    of_d = Counter(each["connective"] for each in kept if each["class"] == "d")
    assert of_d == {"and": 250, "but": 1, "or": 1}
    assert prepare.balanced([], random.Random(0)) == []


def test_some_pairs_stand_in_their_context_and_some_stay(prepare):
    made = [prepare.pair_of(record("a"), number) for number in range(40)]
    plain = ("The cat 0 came. The dog left.", "The cat 0 came and the dog left.")
    assert made[2] == plain
    assert made[1] == tuple(f"It rained. {side}" for side in plain)
    assert made[0] == made[20] == (plain[1], plain[1])
    assert sum(source.startswith("It rained") for source, _ in made) == 10
    assert sum(source == target for source, target in made) == 2


def test_the_whole_folder(tmp_path):
    pairs = tmp_path / "pairs"
    pairs.mkdir()
    for split in ("train", "dev", "test"):
        rows = [record(kind, number=k) for kind in "ab" for k in range(30)]
        lines = "".join(json.dumps({**row, "from": split}) + "\n" for row in rows)
        (pairs / f"{split}.jsonl").write_text(lines)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--pairs", pairs, tmp_path / "out"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {
        **{"train": 60, "dev": 60, "test": 60},
        "classes": {"a": 30, "b": 30},
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
