"""One fragment at a time, with an editor whose every edit is known."""

import hashlib
import json
import os
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from emendo import Editor, Editors
from emendo.batch.fragment_editor import FragmentEditor, pin_threads
from emendo.batch.fragments import JSONL, PARQUET, TEXT, Fragment
from emendo.batch.job import Job, JobSettings
from emendo.batch.manifest import Manifest
from emendo.batch.storage import Folder
from emendo.bundle import Level
from emendo.errors import BundleError
from tests.scribe import Scribe

MODEL, MODEL_ID = "en", "the id of en"


@pytest.fixture
def scribe():
    return Scribe()


@pytest.fixture
def options(scribe, monkeypatch):
    """Put the scribe in the place of all models, and return the options for loading them."""
    options = {}

    def load(models, **given):
        assert list(models) == [MODEL]
        options.update(given)
        return Editors([Editor(scribe, levels={"balanced": Level()}, cache_size=0)])

    monkeypatch.setattr("emendo.batch.fragment_editor.load_editors", load)
    monkeypatch.setattr("emendo.batch.fragment_editor.model_id", lambda model: MODEL_ID)
    return options


@pytest.fixture
def open_editor(options, tmp_path):
    """Return a function that opens an editor of the fragments of `in`, which writes to `out`."""

    def open_editor(model_id=MODEL_ID, backend="onnx", **settings):
        job = Job(
            "an id",
            Folder(str(tmp_path / "in")),
            Folder(str(tmp_path / "out")),
            (MODEL,),
            (model_id,),
            "balanced",
            backend,
            "fp32",
            JobSettings(**settings),
        )
        return FragmentEditor(job)

    (tmp_path / "in").mkdir()
    return open_editor


@pytest.fixture
def manifest(tmp_path):
    return Manifest(Folder(str(tmp_path / "out")))


@pytest.fixture
def clock(monkeypatch):
    """A clock that begins at 100 seconds and moves only when somebody sleeps or sets it."""
    clock = SimpleNamespace(now=100.0, slept=[])
    monkeypatch.setattr(
        "emendo.batch.fragment_editor.time",
        SimpleNamespace(
            perf_counter=lambda: clock.now, time=lambda: 5000.0, sleep=clock.slept.append
        ),
    )
    return clock


def fragment(name, kind=TEXT, *, number=0, start=0, stop=-1):
    return Fragment(number, name, kind, 100, start, stop, f"{name}.parquet")


