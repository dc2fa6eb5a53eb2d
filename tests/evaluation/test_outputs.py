"""Outputs from files: names that tell them apart, and lines that are refused."""

import json

import pytest

from emendo.errors import FormatError
from emendo.evaluation.gold import GoldSet
from emendo.evaluation.outputs import read_output, read_outputs

GOLD = GoldSet(("a b", "c"), (("a",), ("c",)))
EDIT = {"start": 0, "end": 1, "replacement": "x", "confidence": 0.5}


def _line(**fields):
    return json.dumps({"text": "x b", "source": "a b", "edits": [EDIT], **fields})


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.txt", "b.jsonl"], ["a", "b"]),
        (["run.1", "run.2", "run.v3.txt"], ["run.1", "run.2", "run.v3"]),
        (["a/run.txt", "b/run.txt", "c.txt"], ["a/run.txt", "b/run.txt", "c"]),
        (["a/x/run.txt", "b/x/run.txt"], ["a/x/run.txt", "b/x/run.txt"]),
        (["run.txt", "a/run.TXT"], ["run.txt", "run.TXT"]),
        (["run.txt", "run.jsonl"], ["run.txt", "run.jsonl"]),
    ],
)
def test_names_tell_files_apart(tmp_path, monkeypatch, files, names):
    monkeypatch.chdir(tmp_path)
    paths = [tmp_path.joinpath(name).relative_to(tmp_path) for name in files]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"text": "a"}\n{"text": "c"}\n')
    assert [output.name for output in read_outputs(paths, GOLD)] == names


def test_the_suffix_may_be_upper_case(tmp_path):
    path = tmp_path / "s.JSONL"
    path.write_text(_line() + "\n" + _line(text="c", source="c", edits=[]) + "\n")
    output = read_output(path, GOLD)
    assert (output.name, output.hypotheses) == ("s", ("x b", "c"))
    assert [len(sentence.edits) for sentence in output.sentences] == [1, 0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("not json", "not JSON (Expecting value)"),
        ("[]", "`text` must be a string"),
        ('{"source": "a b"}', "`text` must be a string"),
        ('{"text": null}', "`text` must be a string"),
        (_line(source=None), "`source` must be a string"),
        (_line(source="a c", text="x c"), "`source` is not this line of the test set"),
        ('{"text": "a", "source": "c"}', "`source` is not this line of the test set"),
        (_line(edits=None), "`edits` must be a list"),
        (_line(edits=[{"start": 0}]), "`confidence` must be a number"),
        (_line(edits=[{**EDIT, "start": "0"}]), "`start` must be a whole number"),
        (_line(edits=[{**EDIT, "end": 9}]), "is outside a text of 3 characters"),
        (_line(edits=[{**EDIT, "replacement": None}]), "`replacement` must be a string"),
        (
            _line(edits=[{**EDIT, "confidence": float("nan")}]),
            "confidence nan is not between",
        ),
        (_line(edits=[{**EDIT, "confidence": 1.5}]), "confidence 1.5 is not between 0 and 1"),
        (_line(edits=[{**EDIT, "confidence": -3}]), "confidence -3 is not between 0 and 1"),
        (_line(edits=[]), "does not give the text"),
    ],
)
def test_lines_that_are_wrong_are_named(tmp_path, line, why):
    path = tmp_path / "bad.jsonl"
    gold = GoldSet(("c", "a b"), (("c",), ("a",)))
    path.write_text(_line(text="c", source="c", edits=[]) + "\n" + line + "\n")
    with pytest.raises(FormatError, match=r"bad\.jsonl, line 2: ") as error:
        read_output(path, gold)
    assert why in str(error.value)


@pytest.mark.parametrize("without", [1, 2])
def test_edits_are_on_all_lines_or_none(tmp_path, without):
    lines = [_line(), _line(text="c", source="c", edits=[])]
    lines[without - 1] = json.dumps({"text": "c"})
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(FormatError, match=f"line {without}: no `edits`"):
        read_output(path, GOLD)


def test_a_file_of_other_length_is_named(tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("a b\n")
    with pytest.raises(FormatError, match=r"short\.txt has 1 sentences, the test set 2"):
        read_output(path, GOLD)
