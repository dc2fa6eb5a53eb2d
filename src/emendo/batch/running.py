"""A job from its start to its end: what is missing in the manifest is done, the rest is left."""

from __future__ import annotations

import json
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Protocol

from emendo.batch.job import draft_job, read_job, start_job
from emendo.batch.lease import Lease
from emendo.batch.manifest import GATHER_AT, Manifest
from emendo.batch.report import report_page
from emendo.batch.storage import STATE, Folder
from emendo.batch.summary import Summary
from emendo.errors import JobError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from emendo.batch.fragment_editor import Outcome
    from emendo.batch.fragments import Fragment
    from emendo.batch.job import Job, JobSettings

REPORT = f"{STATE}/report.html"
_RUN = f"{STATE}/run.json"


class Pool(Protocol):
    """Whatever runs `FragmentEditor` on many processors."""

    workers: int

    def outcomes(
        self, fragments: Iterator[Fragment], on_rows: Callable[[int], object]
    ) -> Generator[Outcome]:
        """Edit fragments, in whatever order they get ready."""
        ...


class Watcher(Protocol):
    """Something that follows the progress of a job."""

    def begin(self, summary: Summary) -> None:
        """What was done before."""
        ...

    def add_rows(self, rows: int) -> None:
        """So many rows were read."""
        ...

    def add(self, summary: Summary) -> None:
        """A fragment is done, or put aside."""
        ...


def run_job(
    input_url: str,
    output_url: str,
    model: str,
    settings: JobSettings,
    *,
    open_pool: Callable[[Job], Pool],
    watcher: Watcher,
) -> Summary:
    """Run a job, or what is left of it.

    Args:
        input_url: A file, a folder or a pattern, on any filesystem.
        output_url: A folder on any filesystem, which belongs to this job alone.
        model: A bundle's folder.
        settings: What is done.
        open_pool: Makes what the work is done by.
        watcher: Follows the progress.

    Raises:
        RequestError: Something asked for cannot be done; nothing was begun.
        JobError: It cannot go on, or another command writes there; the same call later does the
            rest.
    """
    job, files = draft_job(input_url, output_url, model, settings)
    with Lease(job.output) as lease:
        job = start_job(job, files)
        del files
        return _run_job(job, open_pool, watcher, lease)


def _run_job(job: Job, open_pool: Callable[[Job], Pool], watcher: Watcher, lease: Lease) -> Summary:
    manifest = Manifest(job.output)
    job.output.clear_drafts()
    # Everything that was put aside gets another chance.
    manifest.forget_attempts()
    manifest.forget_failures()
    summary = Summary(job.fragments, job.size)
    is_done = _read_done(job, manifest, summary)
    watcher.begin(summary)
    if not summary.is_complete:
        # Only now: loading models and reaching clusters takes time.
        pool = open_pool(job)
        run = {"started": summary.started, "workers": pool.workers}
        job.output.put(_RUN, json.dumps(run).encode())
        missing = (fragment for fragment in job.plan() if not is_done[fragment.number])
        _run(pool, missing, manifest, summary, watcher, lease)
    job.output.put(REPORT, report_page(read_job(job.output), summary).encode())
    job.output.clear_drafts()
    return summary


def _read_done(job: Job, manifest: Manifest, summary: Summary) -> bytearray:
    """Count what is done, a byte for each fragment; what has lost its file since is not."""
    is_done = bytearray(job.fragments)
    manifest.gather()
    sizes = job.output.sizes()
    lost = []
    for entry in manifest.read():
        if sizes.get(entry.output) == entry.output_bytes:
            is_done[entry.number] = 1
            summary.add(entry)
        else:
            lost.append(entry.number)
    if lost:
        manifest.drop(lost)
    return is_done


def _run(
    pool: Pool,
    missing: Iterator[Fragment],
    manifest: Manifest,
    summary: Summary,
    watcher: Watcher,
    lease: Lease,
) -> None:
    waiting = 0
    outcomes = pool.outcomes(missing, watcher.add_rows)
    # Whatever happens here, workers end.
    with closing(outcomes):
        for outcome in outcomes:
            lease.check()
            if outcome.stop:
                raise JobError(
                    f"{outcome.stop}: stopped with {summary.done:,} of {summary.fragments:,} "
                    "fragments done. Solve the problem and run the same command again"
                )
            if outcome.entry:
                summary.add(outcome.entry)
                waiting += 1
            else:
                summary.failures.append(outcome.failure)
            watcher.add(summary)
            if waiting >= GATHER_AT:
                manifest.gather()
                waiting = 0
    manifest.gather()
    manifest.forget_attempts()


def read_status(output_url: str) -> tuple[dict[str, object], Summary, float]:
    """Return a job's description, what it has done, and the time now.

    Raises:
        RequestError: There is no job.
    """
    output = Folder(output_url)
    description = read_job(output)
    summary = Summary(description["fragments"], description["size"])
    with suppress(FileNotFoundError):
        summary.started = json.loads(output.read(_RUN))["started"]
    manifest = Manifest(output)
    failed = {failure["number"]: failure["reason"] for failure in manifest.failures()}
    for entry in manifest.read():
        summary.add(entry)
        # Of two workers at one fragment, one may have failed and the other be done.
        failed.pop(entry.number, None)
    summary.failures = list(failed.values())
    return description, summary, time.time()