def write(folder, name, *lines):
    (folder / "in" / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def bad_rows(folder, name):
    table = pq.read_table(folder / f"out/_emendo/bad_rows/{name}.parquet")
    return [(row["emendo_row"], row["emendo_offset"]) for row in table.to_pylist()]


def test_a_fragment_becomes_a_file_and_an_entry(open_editor, manifest, clock, scribe, tmp_path):
    def take_a_while(sentences):
        clock.now = 101.23456

    scribe.before = take_a_while
    write(tmp_path, "a.txt", "This is teh dog.", "Fine.")
    outcome = open_editor().run(fragment("a.txt"))
    content = (tmp_path / "out/a.txt.parquet").read_bytes()
    table = pq.read_table(pa.BufferReader(content))
    assert table["emendo_text"].to_pylist() == ["This is the dog.", "Fine."]
    entry = outcome.entry
    assert (entry.number, entry.output, entry.size) == (0, "a.txt.parquet", 100)
    assert entry.output_bytes == len(content)
    assert entry.sha256 == hashlib.sha256(content).hexdigest()
    assert entry.seconds == 1.235
    assert entry.finished == 5000.0
    assert (entry.counts.rows, entry.counts.written, entry.counts.changed) == (2, 2, 1)
    assert manifest.find(0) == entry


def test_a_model_that_is_another_is_refused(open_editor):
    with pytest.raises(BundleError, match="en is not the model with which this job started"):
        open_editor(model_id="the id of another")


def test_a_worker_takes_one_thread_and_remembers_nothing(open_editor, options):
    """What a cache knows decides which sentences share a batch."""
    open_editor()
    assert options["threads"] == 1
    assert options["cache_size"] == 0


def test_a_worker_has_one_thread_in_each_library(monkeypatch):
    names = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"]
    for name in (*names, "TOKENIZERS_PARALLELISM"):
        monkeypatch.setenv(name, "7")
    before = pa.cpu_count(), pa.io_thread_count()
    try:
        pin_threads()
        assert [os.environ[name] for name in names] == ["1"] * 4
        assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
        assert (pa.cpu_count(), pa.io_thread_count()) == (1, 1)
    finally:
        pa.set_cpu_count(before[0])
        pa.set_io_thread_count(before[1])


def test_a_fragment_is_tried_three_times_while_workers_crash(open_editor, manifest, tmp_path):
    """The fourth crash is one too many."""
    write(tmp_path, "a.txt", "Fine.")
    editor = open_editor()
    for number, crashes in enumerate((3, 4)):
        for _ in range(crashes):
            manifest.begin_attempt(number)
    assert editor.run(fragment("a.txt")).entry
    outcome = editor.run(fragment("a.txt", number=1))
    assert outcome.entry is None
    assert outcome.failure == "a.txt: 4 workers crashed or disappeared while editing it"
    assert manifest.failures() == [{"number": 1, "reason": outcome.failure}]


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_cannot_be_reached_is_tried_again(
    open_editor, manifest, clock, monkeypatch, tmp_path, times
):
    write(tmp_path, "a.txt", "Fine.")
    errors = [ConnectionResetError("the line is dead")] * times
    open_file = Folder.open

    def fail_at_first(folder, name):
        if errors:
            raise errors.pop()
        return open_file(folder, name)

    monkeypatch.setattr(Folder, "open", fail_at_first)
    assert open_editor().run(fragment("a.txt")).entry
    assert len(clock.slept) == times
    assert clock.slept == sorted(clock.slept)
    assert manifest.failures() == []


def test_a_file_that_can_never_be_reached_is_put_aside(
    open_editor, manifest, clock, monkeypatch, tmp_path
):
    def fail(folder, name):
        raise ConnectionResetError("the line is dead")

    monkeypatch.setattr(Folder, "open", fail)
    outcome = open_editor().run(fragment("a.txt"))
    assert outcome.failure == "a.txt: ConnectionResetError: the line is dead"
    assert len(clock.slept) == 2
    assert manifest.failures() == [{"number": 0, "reason": outcome.failure}]


def test_a_file_that_is_gone_is_put_aside_at_once(open_editor, manifest, clock):
    outcome = open_editor().run(fragment("a.txt"))
    assert outcome.failure.startswith("a.txt: FileNotFoundError: ")
    assert clock.slept == []
    assert [each["number"] for each in manifest.failures()] == [0]


def test_an_unexpected_error_is_told_by_its_place_alone(open_editor, manifest, scribe, tmp_path):
    def fail(sentences):
        raise KeyError(sentences[0])

    scribe.before = fail
    write(tmp_path, "a.txt", "A secret.")
    outcome = open_editor().run(fragment("a.txt"))
    line = fail.__code__.co_firstlineno + 1
    assert outcome.failure == f"a.txt: unexpected KeyError at line {line} of {__file__}"
    assert manifest.failures() == [{"number": 0, "reason": outcome.failure}]


def test_a_full_disk_behind_another_error_stops_the_job(open_editor, manifest, scribe, tmp_path):
    """Libraries wrap the error in one of their own."""

    def fail(sentences):
        raise RuntimeError("cannot write") from OSError(28, "No space left on device")

    scribe.before = fail
    write(tmp_path, "a.txt", "Fine.")
    outcome = open_editor().run(fragment("a.txt"))
    assert outcome.stop == f"no space is left in {tmp_path / 'out'}"
    assert outcome.failure == ""
    assert manifest.failures() == []


def test_a_full_disk_is_not_tried_again(open_editor, manifest, clock, scribe, tmp_path):
    def fail(sentences):
        raise OSError(28, "No space left on device")

    scribe.before = fail
    write(tmp_path, "a.txt", "Fine.")
    assert open_editor().run(fragment("a.txt")).stop
    assert clock.slept == []
    assert manifest.failures() == []


def test_rows_of_parquet_are_counted_from_the_start_of_the_file(open_editor, tmp_path):
    texts = ["Fine.", None, "Fine.", "Fine.", None]
    pq.write_table(pa.table({"text": texts}), tmp_path / "in/a.parquet")
    editor = open_editor()
    assert editor.run(fragment("a.parquet", PARQUET, start=2, stop=5)).entry.counts.rows == 3
    assert bad_rows(tmp_path, "a.parquet") == [(4, 0)]


def test_lines_are_counted_from_the_byte_where_the_fragment_starts(open_editor, tmp_path):
    first = json.dumps({"text": "Fine."})
    write(tmp_path, "a.jsonl", first, first, "no JSON", first, "[]")
    start = len(first) + 1
    entry = open_editor().run(fragment("a.jsonl", JSONL, start=start)).entry
    assert (entry.counts.rows, entry.counts.written) == (4, 2)
    assert bad_rows(tmp_path, "a.jsonl") == [(1, start), (3, start)]


def test_tokens_and_padding_are_those_of_the_fragment(open_editor, options, scribe, tmp_path):
    masks = {"One.": [[1, 1, 1], [1, 0, 0]], "Two.": [[1, 1, 1, 0]]}
    write(tmp_path, "a.txt", "One.")
    write(tmp_path, "b.txt", "Two.")
    scribe.before = lambda sentences: options["on_batch"](
        SimpleNamespace(attention_mask=np.array(masks[sentences[0]])), "en"
    )
    editor = open_editor()
    counts = editor.run(fragment("a.txt")).entry.counts
    assert (counts.tokens, counts.padding) == (6, 2)
    counts = editor.run(fragment("b.txt", number=1)).entry.counts
    assert (counts.tokens, counts.padding) == (4, 1)


@pytest.mark.parametrize(
    ("rows", "tokens", "read"), [(1, 8, 8), (5, 3, 48), (5, 9, 96), (7, 17, 192)]
)
def test_shapes_of_openvino_count_as_padding(
    open_editor, options, scribe, tmp_path, rows, tokens, read
):
    """It reads 1, 2, 3, 4, 6, 8 and so on rows of 8, 16, 24 and so on tokens."""
    write(tmp_path, "a.txt", "Fine.")
    scribe.before = lambda sentences: options["on_batch"](
        SimpleNamespace(attention_mask=np.ones((rows, tokens), int)), "en"
    )
    counts = open_editor(backend="openvino").run(fragment("a.txt")).entry.counts
    assert (counts.tokens, counts.padding) == (read, read - rows * tokens)


def test_which_rows_a_sample_takes_never_changes(open_editor, tmp_path):
    """A job that an earlier version began goes on with the same rows."""
    write(tmp_path, "a.txt", *map(str, range(20)))
    open_editor(sample=0.3).run(fragment("a.txt"))
    table = pq.read_table(tmp_path / "out/a.txt.parquet")
    assert table["text"].to_pylist() == ["1", "2", "5", "6", "12", "13", "15"]


def groups(folder, name):
    footer = pq.read_metadata(folder / f"out/{name}.parquet")
    return [footer.row_group(k).num_rows for k in range(footer.num_row_groups)]


def test_a_small_file_is_one_row_group(open_editor, monkeypatch, tmp_path):
    monkeypatch.setattr("emendo.batch.record_batches._PORTION_ROWS", 2)
    write(tmp_path, "a.txt", *["Fine."] * 9)
    seen = []
    open_editor().run(fragment("a.txt"), seen.append)
    assert groups(tmp_path, "a.txt") == [9]
    assert seen == [2, 2, 2, 2, 1]


@pytest.mark.parametrize(
    ("limit", "value", "expected"), [("_GROUP_ROWS", 4, [4, 4, 1]), ("_GROUP_BYTES", 1, [1] * 9)]
)
def test_row_groups_have_limits(open_editor, monkeypatch, tmp_path, limit, value, expected):
    monkeypatch.setattr("emendo.batch.record_batches._PORTION_ROWS", 1)
    monkeypatch.setattr(f"emendo.batch.fragment_editor.{limit}", value)
    write(tmp_path, "a.txt", *["Fine."] * 9)
    open_editor().run(fragment("a.txt"))
    assert groups(tmp_path, "a.txt") == expected


def test_examples_have_a_little_of_the_text_around_them(open_editor, tmp_path):
    write(tmp_path, "a.txt", "Is teh dog here?", "left " * 20 + "teh" + " right" * 20)
    near, far = open_editor().run(fragment("a.txt")).entry.examples
    assert near == ("spelling", "Is ", "teh", "the", " dog here?")
    assert far == ("spelling", "left " * 8, "teh", "the", (" right" * 20)[:40])


def test_thirty_edits_of_the_first_twenty_fragments_are_examples(open_editor, tmp_path):
    write(tmp_path, "a.txt", *[f"Is teh dog {k} here?" for k in range(35)])
    editor = open_editor()
    for number, count in ((0, 30), (19, 30), (20, 0), (21, 0)):
        examples = editor.run(fragment("a.txt", number=number)).entry.examples
        assert [each.after for each in examples] == [f" dog {k} here?" for k in range(count)]
