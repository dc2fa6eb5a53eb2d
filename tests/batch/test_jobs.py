"""Jobs in one process: every kind of file and filesystem, what is put aside, what is refused."""

import csv
import gzip
import io
import json
import os
from collections import Counter
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from emendo.batch.fragment_editor import MAX_ATTEMPTS
from emendo.batch.manifest import Manifest
from emendo.batch.running import read_status
from emendo.batch.storage import Folder
from emendo.errors import JobError, RequestError
from tests.batch.conftest import InlinePool, outputs, read_all, write_parts

IS_LONG = bool(os.environ.get("EMENDO_LONG"))


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows, delimiter=","):
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def as_parquet(rows):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink, row_group_size=7)
    return sink.getvalue().to_pybytes()


def as_zst(rows):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(as_jsonl(rows))
    return sink.getvalue().to_pybytes()


KINDS = {
    "rows.parquet": as_parquet,
    "rows.jsonl": as_jsonl,
    "rows.csv": as_csv,
    "rows.tsv": lambda rows: as_csv(rows, "\t"),
    "rows.txt": lambda rows: "".join(row["text"] + "\r\n" for row in rows).encode(),
    "rows.jsonl.gz": lambda rows: gzip.compress(as_jsonl(rows)),
    "rows.jsonl.zst": as_zst,
}


@pytest.fixture(scope="module")
def rows(corpus):
    texts = [text for text in dict.fromkeys(corpus) if text][:30]
    return [{"id": k, "text": text} for k, text in enumerate(texts)]


@pytest.mark.parametrize("where", ["disk", "memory"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_and_filesystem(run, editor, rows, name, where, tmp_path):
    root = str(tmp_path) if where == "disk" else f"memory://{tmp_path.name}"
    with fsspec.open(f"{root}/in/day=1/{name}", "wb", auto_mkdir=True) as file:
        file.write(KINDS[name](rows))
    # In one piece, and in as many as it can be cut into.
    for size in (1 << 20, 300):
        output = f"{root}/out{size}"
        summary = run(f"{root}/in", output, fragment_bytes=size)
        assert summary.is_complete
        assert not summary.failures
        can_be_cut = name in ("rows.parquet", "rows.jsonl", "rows.txt")
        assert (summary.fragments > 2) == (can_be_cut and size == 300)
        folder = Folder(output)
        parts = sorted(part for part in folder.sizes() if not part.startswith("_emendo"))
        assert all(part.startswith("day=1/rows") for part in parts)
        table = pa.concat_tables(
            pq.read_table(pa.BufferReader(folder.read(part))) for part in parts
        )
        assert table["text"].to_pylist() == [row["text"] for row in rows]
        if "id" in table.column_names:
            assert [int(value) for value in table["id"].to_pylist()] == list(range(len(rows)))
        expected = [editor.edit(row["text"]).text for row in rows]
        assert table["emendo_text"].to_pylist() == expected
        assert summary.counts.rows == summary.counts.written == len(rows)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.parquet"])
def test_a_column_that_is_not_there_is_said_with_those_that_are(run, tmp_path, name):
    (tmp_path / name).write_bytes(KINDS[name.replace("a.", "rows.")]([{"id": 1, "text": "A cat."}]))
    with pytest.raises(RequestError, match=r"'txt'.*(columns|fields): id, text.*--column"):
        run(tmp_path / name, tmp_path / "out", column="txt")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").rglob("*.parquet"))


def test_fields_without_a_column_are_kept(run, tmp_path):
    lines = [{"text": "fine", "n": 1, "x": 1, "tags": ["a"], "mixed": 1, "s": "é"}] * 1000
    lines += [
        {
            "text": "fine",
            "n": "no number",
            "x": 2.5,
            "tags": {"b": None},
            "late": [1],
            "mixed": "1",
        },
        {"text": "fine", "n": 2**70, "x": True, "s": "\ud800"},
        {"text": "fine"},
    ]
    lines[3] = {**lines[3], "x": 1.5}
    lines[4] = {**lines[4], "mixed": "one"}
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(lines))
    run(tmp_path / "a.jsonl", tmp_path / "out")
    table = read_all(tmp_path / "out")
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["n"], types["x"], types["s"]) == ("int64", "double", "string")
    back = []
    for row in table.to_pylist():
        found = {name: row[name] for name in ("text", "n", "x", "s") if row[name] is not None}
        found |= {name: json.loads(row[name]) for name in ("tags", "mixed") if row[name]}
        back.append(found | json.loads(row["emendo_other"] or "{}"))
    assert back == lines


