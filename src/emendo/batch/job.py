"""A job: its input, settings and output; one output folder belongs to one job.

Its id is a hash of the input's listing, the settings and the model: the same command finds the same
job again, and any other command cannot use the folder.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from emendo.batch.fragments import Fragment, find_input, split_files
from emendo.batch.reading import find_columns
from emendo.batch.storage import STATE, Folder
from emendo.bundle import open_bundle
from emendo.errors import RequestError
from emendo.inference.editors import check_languages
from emendo.inference.loading import AUTO, choose_engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from emendo.batch.fragments import InputFile
    from emendo.engine_names import BackendName, Precision

# Increases when the same settings would give other bytes.
_SCHEMA_VERSION = 1
_JOB, _PLAN = f"{STATE}/job.json", f"{STATE}/plan.parquet"
_PLAN_SCHEMA = pa.schema(
    [
        ("number", pa.int64()),
        ("input", pa.string()),
        ("format", pa.string()),
        ("size", pa.int64()),
        ("start", pa.int64()),
        ("stop", pa.int64()),
        ("output", pa.string()),
    ]
)
_AT_ONCE = 10_000


@dataclass(frozen=True)
class JobSettings:
    """How rows are edited; the output depends on every setting."""

    column: str = "text"
    format: str = AUTO
    level: str | None = None
    """By default the model's own."""
    only_changed: bool = False
    min_confidence: float = 0.0
    sample: float = 1.0
    max_characters: int = 100_000
    backend: BackendName = AUTO
    precision: Precision = AUTO
    fragment_bytes: int = 8 << 20
    """The most text that has to be edited again when a worker dies."""

    def __post_init__(self) -> None:
        for name, low, high in (("min_confidence", 0, 1), ("sample", 0, 1)):
            if not low <= getattr(self, name) <= high:
                raise RequestError(f"{name} is {getattr(self, name)}; it must be {low} to {high}")
        if self.fragment_bytes < 1 or self.max_characters < 1:
            raise RequestError("the sizes of fragments and texts must be above 0")


@dataclass(frozen=True)
class Job:
    """A job as its workers get it."""

    id: str
    input: Folder
    output: Folder
    models: tuple[str, ...]
    """The bundles' folders, which each machine must have; the first is the default."""
    model_ids: tuple[str, ...]
    level: str
    backend: BackendName
    precision: Precision
    """Chosen where the job starts, because the machines' own choices may differ."""
    settings: JobSettings
    kinds: dict[str, str] = field(default_factory=dict)
    """The columns of lines."""
    fragments: int = 0
    size: int = 0
    """Bytes of all fragments."""

    @property
    def model_name(self) -> str:
        """The ids of the models."""
        return ", ".join(self.model_ids)

    def plan(self) -> Iterator[Fragment]:
        """Read the fragments, a few at a time."""
        with self.output.open(_PLAN) as opened, pq.ParquetFile(opened) as file:
            for batch in file.iter_batches(_AT_ONCE):
                yield from (Fragment(**row) for row in batch.to_pylist())


def model_id(model: str) -> str:
    """Return the id of a bundle: a hash over the hashes of its files and its levels."""
    config = open_bundle(model).config
    return hashlib.sha256(config.to_json().encode()).hexdigest()[:16]


