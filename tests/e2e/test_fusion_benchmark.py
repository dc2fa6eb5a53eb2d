"""What benchmarks/fusion.py counts, on a few pairs with a known result."""

import json
import subprocess
import sys

import pytest

import fusion
from tests.conftest import ROOT

PAIRS = [
    fusion.Pair("The cat came.", "The dog left.", "The cat came, and the dog left.", "a", "and"),
    fusion.Pair("The cat came.", "Mary left.", "The cat came, and Mary left.", "a", "and"),
    fusion.Pair("The cat came.", "The dog left.", "The cat came. But the dog left.", "b", "but"),
    fusion.Pair("The cat came.", "The dog left.", "The cat came. The dog left.", "c"),
]
JOIN = fusion.Majority("and", begins=False)


def test_a_perfect_model():
    right = {pair.source + pair.kind: pair.target for pair in PAIRS}
    outputs = iter([right[pair.source + pair.kind] for pair in PAIRS])
    found = fusion.measure(lambda sources: [next(outputs) for _ in sources], PAIRS, JOIN)
    assert (found["pairs"], found["em"], found["sari"]) == (4, 100.0, 100.0)
    counted = {"a": 2, "b": 1, "c": 1}
    assert found["classes"] == {kind: {"pairs": n, "em": 100.0} for kind, n in counted.items()}
    assert found["concatenation"]["em"] == 25.0
    assert found["majority"]["em"] == 50.0
    assert found["majority"]["em_behind"][0] == 50.0
    low, high = found["concatenation"]["em_interval"]
    assert low <= 25.0 <= high
    assert found["concatenation"]["sari"] < found["majority"]["sari"] < 100


def test_the_card(tmp_path):
    found = fusion.measure(list, PAIRS, JOIN)
    card = tmp_path / "README.md"
    places = "".join(f"<!-- {each} -->\n<!-- /{each} -->\n" for each in ("figures", "classes"))
    card.write_text(places, encoding="utf-8")
    found["em_by_share"] = fusion.by_share(found["classes"], {"a": 60, "b": 20, "c": 20, "d": 100})
    fusion.fill(card, fusion.cards({"own": found}, "fuse"))
    text = card.read_text(encoding="utf-8")
    assert "| our test set: fuse | 25.0 (" in text
    assert "| our test set: majority | 50.0 (" in text
    assert "| `c` | 1 | 100.0 |" in text
    # A quarter of the pairs, but a fifth of the shares of the classes that occur.
    assert "| all, by their shares | 4 | 20.0 |" in text


def test_a_model_that_does_nothing_is_the_concatenation():
    found = fusion.measure(list, PAIRS, JOIN)
    assert found["em"] == found["concatenation"]["em"] == 25.0
    assert found["sari"] == found["concatenation"]["sari"]
    assert found["concatenation"]["sari_behind"] == [0.0, 0.0, 0.0]
    assert [found["classes"][kind]["em"] for kind in "abc"] == [0.0, 0.0, 100.0]


def test_the_majority_connective():
    assert fusion.majority(PAIRS) == JOIN
    often = [pair._replace(kind="pair_conn", connective="however") for pair in PAIRS]
    assert fusion.majority(often) == ("however", True)
    assert fusion.majority(often).fuse(PAIRS[0]) == "The cat came. However, the dog left."
    assert fusion.majority([]) == JOIN
    quoted = fusion.Pair('He said "no."', "I left.", "", "a")
    assert JOIN.fuse(quoted) == 'He said "no", and I left.'


def test_classes_are_drawn_by_their_share():
    shares = {"a": 50, "b": 30, "c": 20}
    pool = [fusion.Pair(str(k), "x", "y", kind) for kind in "abc" for k in range(40)]
    drawn = fusion.draw(pool, 50, shares)
    assert [sum(pair.kind == kind for pair in drawn) for kind in "abc"] == [25, 15, 10]
    assert drawn == fusion.draw(pool, 50, shares)
    # There are only forty.
    assert len(fusion.draw(pool, 100, shares)) == 40 + 30 + 20
    assert sum(fusion.SHARES.values()) == 100


def test_classes_have_the_names_of_the_rules():
    import fusion_rules

    assert tuple(fusion.SHARES) == fusion_rules.KINDS


def test_a_model_for_correction_is_refused():
    pytest.importorskip("onnxruntime")
    corrects = ROOT / "models/emendo-en/src/emendo_en/bundle"
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks/fusion.py", corrects, "--wikisplit"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "is correction, not fusion" in done.stderr


def test_one_object_on_the_last_line(tiny_model, small_tokenizer, tmp_path):
    pytest.importorskip("onnxscript")
    from emendo.export import export_bundle

    tiny_model(task="fusion").save_pretrained(tmp_path / "run/model")
    small_tokenizer.save(tmp_path / "run/model/tokenizer.json")
    export_bundle(tmp_path / "run", tmp_path / "bundle")
    rows = [
        {
            "source": "The cat came. The dog left.",
            "cut": 14,
            "target": "The cat came and the dog left.",
            "class": kind,
            "connective": "",
        }
        for kind in fusion.SHARES
    ]
    path = tmp_path / "test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = subprocess.run(
        [
            *(sys.executable, ROOT / "benchmarks/fusion.py", tmp_path / "bundle"),
            *("--pairs", path, "--count", "26"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])["own"]
    assert found["pairs"] == 13
    assert set(found["classes"]) == set(fusion.SHARES)
    # A network that was never trained keeps everything.
    assert found["em"] == found["concatenation"]["em"] == 0.0
