"""What models/emendo-en/prepare.py makes of text."""

import importlib.util

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def prepare():
    path = ROOT / "models/emendo-en/prepare.py"
    spec = importlib.util.spec_from_file_location("prepare", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_pair_asks_for_a_curly_apostrophe(prepare):
    assert prepare.straighten(("dont", "don’t")) == ("dont", "don't")
    kept = ("He don’t.", "He doesn’t.")
    assert prepare.straighten(kept) == kept


def test_contracts_as_people_talk(prepare):
    formal = "Do not go: I am sure it cannot be right, it does not say and will not help."
    spoken = "Don't go: I'm sure it can't be right, it doesn't say and won't help."
    assert prepare.contract(formal) == spoken
    assert prepare.contract("Here I am.") == "Here I am."


def test_drills_have_one_clear_error(prepare, tmp_path):
    pytest.importorskip("lemminflect")
    talk, news = tmp_path / "talk.txt", tmp_path / "news.txt"
    talk.write_text("She doesn't like the old house.\n" * 20)
    news.write_text("He ate an apple in the garden.\n" * 20)
    pairs = set(prepare.drills([talk], news, 1))
    assert ("She don't like the old house.", "She doesn't like the old house.") in pairs
    assert ("He ate a apple in the garden.", "He ate an apple in the garden.") in pairs
    assert all(source != target for source, target in pairs)
    # Nothing in the sentence tells which garden.
    assert ("He ate an apple in a garden.", "He ate an apple in the garden.") not in pairs


def test_dev_sentences_are_spoilt_with_clear_errors_alone(prepare, tmp_path):
    pytest.importorskip("lemminflect")
    clean = ["She doesn't like the old houses.", "They've seen an apple in the garden."] * 30
    pairs = prepare.spoil(clean, prepare.DEV_CLEAR_ERRORS, tmp_path / "kept.txt")
    assert {target for _, target in pairs} == set(clean)
    assert all(source != target for source, target in pairs)
    assert len({source for source, _ in pairs}) > 5
    assert (tmp_path / "kept.txt").read_text().splitlines() == clean


def test_sides_of_pairs_go_to_their_files(prepare, tmp_path):
    prepare.write_parallel(tmp_path, "levels", [("She go.", "She goes."), ("Fine.", "Fine.")])
    assert (tmp_path / "levels.src").read_text().splitlines() == ["She go.", "Fine."]
    assert (tmp_path / "levels.trg").read_text().splitlines() == ["She goes.", "Fine."]


def test_kinds_of_drills_are_known(prepare):
    from emendo.synthesis.tables import load_tables

    assert set(prepare.CLEAR_KINDS) <= set(load_tables("en").draws)
