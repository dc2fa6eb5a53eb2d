"""`emendo edit` and `emendo align`, as a person runs them, over a tiny random model."""

import json
import resource
import subprocess
import sys

import pytest

from emendo import Edit, EditedText
from emendo.cli.edit import _write as write_in_place
from emendo.errors import RequestError
from emendo.text import read_m2
from emendo.text.word_files import WordFiles, read_words

pytest.importorskip("onnxruntime")


def emendo(*arguments, text=b""):
    return subprocess.run(
        [sys.executable, "-m", "emendo", *map(str, arguments)],
        input=text,
        capture_output=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wild(tiny_bundle, edit_texts):
    """A text that the model changes."""
    from emendo import load_editor

    editor = load_editor(tiny_bundle, backend="onnx")
    return next(text for text in edit_texts if editor.edit(text).edits)


def test_align_reads_brackets_as_text(tiny_bundle):
    done = emendo("align", "-m", tiny_bundle, "I has [/dogs] and [red]cats.")
    assert done.returncode == 0, done.stderr
    # The title is broken between words if the table is narrow.
    assert b"[/dogs]" in done.stdout
    assert b"[red]cats." in done.stdout


def test_standard_input_to_standard_output(tiny_bundle, wild):
    done = emendo("edit", "-m", tiny_bundle, text=wild.encode())
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() != wild


def test_bytes_that_are_no_text_come_back(tiny_bundle):
    nasty = b"\xef\xbb\xbfhttps://example.org/\xff\r\n\r\n\xfe\x00`"
    done = emendo("edit", "-m", tiny_bundle, text=nasty)
    assert done.returncode == 0, done.stderr
    assert b"https://example.org/" in done.stdout
    assert b"\xff\r\n\r\n\xfe" in done.stdout


def test_json_says_what_was_done(tiny_bundle, wild, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(wild, encoding="utf-8", newline="")
    done = emendo("edit", "-m", tiny_bundle, "--json", path)
    entry = json.loads(done.stdout)
    source, made = entry["source"], []
    position = 0
    for edit in entry["edits"]:
        made += [source[position : edit["start"]], edit["replacement"]]
        position = edit["end"]
        assert 0 <= edit["confidence"] <= 1
        assert edit["type"]
    assert "".join(made) + source[position:] == entry["text"]
    assert source == wild


def test_json_may_list_alternatives(tiny_bundle, edit_texts):
    text = "\n\n".join(edit_texts).encode()
    done = emendo("edit", "-m", tiny_bundle, "--json", "--alternatives", text=text)
    entry = json.loads(done.stdout)
    assert all(edit["replacement"] not in edit["alternatives"] for edit in entry["edits"])
    assert any(edit["alternatives"] for edit in entry["edits"])


def test_m2_is_read_again(tiny_bundle, wild):
    done = emendo("edit", "-m", tiny_bundle, "--m2", text=wild.encode())
    assert done.returncode == 0, done.stderr
    plain = emendo("edit", "-m", tiny_bundle, text=wild.encode()).stdout.decode()
    (sentence,) = read_m2(done.stdout.decode().split("\n"))
    assert sentence.edits
    assert "".join(sentence.corrected().split()) == "".join(plain.split())


def test_in_place_keeps_the_old_file(tiny_bundle, wild, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(wild, encoding="utf-8", newline="")
    assert emendo("edit", "-m", tiny_bundle, "--check", path).returncode == 1
    assert emendo("edit", "-m", tiny_bundle, "-i", path).returncode == 0
    assert (tmp_path / "text.txt.orig").read_bytes() == wild.encode()
    assert path.read_bytes() != wild.encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["text.txt", "text.txt.orig"]
    clean = tmp_path / "clean.txt"
    clean.write_text("`code`")
    done = emendo("edit", "-m", tiny_bundle, "--diff", path)
    assert done.returncode == 0


def test_in_place_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "text.txt"
    link = tmp_path / "link.txt"
    link.symlink_to(path)

    def correct(wrong, right, then=None):
        path.write_text(wrong)
        if then:
            path.write_text(then)
        write_in_place(link, EditedText(wrong, (Edit(0, len(wrong), right),)))

    correct("teh", "the")
    assert link.is_symlink(), "the file is replaced, not the link"
    assert path.read_text() == "the"
    # Saved in an editor while the network ran.
    with pytest.raises(RequestError, match="has changed since it was read"):
        correct("teh dog", "the dog", then="teh dog and more")
    assert path.read_text() == "teh dog and more"
    # The first original stays, and the same content is not kept twice.
    correct("helo", "hello")
    correct("helo", "hullo")
    kept = {each.name: each.read_text() for each in tmp_path.glob("*.orig*")}
    assert kept == {"text.txt.orig": "teh", "text.txt.orig2": "helo"}
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(RequestError, match="read-only"):
        correct("teh", "the")
    assert path.read_text() == "teh"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff", "--json"], "use only one of"),
        (["--alternatives"], "works only with --json"),
        (["-i"], "needs files"),
        (["--level", "bold"], "no level 'bold'"),
        (["nowhere.txt"], "nowhere.txt"),
    ],
)
def test_mistakes_are_told(tiny_bundle, arguments, message):
    done = emendo("edit", "-m", tiny_bundle, *arguments, text=b"a")
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_dictionary_is_read_as_editors_write_it(tiny_bundle, tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfteh\r\nemendo\r\n")
    assert read_words(path) == WordFiles().words(path) == ("teh", "emendo")
    path.write_bytes("Zoltán\n".encode("latin-1"))
    done = emendo("edit", "-m", tiny_bundle, "--dictionary", path, text=b"a")
    assert done.returncode == 2
    assert "words.txt is not UTF-8" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    # The server's own files are never the reason for an error.
    assert len(WordFiles().words(path)) == 1


def test_align_draws(tiny_bundle, wild, tmp_path):
    done = emendo("align", "-m", tiny_bundle, wild, "--svg", tmp_path / "a.svg")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<line") > 0


BARE = """
import typer
app = typer.Typer(rich_markup_mode=None)
@app.command()
def edit(model: str = "en", level: str = "balanced", diff: bool = False) -> None:
    pass
@app.command()
def serve(port: int = 0) -> None:
    pass
app()
"""


def processor_time(*arguments):
    """Of a child, which a busy machine hardly changes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize(("verb", "figure"), [([], 1.8), (["edit"], 1.2)])
def test_help_answers_at_once(verb, figure):
    """By the time of a program of two verbs that imports typer alone; 1.5 times the figure."""
    runs = [
        (
            processor_time("-c", BARE, *verb, "--help"),
            processor_time("-m", "emendo", *verb, "--help"),
        )
        for _ in range(6)
    ]
    bare, ours = (min(times) for times in zip(*runs, strict=True))
    print(f"{ours:.3f} s, {ours / bare:.2f} times a bare program")
    assert ours < 1.5 * figure * bare


@pytest.mark.parametrize("group", [[], ["batch"], ["data"]])
def test_no_verb_is_cut_off_in_the_list(group):
    _, verbs = emendo(*group, "--help").stdout.decode().split("Commands:")
    assert "..." not in verbs
