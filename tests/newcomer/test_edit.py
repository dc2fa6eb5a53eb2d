"""What a newcomer tries with `emendo edit`."""

import json
import shutil
import subprocess

import pytest

from tests.cli.test_edit import emendo, wild  # noqa: F401 - a fixture
from tests.newcomer.terminal import Terminal

pytest.importorskip("onnxruntime")

RED = "\x1b[31m"


@pytest.fixture
def document(wild, tmp_path):  # noqa: F811
    """A file whose second paragraph the model changes."""
    path = tmp_path / "text.txt"
    path.write_text(f"`code`\n\n{wild}\n\n`more code`", encoding="utf-8", newline="")
    return path


def test_a_piped_diff_is_one_that_patch_applies(tiny_bundle, document, tmp_path):
    if shutil.which("patch") is None:
        pytest.skip("no patch: apt-get install patch")
    done = emendo("edit", "-m", tiny_bundle, "--diff", document)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().split("\n")
    assert lines[0].startswith(f"--- {document}")
    assert lines[1].startswith(f"+++ {document}")
    assert lines[2].startswith("@@ -1,5 +1,5 @@")
    assert RED not in done.stdout.decode()
    expected = emendo("edit", "-m", tiny_bundle, document).stdout
    copy = tmp_path / "copy.txt"
    shutil.copy(document, copy)
    subprocess.run(["patch", copy], input=done.stdout, check=True, capture_output=True)
    assert copy.read_bytes() == expected


def test_a_word_diff_marks_words_as_git_does(tiny_bundle, document):
    done = emendo("edit", "-m", tiny_bundle, "--word-diff", document)
    assert done.returncode == 0, done.stderr
    entry = json.loads(emendo("edit", "-m", tiny_bundle, "--json", document).stdout)
    expected, position = "", 0
    for edit in entry["edits"]:
        old = entry["source"][edit["start"] : edit["end"]]
        expected += entry["source"][position : edit["start"]]
        expected += (f"[-{old}-]" if old else "") + (
            f"{{+{edit['replacement']}+}}" if edit["replacement"] else ""
        )
        position = edit["end"]
    assert done.stdout.decode() == expected + entry["source"][position:] + "\n"


@pytest.mark.parametrize("form", ["--diff", "--word-diff"])
def test_colours_are_for_terminals_unless_asked_for(tiny_bundle, document, form):
    command = ("edit", "-m", tiny_bundle, form, document)
    assert RED not in emendo(*command).stdout.decode()
    assert RED in emendo(*command, "--color", "always").stdout.decode()
    with Terminal(*command) as terminal:
        assert terminal.finish() == 0
        assert RED in terminal.output
    with Terminal(*command, "--color", "never") as terminal:
        assert terminal.finish() == 0
        assert RED not in terminal.output
    with Terminal(*command, environment={"NO_COLOR": "1"}) as terminal:
        assert terminal.finish() == 0
        assert RED not in terminal.output


def test_a_diff_without_edits_is_empty(tiny_bundle):
    done = emendo("edit", "-m", tiny_bundle, "--diff", text=b"1, 2, 3\n")
    assert (done.returncode, done.stdout) == (0, b"")


def test_text_in_place_of_a_file_is_told_what_to_do():
    done = emendo("edit", "I has a dog.")
    assert done.returncode == 2
    said = done.stderr.decode()
    assert "there is no file 'I has a dog.'" in said
    assert "echo 'I has a dog.' | emendo edit" in said
    assert said.count("\n") == 1


def test_a_long_text_in_place_of_a_file(tmp_path):
    done = emendo("edit", "I has a dog. " * 400)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert "| emendo edit" in said
    assert len(said) < 400


def test_a_file_that_is_missing_is_named_before_a_model_is_loaded():
    done = emendo("edit", "-m", "no-such-model", "notes.md")
    assert done.returncode == 2
    assert "there is no file 'notes.md'" in done.stderr.decode()
    assert "echo" not in done.stderr.decode()


def test_a_folder_is_refused_in_words(tmp_path):
    done = emendo("edit", tmp_path)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert f"{tmp_path} is a folder" in said
    assert "Errno" not in said
    (tmp_path / "notes.md").touch()
    assert f"emendo edit --diff {tmp_path}/*.md" in emendo("edit", tmp_path).stderr.decode()


def test_json_keeps_emoji(tiny_bundle):
    done = emendo(
        "edit",
        "-m",
        tiny_bundle,
        "--json",
        text="`code` 😀 é \udcff".encode("utf-8", "surrogateescape"),
    )
    assert "😀 é \ufffd" in done.stdout.decode()
    assert "\\u" not in done.stdout.decode()


def test_a_terminal_that_waits_for_text_says_so(tiny_bundle):
    with Terminal("edit", "-m", tiny_bundle) as terminal:
        terminal.wait_for("Ctrl-D")
        terminal.write("`code`\n\x04")
        assert terminal.finish() == 0
