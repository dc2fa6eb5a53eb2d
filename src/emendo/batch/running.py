"""Runs a job: does the fragments that are missing in the manifest."""

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
    from collections.abc import Callable, Generator, Iterator, Sequence

    from emendo.batch.fragment_editor import Outcome
    from emendo.batch.fragments import Fragment
    from emendo.batch.job import Job, JobSettings

REPORT = f"{STATE}/report.html"
_RUN = f"{STATE}/run.json"


class Pool(Protocol):
    """Runs `FragmentEditor` on many processors."""

    workers: int

    def outcomes(
        self, fragments: Iterator[Fragment], on_rows: Callable[[int], object]
    ) -> Generator[Outcome]:
        """Edit fragments, in the order in which they finish."""
        ...


class Watcher(Protocol):
    """Receives the progress of a job."""

    def begin(self, summary: Summary) -> None:
        """Called with the work of earlier runs."""
        ...

    def add_rows(self, rows: int) -> None:
        """Called with the number of rows that were read."""
        ...

    def add(self, summary: Summary) -> None:
        """Called when a fragment is done or put aside."""
        ...


def run_job(
    input_url: str,
    output_url: str,
    models: Sequence[str],
    settings: JobSettings,
    *,
    open_pool: Callable[[Job], Pool],
    watcher: Watcher,
) -> Summary:
    """Run a job, or the rest of it.

    Args:
        input_url: A file, a folder or a pattern, on any filesystem.
        output_url: A folder on any filesystem, which belongs to this job alone.
        models: Bundles' folders, one for each language; the first is the default.
        settings: How rows are edited.
        open_pool: Makes the pool of workers.
        watcher: Follows the progress.

    Raises:
        RequestError: The job cannot be done as requested; nothing was started.
        JobError: The job cannot continue, or another command writes to the folder; the same call
            does the rest later.
    """
    job, files = draft_job(input_url, output_url, models, settings)
    with Lease(job.output) as lease:
        job = start_job(job, files)
        del files
        return _run_job(job, open_pool, watcher, lease)


def _run_job(job: Job, open_pool: Callable[[Job], Pool], watcher: Watcher, lease: Lease) -> Summary:
    manifest = Manifest(job.output)
    job.output.clear_drafts()
    # Fragments that were put aside are tried again.
    manifest.forget_attempts()
    manifest.forget_failures()
    summary = Summary(job.fragments, job.size)
    is_done = _read_done(job, manifest, summary)
    watcher.begin(summary)
    if not summary.is_complete:
        # Only now, because loading models and connecting to clusters takes time.
        pool = open_pool(job)
        run = {"started": summary.started, "workers": pool.workers}
        job.output.put(_RUN, json.dumps(run).encode())
        missing = (fragment for fragment in job.plan() if not is_done[fragment.number])
        _run(pool, missing, manifest, summary, watcher, lease)
    job.output.put(REPORT, report_page(read_job(job.output), summary).encode())
    job.output.clear_drafts()
    return summary


def _read_done(job: Job, manifest: Manifest, summary: Summary) -> bytearray:
    """Count finished fragments, a byte for each; one whose file is missing is not finished."""
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
                    "fragments done. Fix the problem and run the same command again"
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
    """Return a job's description, its summary, and the current time.

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
        # If two workers ran one fragment, one may have failed and the other finished.
        failed.pop(entry.number, None)
    summary.failures = list(failed.values())
    return description, summary, time.time()