def draft_job(
    input_url: str, output_url: str, models: Sequence[str], settings: JobSettings
) -> tuple[Job, Sequence[InputFile]]:
    """Make a job without storing it.

    Raises:
        RequestError: The input, the model or a setting cannot be used.
    """
    bundles = [open_bundle(model) for model in models]
    check_languages([bundle.config.languages for bundle in bundles])
    level = settings.level or bundles[0].config.default_level
    levels = dict.fromkeys(name for bundle in bundles for name in bundle.config.levels)
    if level not in levels:
        raise RequestError(f"the model has no level {level!r}: {', '.join(levels)}")
    engines = {
        choose_engine(bundle, backend=settings.backend, precision=settings.precision)
        for bundle in bundles
    }
    if len(engines) > 1:
        raise RequestError(
            "the models have no precision in common that is chosen by itself; name a backend and a "
            "precision that all of them have"
        )
    ((backend, precision),) = engines
    folder, files = find_input(input_url, output_url, settings.format)
    ids = tuple(map(model_id, models))
    digest = hashlib.sha256("\n".join([str(_SCHEMA_VERSION), *ids, ""]).encode())
    digest.update(json.dumps(asdict(settings), sort_keys=True).encode())
    for file in files:
        digest.update("\0".join(map(str, file)).encode() + b"\n")
    job = Job(
        digest.hexdigest()[:16],
        folder,
        Folder(output_url),
        tuple(models),
        ids,
        level,
        backend,
        precision,
        settings,
    )
    return job, files


def start_job(job: Job, files: Sequence[InputFile]) -> Job:
    """Store a new job, or find the existing one.

    Raises:
        RequestError: The output's folder belongs to another job, or to none.
    """
    if job.output.exists(_JOB):
        return _same_job(job, files)
    if set(job.output.sizes()) - set(job.output.sizes(STATE)):
        raise RequestError(
            f"{job.output.url} is not empty and belongs to no job; choose another output"
        )
    kinds = find_columns(job.input, files, job.settings.column)
    fragments = split_files(
        job.input,
        files,
        column=job.settings.column,
        fragment_bytes=job.settings.fragment_bytes,
    )
    count, size = _write_plan(job.output, fragments)
    content = {
        "id": job.id,
        "input": job.input.url,
        "files": len(files),
        "model": job.model_name,
        "level": job.level,
        "backend": job.backend,
        "precision": job.precision,
        "settings": asdict(job.settings),
        "kinds": kinds,
        "fragments": count,
        "size": size,
    }
    # Written last: without this file a job has not started.
    job.output.put(_JOB, json.dumps(content, indent=1).encode())
    return _filled(job, content)


def _write_plan(output: Folder, fragments: Iterable[Fragment]) -> tuple[int, int]:
    count = size = 0
    fragments = iter(fragments)
    with output.writing(_PLAN) as written, pq.ParquetWriter(written, _PLAN_SCHEMA) as writer:
        while some := list(islice(fragments, _AT_ONCE)):
            rows = [fragment.to_dict() for fragment in some]
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=_PLAN_SCHEMA))
            count += len(some)
            size += sum(fragment.size for fragment in some)
    return count, size


def _filled(job: Job, content: dict[str, Any]) -> Job:
    return Job(
        job.id,
        job.input,
        job.output,
        job.models,
        job.model_ids,
        content["level"],
        content["backend"],
        content["precision"],
        job.settings,
        content["kinds"],
        content["fragments"],
        content["size"],
    )


def _same_job(job: Job, files: Sequence[InputFile]) -> Job:
    content = read_job(job.output)
    if content["id"] == job.id:
        return _filled(job, content)
    others = asdict(job.settings)
    changed = [
        f"{name} was {value!r} and is {others.get(name)!r}"
        for name, value in content["settings"].items()
        if value != others.get(name)
    ]
    if content["model"] != job.model_name:
        changed.append(f"the model was {content['model']} and is {job.model_name}")
    if not changed:
        changed.append(
            f"the input's files have changed ({content['files']:,} before, {len(files):,} now)"
        )
    raise RequestError(
        f"{job.output.url} belongs to another job: {'; '.join(changed)}. "
        "Run the same command as before, or choose another output"
    )


def read_job(output: Folder) -> dict[str, Any]:
    """Read the description of the job that writes into a folder.

    Raises:
        RequestError: There is none.
    """
    try:
        return json.loads(output.read(_JOB))  # type: ignore[no-any-return]
    except FileNotFoundError:
        raise RequestError(f"{output.url} is not an output of `emendo batch`") from None
