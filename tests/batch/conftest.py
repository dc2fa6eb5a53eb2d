"""Corpora for the tests: small files of every kind, and an editor over a tiny random model."""

import json
import random
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("onnxruntime")

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.job import JobSettings

ROWS, PARTS = 400, 20
"""Of the corpus that is edited while things die."""


@pytest.fixture(scope="session")
def editor(tiny_bundle):
    from emendo import load_editor

    return load_editor(tiny_bundle, backend="onnx", cache_size=0)


@pytest.fixture(scope="session")
def corpus(edit_texts):
    """Some hundred rows of the words that the tiny model reads."""
    rng = random.Random(1)
    return [rng.choice(edit_texts)[:40].strip() for _ in range(400)]


@pytest.fixture
def settings():
    """Return the settings of a job that takes no other engine on other machines."""

    def make(**options):
        return JobSettings(**{"backend": "onnx", "precision": "fp32", **options})

    return make


def write_parts(folder, texts, parts, partition="part={}"):
    """Write a partitioned folder of Parquet files; each row has an id of its own."""
    step = -(-len(texts) // parts)
    for k in range(parts):
        where = folder / partition.format(k % 3)
        where.mkdir(parents=True, exist_ok=True)
        rows = list(range(k * step, min(len(texts), (k + 1) * step)))
        table = pa.table({"id": rows, "text": [texts[row] for row in rows]})
        pq.write_table(table, where / f"{k:03}.parquet")
    return folder


def outputs(folder):
    """Return the Parquet files of a job's output, and of the rows it put aside, byte for byte."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.parquet")}
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if not name.startswith("_emendo/plan")
    }


def read_all(folder):
    """Return all rows of an output."""
    files = sorted(p for p in folder.rglob("*.parquet") if "_emendo" not in p.parts)
    return pa.concat_tables(pq.ParquetFile(path).read() for path in files)


class InlinePool:
    """Runs fragments where it is called: as the others do, without processes."""

    workers = 1

    def __init__(self, job):
        from emendo.batch.fragment_editor import FragmentEditor

        self._editor = FragmentEditor(job)

    def outcomes(self, fragments, on_rows):
        for fragment in fragments:
            yield self._editor.run(fragment, on_rows)


class NoWatcher:
    """Does not look."""

    def begin(self, summary):
        pass

    def add_rows(self, rows):
        pass

    def add(self, summary):
        pass


@pytest.fixture
def run(tiny_bundle, settings):
    """Run a job in this process."""
    from emendo.batch.running import run_job

    def run(source, output, open_pool=InlinePool, **options):
        return run_job(
            str(source),
            str(output),
            [str(tiny_bundle)],
            settings(**options),
            open_pool=open_pool,
            watcher=NoWatcher(),
        )

    return run


def command(source, output, bundle, *options):
    """Return how a person starts a job."""
    return [
        *(sys.executable, "-m", "emendo", "batch", str(source), str(output), "-m", str(bundle)),
        *("--backend", "onnx", "--precision", "fp32", *options),
    ]


@pytest.fixture(scope="session")
def parts(corpus, tmp_path_factory):
    """Files that take some seconds."""
    return write_parts(tmp_path_factory.mktemp("parts"), corpus[:ROWS], PARTS)


@pytest.fixture(scope="session")
def undisturbed(parts, tiny_bundle, tmp_path_factory):
    """What comes out of --local if nothing happens, with the summary."""
    output = tmp_path_factory.mktemp("undisturbed") / "out"
    done = subprocess.run(
        command(parts, output, tiny_bundle, "--local", "--workers", "1", "--json"),
        check=True,
        capture_output=True,
        text=True,
    )
    assert len(outputs(output)) == PARTS
    return outputs(output), json.loads(done.stdout)
