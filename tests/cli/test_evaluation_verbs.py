"""`emendo score`, `emendo compare`, `emendo analyze`, as a person runs them."""

import json
import os
import re
import subprocess
import sys

import pytest

M2 = """S I has two dog .
A 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0

S It is fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gold.m2").write_text(M2)
    (tmp_path / "source.txt").write_text("I has two dog .\nIt is fine .\n")
    (tmp_path / "gold.txt").write_text("I have two dogs .\nIt is fine .\n")
    (tmp_path / "half.txt").write_text("I have two dog .\nIt is fine .\n")
    (tmp_path / "short.txt").write_text("I have two dog .\n")
    return tmp_path


def emendo(folder, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "emendo", *arguments],
        cwd=folder,
        check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
    )


@pytest.mark.parametrize(
    ("metric", "reference", "headline"),
    [
        ("m2", "gold.m2", "f0.5"),
        ("gleu", "gold.txt", "gleu"),
        ("em", "gold.m2", "em"),
        ("sari", "gold.txt", "sari"),
        ("sari-geva", "gold.txt", "sari"),
    ],
)
def test_score(folder, metric, reference, headline):
    options = ["--metric", metric, "--reference", reference, "--source", "source.txt", "--json"]
    half, gold = (
        json.loads(emendo(folder, "score", "--hypothesis", f"{name}.txt", *options).stdout)
        for name in ("half", "gold")
    )
    assert half[headline] < gold[headline]
    assert gold["sentences"] == 2
    # Xu's SARI gives nothing for operations that are not called for.
    assert gold[headline] == 100 or metric == "sari"


def test_score_in_words(folder):
    done = emendo(folder, "score", "-m", "m2", "-r", "gold.m2", "-y", "half.txt")
    assert done.stdout.startswith("precision 100.00  recall 50.00  f0.5 83.33  (")
    assert done.stdout.endswith("2 sentences\n")


def test_compare(folder):
    done = emendo(folder, "compare", "half.txt", "gold.txt", "-m", "m2", "-r", "gold.m2", "--json")
    first, second = json.loads(done.stdout)["systems"]
    assert (first["name"], first["difference"]) == ("half", None)
    assert second["difference"]["value"] == pytest.approx(16.67, abs=0.01)
    table = emendo(folder, "compare", "half.txt", "gold.txt", "-m", "m2", "-r", "gold.m2").stdout
    assert "MaxMatch on gold.m2" in table


def test_systems_of_one_name_are_told_apart(folder):
    for name in ("a/run.txt", "b/run.txt", "run.1", "run.2"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text((folder / "half.txt").read_text())
    done = emendo(
        folder,
        *["compare", "a/run.txt", "b/run.txt", "run.1", "run.2", "-m", "m2", "-r", "gold.m2"],
        "--json",
    )
    names = [system["name"] for system in json.loads(done.stdout)["systems"]]
    assert names == ["a/run.txt", "b/run.txt", "run.1", "run.2"]


def test_a_piped_table_is_whole(folder):
    name = f"[b]a:x:{'long' * 30}"
    (folder / f"{name}.txt").write_text((folder / "half.txt").read_text())
    done = emendo(folder, "compare", f"{name}.txt", "gold.txt", "-m", "m2", "-r", "gold.m2")
    (row,) = [line for line in done.stdout.splitlines() if "83.33" in line]
    assert name in row
    (row,) = [line for line in done.stdout.splitlines() if "+16.67" in line]
    assert "+16.67 (+0.00 to +16.67)" in row
    assert "…" not in done.stdout
    assert done.stdout.endswith("\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals to be had")
@pytest.mark.parametrize("columns", ["10", "80"])
def test_a_narrow_terminal_gets_every_digit(folder, columns):
    import pty

    reader, writer = pty.openpty()
    with os.fdopen(reader, "rb", buffering=0) as terminal:
        done = emendo(
            folder,
            *["compare", "half.txt", "gold.txt", "-m", "m2", "-r", "gold.m2"],
            stdout=writer,
            env={**os.environ, "COLUMNS": columns, "TERM": "xterm"},
        )
        os.close(writer)
        shown = re.sub(r"\x1b\[[\d;]*m", "", terminal.read(100_000).decode())
    assert done.returncode == 0, done.stderr
    for word in ("precision", "difference", "83.33–100.00", "100.00–100.00", "+16.67", "1.000"):
        assert word in shown.split(), shown
    assert columns == "10" or all(len(line) <= 80 for line in shown.splitlines())


def test_pages(folder, errant):
    done = emendo(
        folder, "compare", "half.txt", "gold.txt", "-r", "gold.m2", "--page", "compared.html"
    )
    assert done.returncode == 0, done.stderr
    page = (folder / "compared.html").read_text()
    # In the table and in the figure; "half" also as what p-values are held against.
    assert (page.count(">half<"), page.count(">gold<"), page.count("against half,")) == (2, 2, 1)
    done = emendo(
        folder,
        *["analyze", "half.txt", "-r", "gold.m2", "--tags-from", "gold.m2"],
        *["--page", "report.html", "--json"],
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["split"]["missing"] == 1
    assert "“Outside”" in (folder / "report.html").read_text()
    clean = emendo(folder, "analyze", "half.txt", "-s", "source.txt", "--page", "clean.html")
    assert clean.returncode == 0, clean.stderr
    assert "half: precision 0.00" in clean.stdout
    assert "utside" not in (folder / "clean.html").read_text()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_figures_are_printed_before_the_page_is_written(folder, errant):
    for verb in ("compare", "analyze"):
        done = emendo(folder, verb, "half.txt", "-r", "gold.m2", "--page", "/dev/full")
        assert (done.returncode, done.stderr) == (2, "emendo: [Errno 28] No space left on device\n")
        assert "83.33" in done.stdout


@pytest.mark.parametrize("verb", ["compare", "analyze"])
@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("nowhere/x.html", "there is no folder nowhere"),
        (".", "is a folder"),
        ("half.txt", "is one of the inputs"),
        ("../{folder}/gold.m2", "is one of the inputs"),
    ],
)
def test_a_page_that_cannot_be_is_refused_before_the_work(folder, verb, page, message):
    before = (folder / "half.txt").read_text()
    page = page.format(folder=folder.name)
    done = emendo(folder, verb, "half.txt", "-r", "gold.m2", "--page", page)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "half.txt").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "m2", "-r", "gold.m2", "-y", "short.txt"], "short.txt has 1 sentences, the test"),
        (["-m", "m2", "-s", "source.txt", "-r", "gold.txt", "-y", "half.txt"], "an .m2 file"),
        (["-m", "gleu", "-r", "gold.txt", "-y", "half.txt"], "need --source"),
        (["-m", "gleu", "-r", "gold.m2", "-s", "gold.txt", "-y", "half.txt"], "leave --source out"),
        (["-m", "gleu", "-r", "nowhere.m2", "-y", "half.txt"], "nowhere.m2"),
        (["-m", "gleu", "-r", "gold.m2", "-r", "gold.txt", "-y", "half.txt"], "not both"),
        (["-m", "gleu", "-s", "source.txt", "-y", "half.txt"], "give --reference"),
        (["-m", "gleu", "-r", "gold.m2", "-y", "latin.txt"], "latin.txt is not UTF-8"),
        (["-m", "gleu", "-r", "bad.m2", "-y", "half.txt"], "bad.m2, line 1: expected S"),
        (["-m", "gleu", "-r", "empty.m2", "-y", "half.txt"], "empty.m2 has no sentences"),
    ],
)
def test_mistakes_are_told_without_a_traceback(folder, arguments, message):
    (folder / "latin.txt").write_bytes(b"na\xefve\nfine\n")
    (folder / "bad.m2").write_text("I has two dog .\n")
    (folder / "empty.m2").write_text("")
    done = emendo(folder, "score", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_to_hold_outputs_against(folder):
    done = emendo(folder, "compare", "half.txt", "gold.txt", "-s", "source.txt")
    assert (done.returncode, "give --reference" in done.stderr) == (2, True)
    done = emendo(folder, "analyze", "half.txt", "--page", "report.html")
    assert (done.returncode, "or --source alone" in done.stderr) == (2, True)
