"""What a newcomer tries in Python."""

import typing

import pytest

import emendo
from emendo import Edit, EditedText, Editor
from tests.conftest import ROOT
from tests.run_python import run_python
from tests.scribe import Scribe

TEXT = (
    "I think that he likes teh cat. `code`\n\nThey said that you go store 😀. And so it is.\r\n\r\n"
    "Das ist ein Hund, der nicht zu Hause ist.  "
)


@pytest.fixture
def editor():
    return Editor(Scribe())


def test_an_edited_text_is_its_output_as_text():
    edited = EditedText("She go home.", (Edit(4, 6, "goes"),))
    assert str(edited) == f"{edited}" == "She goes home."


def test_what_an_edited_text_shows_of_itself():
    edited = EditedText("She go home.", (Edit(4, 6, "goes"),))
    assert repr(edited) == "EditedText(1 edit in 12 characters: 'go' -> 'goes')"
    assert repr(EditedText("Home.")) == "EditedText(no edits in 5 characters)"
    long = EditedText("a " * 1000, tuple(Edit(2 * k, 2 * k + 1, "b") for k in range(1000)))
    assert repr(long).startswith("EditedText(1,000 edits in 2,000 characters: 'a' -> 'b', ")
    assert len(repr(long)) < 200


def test_what_an_editor_shows_of_itself(editor):
    assert repr(editor) == "Editor(languages=['en'], levels=['balanced'], default_level='balanced')"


def test_a_document_comes_piece_by_piece(editor):
    pieces = list(editor.edit_stream(TEXT))
    assert len(pieces) > 3
    assert sum(bool(piece.edits) for piece in pieces) > 1
    assert "".join(piece.source for piece in pieces) == TEXT
    assert "".join(map(str, pieces)) == str(editor.edit(TEXT))
    assert sum(len(piece.edits) for piece in pieces) == len(editor.edit(TEXT).edits)


@pytest.mark.parametrize("markup", ["markdown", "latex", "html"])
def test_a_document_with_markup_comes_piece_by_piece(editor, markup):
    if markup == "latex":
        pytest.importorskip("pylatexenc")
    text = (
        "<p>He likes <b>teh</b> cat.<br>It \\emph{likes} teh cat.</p> **teh cat** \\cite{teh}"
        "<p>I go store</p>% teh cat\n\nvery very"
    )
    pieces = list(editor.edit_stream(text, markup=markup))
    assert "".join(piece.source for piece in pieces) == text
    assert "".join(map(str, pieces)) == str(editor.edit(text, markup=markup))


def test_the_first_piece_does_not_wait_for_the_last():
    scribe = Scribe()
    text = "\n\n".join(f"Teh cat number {k} likes fish." for k in range(500))
    first = next(Editor(scribe).edit_stream(text))
    assert str(first).startswith("Teh dog number 0 like fish.")
    assert sum(map(len, scribe.seen)) < 20


def test_mistakes_are_told_before_a_stream_is_read(editor):
    with pytest.raises(TypeError):
        editor.edit_stream(b"text")
    with pytest.raises(emendo.RequestError, match="bold"):
        editor.edit_stream("Text.", level="bold")


def test_what_people_catch_and_name_is_there():
    assert issubclass(emendo.BundleError, emendo.EmendoError)
    assert emendo.Level(edit_threshold=0.5).edit_threshold == 0.5
    assert typing.get_args(emendo.Markup) == ("plain", "markdown", "latex", "html")
    assert typing.get_args(emendo.BackendName) == ("auto", "onnx", "openvino")
    assert typing.get_args(emendo.LevelName) == ("precise", "balanced", "thorough")
    assert "spelling" in typing.get_args(emendo.EditType)


def test_dir_lists_what_there_is():
    names = [name for name in dir(emendo) if not name.startswith("_")]
    assert {"load_editor", "Editor", "Level", "EmendoError"} <= set(names)
    assert set(emendo.__all__) <= set(names)
    assert all(hasattr(emendo, name) for name in names)
    # Nothing that emendo itself merely imports.
    assert not {"import_module", "TYPE_CHECKING"} & set(names)


def test_a_type_checker_finds_a_wrong_name(tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(
        "import emendo\n"
        "editor = emendo.load_editor('en', backend='onxx')\n"
        "edited = editor.edit('Text.', markup='markdwon')\n"
        "is_right = [edit.type == 'speling' for edit in edited.edits]\n"
    )
    from mypy import api

    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    said, _, _ = api.run(["--strict", "--follow-imports", "silent", str(script)])
    assert [line.split(":")[1] for line in said.splitlines() if ": error:" in line] == [
        "2",
        "3",
        "4",
    ]


def test_a_saved_network_is_found_by_its_type(tiny_model, tmp_path):
    tiny_model().save_pretrained(tmp_path)
    script = (
        "import sys, emendo\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules\n"
        "from transformers import AutoModel\n"
        f"print(type(AutoModel.from_pretrained({str(tmp_path)!r})).__name__)\n"
    )
    assert run_python("-c", script).split() == ["CopyCTCModel"]
    # Whichever is imported first.
    script = f"from transformers import AutoModel\nimport emendo\nprint(type(AutoModel.from_pretrained({str(tmp_path)!r})).__name__)"
    assert run_python("-c", script).split() == ["CopyCTCModel"]


def test_other_parts_of_transformers_do_not_load_the_network():
    pytest.importorskip("transformers")
    script = "import sys, emendo, transformers\nprint('emendo.modeling' in sys.modules)"
    assert run_python("-c", script).strip() == "False"
