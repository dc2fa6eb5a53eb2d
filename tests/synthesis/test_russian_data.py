"""What models/emendo-ru/prepare.py makes of the edits of learners."""

import importlib.util

import pytest

import preparation
from emendo.text.m2 import M2Edit, M2Sentence
from tests.conftest import ROOT

END = "|||REQUIRED|||-NONE-|||0\n"


@pytest.fixture(scope="module")
def prepare():
    path = ROOT / "models/emendo-ru/prepare.py"
    spec = importlib.util.spec_from_file_location("prepare_ru", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def archives(tmp_path):
    """A ReLCo of three sentences; those from the byte order mark on are turned."""
    (tmp_path / "relco").mkdir()
    (tmp_path / "relco/errors_tagged.m2").write_text(
        f"S он живёт в горде .\nA 3 4|||R:SPELL|||городе{END}\n"
        f"S \ufeffэто хорошо .\nA -1 -1|||noop|||-NONE-{END}\n"
        f"S мы раскрываем тренировочный купол .\nA 1 2|||R:VERB:FORM|||раскрывает{END}"
        f"A 2 3|||R:ADJ|||тринировочный{END}",
        encoding="utf-8",
    )
    return tmp_path


def test_edits_lead_from_the_learner_to_the_correction(prepare, archives, monkeypatch):
    monkeypatch.setattr(prepare, "HELD_OUT", 0)
    edits, _ = prepare.relco_edits(archives)
    assert set(edits) == {
        ("misspelling", "городе", "горде"),
        ("word form", "раскрываем", "раскрывает"),
        ("misspelling", "тренировочный", "тринировочный"),
    }


def test_the_byte_order_mark_is_no_part_of_a_word(archives):
    assert [each.corrected() for each in preparation.relco_sentences(archives)] == [
        "он живёт в городе .",
        "это хорошо .",
        "мы раскрываем тренировочный купол .",
    ]


def test_names_of_the_list_are_no_misspellings(prepare):
    assert prepare.kind_of("R:NOUN", "москвы", "москва") == "word form"
    assert prepare.kind_of("R:NOUN", "москва", "масква") == "misspelling"


def test_a_turned_sentence_is_what_the_learner_wrote():
    edits = (
        M2Edit(1, 2, "R", ("have go",)),
        M2Edit(3, 4, "U", ("",)),
        M2Edit(0, 0, "M", ("Oh",)),
        M2Edit(-1, -1, "noop", ("",)),
    )
    learner = preparation.turned(M2Sentence(("He", "goes", "home", "now", "."), edits))
    assert " ".join(learner.tokens) == "Oh He have go home ."
    assert learner.corrected() == "He goes home now ."