def test_long_values_of_csv_are_our_own_affair(run, tmp_path):
    """Python has one limit for the whole process, which others rely on."""
    before = csv.field_size_limit()
    text = "I like a dog. " * 15_000
    (tmp_path / "a.csv").write_bytes(
        as_csv([{"id": "1", "text": text}, {"id": "2", "text": "Hi."}])
    )
    summary = run(tmp_path / "a.csv", tmp_path / "out", max_characters=300_000)
    assert summary.counts.rows == 2
    assert summary.counts.bad == {}
    assert csv.field_size_limit() == before


def test_rows_of_csv_that_are_none(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(
        b"\xef\xbb\xbfid,text\r\n"
        b'1,"two\r\nlines, one row"\r\n'
        b"2,\xff\xfe\r\n"
        b"3\r\n"
        b"\r\n"
        b"4,fine\r\n"
        b'5,"never closed\r\n' + b"6,swallowed\r\n" * 40_000
    )
    summary = run(tmp_path / "a.csv", tmp_path / "out")
    assert read_all(tmp_path / "out")["text"].to_pylist()[:2] == ["two\r\nlines, one row", "fine"]
    bad = pq.read_table(tmp_path / "out/_emendo/bad_rows/a.csv.parquet").to_pylist()
    assert bad[0]["emendo_raw"] == b"2,\xff\xfe\r\n"
    assert bad[0]["emendo_reason"] == "not UTF-8"
    assert bad[0]["emendo_row"] == 1
    assert bad[1]["emendo_reason"] == "another number of fields than the header"
    # Of what a quote swallowed, each line is there.
    assert sum(row["emendo_raw"] == b"6,swallowed" for row in bad) > 20_000
    assert summary.counts.rows == summary.counts.written + len(bad)


def test_a_quote_that_is_never_closed_costs_its_own_line_only(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(
        b'id,text\n1,"two\nlines"\n2,"open\n3,foo\n4,a ""quote"" here\n5,bar\n'
    )
    summary = run(tmp_path / "a.csv", tmp_path / "out")
    texts = read_all(tmp_path / "out")["text"].to_pylist()
    assert texts == ["two\nlines", "foo", 'a ""quote"" here', "bar"]
    (bad,) = pq.read_table(tmp_path / "out/_emendo/bad_rows/a.csv.parquet").to_pylist()
    assert (bad["emendo_raw"], bad["emendo_reason"]) == (b'2,"open', "not CSV")
    assert summary.counts.rows == 5


def test_malformed_rows_are_put_aside_and_the_rest_is_right(run, editor, corpus, tmp_path):
    """1,000 among 100,000; in the short form ten times fewer among 4,000."""
    count, every = (100_000, 100) if IS_LONG else (4000, 40)
    nasty = [
        (b'{"text": null, "id": 1}', "null"),
        (b'{"id": 1}', "null"),
        (b'{"text": 12, "id": 1}', "not text"),
        (b'{"text": ["a"], "id": 1}', "not text"),
        (b'{"text": "\xff", "id": 1}', "not UTF-8"),
        (b'{"text": "\\ud800", "id": 1}', "not UTF-8"),
        (b'{"text": "cut of', "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (json.dumps({"text": "x" * 500}).encode(), "too long"),
        (b"{" * 5000, "not JSON"),
    ]
    lines, expected, good = [], [], []
    for k in range(count):
        if k % every == 7:
            line, reason = nasty[len(expected) % len(nasty)]
            expected.append((k, reason, line))
            lines.append(line)
        else:
            lines.append(json.dumps({"id": k, "text": corpus[k % len(corpus)]}).encode())
            good.append(k)
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    summary = run(tmp_path / "a.jsonl", tmp_path / "out", max_characters=400)
    assert summary.is_complete
    bad = pq.read_table(tmp_path / "out/_emendo/bad_rows/a.jsonl.parquet").to_pylist()
    assert [(row["emendo_row"], row["emendo_reason"]) for row in bad] == [
        (k, reason) for k, reason, _ in expected
    ]
    assert all(
        row["emendo_raw"] in (line, None) for row, (_, _, line) in zip(bad, expected, strict=True)
    )
    assert summary.counts.bad == Counter(reason for _, reason, _ in expected)
    table = read_all(tmp_path / "out")
    assert table["id"].to_pylist() == good
    right = {
        text: edited.text for text, edited in zip(corpus, editor.edit_many(corpus), strict=True)
    }
    assert table["emendo_text"].to_pylist() == [right[corpus[k % len(corpus)]] for k in good]


def test_lines_that_never_end_take_no_memory(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"fine\n" + b"x" * (5 << 20) + b"\nfine")
    for size in (1 << 30, 1 << 20):
        summary = run(tmp_path / "a.txt", tmp_path / f"out{size}", fragment_bytes=size)
        assert summary.counts.bad == {"line too long": 1}
        assert read_all(tmp_path / f"out{size}")["text"].to_pylist() == ["fine", "fine"]


def test_a_folder_belongs_to_one_job(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    output = tmp_path / "out"
    run(source, output)
    with pytest.raises(RequestError, match="another job: only_changed was False and is True"):
        run(source, output, only_changed=True)
    (source / "part=0/more.parquet").write_bytes((source / "part=0/000.parquet").read_bytes())
    with pytest.raises(RequestError, match=r"files have changed \(2 before, 3 now"):
        run(source, output)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").touch()
    with pytest.raises(RequestError, match="not empty"):
        run(source, tmp_path / "taken")
    with pytest.raises(RequestError, match="overlap; choose"):
        run(source, source / "out")
    with pytest.raises(RequestError, match="no column 'body'; columns: id, text"):
        run(source, tmp_path / "other", column="body")
    with pytest.raises(RequestError, match="no such file"):
        run(tmp_path / "nothing", tmp_path / "other")
    with pytest.raises(RequestError, match="cannot be reached"):
        run("nosuch://bucket/x", tmp_path / "other")
    with pytest.raises(RequestError, match="is not an output of"):
        read_status(str(source))


def test_output_that_was_lost_is_made_again(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:40], 4)
    output = tmp_path / "out"
    run(source, output)
    whole = outputs(output)
    (output / "part=0/000.parquet").unlink()
    (output / "part=1/001.parquet").write_bytes(b"cut short")
    summary = run(source, output)
    assert summary.is_complete
    assert outputs(output) == whole


def test_a_damaged_file_does_not_stop_the_others(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:40], 4)
    damaged = source / "part=1/001.parquet"
    content, stamp = damaged.read_bytes(), damaged.stat()
    damaged.write_bytes(b"PAR1" + bytes(len(content) - 4))
    os.utime(damaged, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    summary = run(source / "part=[02]", tmp_path / "pattern")
    assert summary.counts.rows == 30
    damaged.write_bytes(content)
    os.utime(damaged, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    class Damaging(InlinePool):
        def outcomes(self, fragments, on_rows):
            damaged.write_bytes(b"PAR1" + bytes(len(content) - 4))
            yield from super().outcomes(fragments, on_rows)

    output = tmp_path / "out"
    summary = run(source, output, open_pool=Damaging)
    assert not summary.is_complete
    assert [failure.split(":")[0] for failure in summary.failures] == ["part=1/001.parquet"]
    assert read_status(str(output))[1].failures == summary.failures
    assert "part=1/001.parquet" in (output / "_emendo/report.html").read_text()
    damaged.write_bytes(content)
    os.utime(damaged, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    summary = run(source, output)
    assert summary.is_complete
    assert read_all(output).num_rows == 40


def test_a_fragment_that_kills_workers_is_put_aside(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    output = tmp_path / "out"

    class Deadly(InlinePool):
        def outcomes(self, fragments, on_rows):
            manifest = Manifest(Folder(str(output)))
            for _ in range(MAX_ATTEMPTS):
                manifest.begin_attempt(1)
            yield from super().outcomes(fragments, on_rows)

    summary = run(source, output, open_pool=Deadly)
    assert summary.done == 1
    assert "workers crashed" in summary.failures[0]
    assert run(source, output).is_complete


def test_no_room_stops_the_job(run, corpus, tmp_path, monkeypatch):
    source = write_parts(tmp_path / "in", corpus[:20], 2)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("emendo.batch.storage.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        run(source, tmp_path / "out")
    monkeypatch.undo()
    run(source, tmp_path / "done")

    class Full(InlinePool):
        def outcomes(self, fragments, on_rows):
            monkeypatch.setattr("emendo.batch.storage.os.fsync", full)
            yield from super().outcomes(fragments, on_rows)

    with pytest.raises(JobError, match=r"no space is left .* 0 of 2 fragments done"):
        run(source, tmp_path / "out", open_pool=Full)
    monkeypatch.undo()
    assert not list((tmp_path / "out").rglob("[0-9]*.parquet"))
    run(source, tmp_path / "out")
    assert outputs(tmp_path / "out") == outputs(tmp_path / "done")


def test_entries_are_gathered(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("emendo.batch.running.GATHER_AT", 2)
    monkeypatch.setattr("emendo.batch.manifest.GATHER_AT", 3)
    source = write_parts(tmp_path / "in", corpus[:14], 7)
    summary = run(source, tmp_path / "out")
    state = tmp_path / "out/_emendo"
    assert not list((state / "manifest").glob("*"))
    manifest = Manifest(Folder(str(tmp_path / "out")))
    assert sorted(entry.number for entry in manifest.read()) == list(range(7))
    # Twice in the manifest is once.
    (gathered, *_) = (state / "gathered").glob("*")
    (state / "gathered/again.jsonl").write_bytes(gathered.read_bytes())
    assert read_status(str(tmp_path / "out"))[1].counts == summary.counts
    assert not (state / "drafts").exists()


def test_the_report_shows_what_was_done(run, tmp_path):
    (tmp_path / "a.txt").write_text("had had <b>\n" * 3 + "a new network\n", encoding="utf-8")
    run(tmp_path / "a.txt", tmp_path / "out", sample=0.9)
    page = Path(tmp_path / "out/_emendo/report.html").read_text(encoding="utf-8")
    for word in ("rows read", "core-hours", "Edits by type", "Edits by confidence", "padding"):
        assert word in page
    assert "<b>" not in page


def test_each_fragment_draws_a_sample_of_its_own(run, corpus, tmp_path):
    """Else the same rows of every file would be taken, and the others of none."""
    write_parts(tmp_path / "in", [f"{k}" for k in range(120)], 3)
    run(tmp_path / "in", tmp_path / "out", sample=0.5)
    taken = read_all(tmp_path / "out")["id"].to_pylist()
    places = [{k % 40 for k in taken if k // 40 == part} for part in range(3)]
    assert all(places)
    assert len({frozenset(each) for each in places}) == 3


def test_a_fragment_is_committed_after_its_data(run, corpus, tmp_path, monkeypatch):
    """A kill in between must leave a fragment that is done again, not one that is missing."""
    write_parts(tmp_path / "in", corpus[:30], 3)
    commit = Manifest.commit
    seen = []

    def check(self, entry):
        data = tmp_path / "out" / entry.output
        seen.append(data.is_file() and data.stat().st_size == entry.output_bytes)
        commit(self, entry)

    monkeypatch.setattr(Manifest, "commit", check)
    run(tmp_path / "in", tmp_path / "out")
    assert seen == [True] * 3
