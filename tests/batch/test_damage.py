"""One bad file or row costs itself only: it is put aside and reported, and all others are edited."""

import bz2
import gzip
import json
import lzma
import shutil

import pytest

from emendo.batch.estimate import estimate_job
from emendo.batch.running import read_status
from emendo.errors import RequestError
from tests.batch.conftest import read_all, write_parts

LINES = "".join(f"a sentence of words {k}\n" for k in range(2000)).encode()
PACKED = {"gz": gzip.compress(LINES), "bz2": bz2.compress(LINES), "xz": lzma.compress(LINES)}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("damage", ["cut", "garbled"])
def test_a_damaged_archive(run, tmp_path, kind, damage, monkeypatch):
    monkeypatch.setattr("emendo.batch.fragment_editor._PAUSES", ())
    source = tmp_path / "in"
    source.mkdir()
    whole = PACKED[kind]
    half = len(whole) // 2
    damaged = whole[:half] if damage == "cut" else whole[:half] + b"\0" * 40 + whole[half + 40 :]
    (source / f"a.txt.{kind}").write_bytes(damaged)
    (source / "b.txt.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    (source / "c.txt").write_bytes(b"three\n")
    summary = run(source, tmp_path / "out")
    assert read_all(tmp_path / "out")["text"].to_pylist() == ["one", "two", "three"]
    (failure,) = summary.failures
    assert f"a.txt.{kind}" in failure
    assert "unpacked" in failure
    assert "unexpected" not in failure


@pytest.mark.parametrize("size", [0, 4, 100, -20])
@pytest.mark.parametrize("fragment_bytes", [1 << 20, 100])
def test_one_cut_parquet_file_of_four(
    run, corpus, tmp_path, size, fragment_bytes, tiny_bundle, settings, monkeypatch
):
    monkeypatch.setattr("emendo.batch.fragment_editor._PAUSES", ())
    source = write_parts(tmp_path / "in", corpus[:40], 4)
    cut = source / "part=1/001.parquet"
    cut.write_bytes(cut.read_bytes()[:size])
    summary = run(source, tmp_path / "out", fragment_bytes=fragment_bytes)
    assert sorted(read_all(tmp_path / "out")["id"].to_pylist()) == [*range(10), *range(20, 40)]
    (failure,) = summary.failures
    assert failure.startswith("part=1/001.parquet: ")
    assert "Parquet" in failure
    assert read_status(str(tmp_path / "out"))[1].failures == [failure]
    # What it would take can be told by the others.
    assert estimate_job(str(source), str(tmp_path / "no"), [str(tiny_bundle)], settings()).rows > 0


def test_files_that_are_all_bad_are_refused_at_once(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    for path in source.rglob("*.parquet"):
        path.write_bytes(b"PAR1")
    with pytest.raises(RequestError, match=r"000.parquet: .*Parquet"):
        run(source, tmp_path / "out")


def test_a_file_without_the_column(run, tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.csv").write_text("text\none\n")
    (source / "b.csv").write_text("body\ntwo\n")
    (source / "c.csv").write_text("text,text\nthree,four\n")
    summary = run(source, tmp_path / "out")
    assert read_all(tmp_path / "out")["text"].to_pylist() == ["one"]
    assert ["b.csv" in summary.failures[0], "c.csv" in summary.failures[1]] == [True, True]


@pytest.mark.parametrize("place", [1, 1050])
@pytest.mark.parametrize(
    "key",
    ["\\ud800", "emendo_text", "emendo_reason", "emendo_other", "emendo_row", "", "\\u0000"],
    ids=lambda key: key[:20],
)  # fmt: skip
def test_one_bad_key_of_json(run, tmp_path, key, place):
    """The first thousand lines decide what columns there are."""
    lines = [json.dumps({"id": k, "text": "a word"}) for k in range(1100)]
    lines[place] = f'{{"id": {place}, "text": "a word", "{key}": 5}}'
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    summary = run(tmp_path / "in.jsonl", tmp_path / "out")
    assert not summary.failures
    assert summary.counts.rows == 1100
    table = read_all(tmp_path / "out")
    if key == "\\ud800":
        assert summary.counts.bad == {"not UTF-8": 1}
        assert table["id"].to_pylist() == [k for k in range(1100) if k != place]
    else:
        assert table["id"].to_pylist() == list(range(1100))
        names = {*table.column_names}
        value = table.slice(place, 1).to_pylist()[0]
        key = json.loads(f'"{key}"')
        kept = json.loads(value["emendo_other"] or "{}")
        assert kept == {key: 5} or (key in names and value[key] == 5)


@pytest.mark.parametrize("depth", [50, 980, 100_000])
def test_one_deep_value_of_json(run, tmp_path, depth):
    lines = [json.dumps({"text": "a word"}) for _ in range(20)]
    lines[3] = '{"text": "a word", "deep": ' + "[" * depth + "]" * depth + "}"
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    summary = run(tmp_path / "in.jsonl", tmp_path / "out")
    assert not summary.failures
    assert summary.counts.written >= 19


def test_the_output_of_another_job_is_refused(run, tmp_path):
    rows = [json.dumps({"text": "a word", "emendo_text": "a word"}) for _ in range(3)]
    (tmp_path / "in.jsonl").write_text("\n".join(rows))
    with pytest.raises(RequestError, match="output of another job"):
        run(tmp_path / "in.jsonl", tmp_path / "out")
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
