"""What models/emendo-en/prepare.py makes of text, with the parts that all models share."""

import importlib.util
import json
import subprocess
import sys

import pytest

import preparation
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def prepare():
    path = ROOT / "models/emendo-en/prepare.py"
    spec = importlib.util.spec_from_file_location("prepare", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_pair_asks_for_a_curly_apostrophe():
    assert preparation.straighten(("dont", "don’t")) == ("dont", "don't")
    kept = ("He don’t.", "He doesn’t.")
    assert preparation.straighten(kept) == kept


def test_a_chat_gets_no_capital_and_no_stop(prepare, tmp_path):
    folder = tmp_path / "eracond/data/1/m2"
    folder.mkdir(parents=True)
    end = "|||REQUIRED|||-NONE-|||0\n"
    (folder / "0.m2").write_text(
        f"S he like tea\nA 0 1|||R:ORTH|||He{end}A 1 2|||R:VERB:SVA|||likes{end}"
        f"A 3 3|||M:PUNCT|||.{end}\n"
        f"S i know\nA 0 1|||R:ORTH|||I{end}\n"
        # This edit lies outside its sentence.
        f"S oh no\nA 7 8|||R:OTHER|||oh{end}\n"
        f"S They go home .\nA 1 2|||R:VERB:TENSE|||went{end}\n"
    )
    assert list(prepare.dialogue_pairs(tmp_path)) == [
        ("he like tea", "he likes tea"),
        ("i know", "I know"),
        ("They go home.", "They went home."),
    ]


def test_pairs_that_a_file_cannot_hold_are_left_out(tmp_path):
    pairs = [("She go.", "She goes."), ("", "Empty."), ("a\tb", "a b"), ("Fine.", "Fine.")]
    assert preparation.write_tsv(tmp_path / "pairs.tsv", pairs) == 2
    rows = (tmp_path / "pairs.tsv").read_text().splitlines()
    assert rows == ["She go.\tShe goes.", "Fine.\tFine."]


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_no_writer_stands_on_both_sides(code):
    sides = [set(preparation.written(code, split)) for split in ("train", "dev", "test")]
    assert all(sides)
    assert not sides[0] & (sides[1] | sides[2])
    assert set(preparation.written(code, "train", "correct")) < sides[0]


def test_the_table_of_misspellings_is_made_from_the_same_text(tmp_path):
    """The whole script, on a little text of every source."""
    for name, lines in {
        "openstax/biology.paras.txt": ["We receive the letters."] * 6,
        "openstax/psychology.paras.txt": ["They recieve it.", "They received it."],
        "wikinews-en/wikinews.paras.txt": ["Held out.", *["Here they receive a friend."] * 2],
        "common-voice/en.curated.txt": ["Held out.", *["A friend is here."] * 4],
        "typo-lists/words.csv": ["recieve,receive", "freind,friend", "heer,here", "tehy,they,the"],
        "doc-typo-fixes/en.ccby.tsv": [],
        "iterater/human_sent_level/train.json": [],
        "iterater/human_sent_level/dev.json": [
            json.dumps({"labels": "fluency", "before_sent": before, "after_sent": after})
            for before, after in (
                ("I recieve it .", "I receive it ."),
                ("My freind .", "My fries ."),
            )
        ],
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    script = ROOT / "models/emendo-en/misspellings.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path, tmp_path], capture_output=True, text=True, check=True
    )
    rows = (tmp_path / "misspellings.tsv").read_text(encoding="utf-8").splitlines()
    # "here" is too rare, and "tehy" can stand for two words.
    assert rows[1:] == ["freind\tfriend", "recieve\treceive"]
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures == {
        "misspellings": 2,
        "proposed": 2,
        "right": 1,
        "clean_sentences": 3,
        "alarms": 1,
    }
