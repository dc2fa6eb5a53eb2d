"""The pure function: what it adds, what it puts aside, and that it is pure."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from emendo import Editor, Editors
from emendo.batch import edit_batches, record_batches
from emendo.batch.counts import Counts
from emendo.batch.record_batches import RowSettings
from emendo.errors import RequestError
from emendo.text import Edit
from emendo.text.edits import apply_edits
from tests.inference.test_editors import ENGLISH, FRENCH, GERMAN, RUSSIAN, Stamp


def table_of(done, part="rows"):
    return pa.Table.from_batches([getattr(each, part) for each in done])


def test_columns_are_added_and_others_kept(editor, corpus):
    rows = pa.table({"id": range(200), "text": corpus[:200], "tags": [["a", None]] * 200})
    done = list(edit_batches(rows.to_batches(), editor, RowSettings(models=("m",))))
    out = table_of(done)
    assert out.select(rows.column_names).equals(rows)
    for source, text, edits, score in zip(
        *(
            out[name].to_pylist()
            for name in ("text", "emendo_text", "emendo_edits", "emendo_score")
        ),
        strict=True,
    ):
        made = [Edit(e["start"], e["end"], e["replacement"]) for e in edits]
        assert apply_edits(source, made) == text
        assert score == min((e["confidence"] for e in edits), default=1.0)
        assert all(e["type"] for e in edits)
    assert set(out["emendo_model"].to_pylist()) == {"m"}
    assert set(out["emendo_level"].to_pylist()) == {"balanced"}
    expected = [editor.edit(text) for text in corpus[:200]]
    assert out["emendo_text"].to_pylist() == [edited.text for edited in expected]
    changed = sum(bool(edited.edits) for edited in expected)
    assert sum(each.counts.changed for each in done) == changed > 0


def test_how_the_input_is_cut_makes_no_difference(editor, corpus, monkeypatch):
    monkeypatch.setattr(record_batches, "_PORTION_ROWS", 64)
    monkeypatch.setattr(record_batches, "_PORTION_BYTES", 2000)
    table = pa.table({"text": corpus})
    whole = table_of(edit_batches(table.to_batches(), editor))
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.choice(len(corpus), 40, replace=False))
    bounds = [0, *cuts.tolist(), len(corpus)]
    pieces = [
        batch
        for low, high in pairwise(bounds)
        for batch in table.slice(low, high - low).to_batches()
    ]
    assert table_of(edit_batches(pieces, editor)).equals(whole)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_texts_of_every_type(editor, kind):
    texts = pa.array(["had had", None, "x" * 50, "fine"]).cast(kind)
    (done,) = edit_batches(
        [pa.record_batch({"text": texts})], editor, RowSettings(max_characters=40)
    )
    assert done.rows.num_rows == 2
    if kind != pa.string_view():
        assert done.rows.column("text").type == kind
    assert done.bad.column("emendo_row").to_pylist() == [1, 2]
    assert done.bad.column("emendo_reason").to_pylist() == ["null", "too long"]
    assert done.counts.bad == {"null": 1, "too long": 1}


def test_bytes_that_are_no_text_are_put_aside(editor):
    values = pa.array([b"fine", b"\xff\xfe", "Zoë".encode()], pa.binary())
    # A file may say that it holds text, and not do so.
    texts = pa.StringArray.from_buffers(3, *values.buffers()[1:])
    (done,) = edit_batches([pa.record_batch({"text": texts})], editor)
    assert done.bad.column("emendo_row").to_pylist() == [1]
    assert done.bad.column("emendo_reason").to_pylist() == ["not UTF-8"]
    assert done.rows.column("text").to_pylist() == ["fine", "Zoë"]


def test_only_what_changed(editor, corpus):
    rows = pa.table({"text": corpus[:200]}).to_batches()
    (every,) = edit_batches(rows, editor)
    (some,) = edit_batches(rows, editor, RowSettings(only_changed=True))
    assert some.rows.num_rows == every.counts.changed
    assert all(some.rows.column("emendo_edits").to_pylist())
    assert some.counts.is_complete()


def test_only_sure_edits(editor, corpus):
    rows = pa.table({"text": corpus[:200]}).to_batches()
    (done,) = edit_batches(rows, editor, RowSettings(min_confidence=0.9))
    (every,) = edit_batches(rows, editor)
    scores = done.rows.column("emendo_score").to_pylist()
    assert min(scores) >= 0.9 > min(every.rows.column("emendo_score").to_pylist())


def test_a_sample_is_always_the_same(editor, corpus):
    rows = pa.table({"id": range(200), "text": corpus[:200]}).to_batches(max_chunksize=100)
    (once,) = edit_batches(rows, editor, RowSettings(sample=0.1), seed=3)
    (again,) = edit_batches(rows, editor, RowSettings(sample=0.1), seed=3)
    assert once.rows.equals(again.rows)
    assert 10 < once.rows.num_rows < 60
    assert once.counts.not_sampled == 200 - once.rows.num_rows
    assert once.counts.is_complete()


def test_columns_that_cannot_be_edited(editor):
    with pytest.raises(RequestError, match="no column 'text'; columns: body"):
        next(edit_batches([pa.record_batch({"body": ["x"]})], editor))
    with pytest.raises(RequestError, match="int64, not text"):
        next(edit_batches([pa.record_batch({"text": [1]})], editor))
    with pytest.raises(RequestError, match="already has emendo_text"):
        next(edit_batches([pa.record_batch({"text": ["x"], "emendo_text": ["x"]})], editor))


def test_counts_add_up():
    one = Counts(rows=2, written=1, bad={"null": 1}, edits={"spelling": 2}, tokens=10, padding=1)
    total = Counts()
    total += Counts.from_dict(one.to_dict())
    total += one
    assert total.rows == 4
    assert total.bad["null"] == 2
    assert total.padding_share == 0.1
    assert total.is_complete()


def test_each_row_names_the_model_that_read_it():
    """Three models in one job; a row of two languages has the model of the larger part."""
    rows = {
        ENGLISH: "en",
        GERMAN: "de",
        RUSSIAN: "ru",
        f"{GERMAN}\n\n{GERMAN}\n\n{ENGLISH}": "de",
        "42": "en",
        FRENCH: "en",
    }
    editors = Editors([Editor(Stamp(c), languages=(c,), cache_size=0) for c in ("en", "de", "ru")])
    settings = RowSettings(models=("en", "de", "ru"))
    (done,) = edit_batches([pa.record_batch({"text": list(rows)})], editors, settings)
    assert done.rows.column("emendo_model").to_pylist() == list(rows.values())
    texts = done.rows.column("emendo_text").to_pylist()
    assert texts[:3] == [f"en:{ENGLISH}", f"de:{GERMAN}", f"ru:{RUSSIAN}"]
    assert texts[3] == f"de:{GERMAN}\n\nde:{GERMAN}\n\nen:{ENGLISH}"
    assert texts[4:] == ["42", FRENCH]
