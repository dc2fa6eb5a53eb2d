"""`emendo batch`: reads corpora and writes Parquet files with edits."""

import json
import os
import sys
import time
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from emendo.cli.examples import examples
from emendo.cli.model_options import BackendOption, BatchModelsOption, LevelOption, PrecisionOption
from emendo.cli.test_sets import JsonFlag
from emendo.errors import RequestError, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress

    from emendo.batch.estimate import Estimate
    from emendo.batch.job import Job
    from emendo.batch.running import Pool, Watcher
    from emendo.batch.summary import Summary

_RUN = "run"
# Failures that are listed one by one.
_TOLD = 20


class _RunByDefault(TyperGroup):
    """`emendo batch INPUT OUTPUT` is `emendo batch run INPUT OUTPUT`."""

    # The context is click's own or typer's copy of it, depending on typer's version.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        known = {*self.commands, *ctx.help_option_names}
        if args and args[0] not in known:
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_RunByDefault, no_args_is_help=True)


@app.callback()
def batch() -> None:
    """Edit corpora.

    `emendo batch INPUT OUTPUT` edits, `emendo batch status OUTPUT` shows progress.
    """


@app.command(_RUN, epilog=examples("batch run"))
def run(
    input_: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="A file, a folder or a pattern, on a disk or at a URL: s3://…"
        ),
    ],
    output: Annotated[str, typer.Argument(help="A folder, on a disk or at a URL.")],
    model: BatchModelsOption = None,
    column: Annotated[
        str, typer.Option(help="The column or field with the text; others are kept.")
    ] = "text",
    format_: Annotated[
        str,
        typer.Option("--format", help="parquet, jsonl, csv, tsv or text; default: by file name."),
    ] = "auto",
    local: Annotated[
        bool, typer.Option("--local", help="Use processes of this machine, without Ray.")
    ] = False,
    ray_address: Annotated[
        str | None,
        typer.Option(
            envvar="RAY_ADDRESS", help="A Ray cluster; default: one is started on this machine."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes with one thread each; default: one for each core."),
    ] = None,
    level: LevelOption = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Make only edits with at least this confidence.")
    ] = 0.0,
    only_changed: Annotated[
        bool, typer.Option("--only-changed", help="Leave out rows without edits.")
    ] = False,
    sample: Annotated[
        float,
        typer.Option(min=0, max=1, help="Edit this share of the rows, the same ones every time."),
    ] = 1.0,
    max_characters: Annotated[int, typer.Option(min=1, help="Put aside longer texts.")] = 100_000,
    fragment_mb: Annotated[
        float,
        typer.Option(help="Megabytes of text in a fragment, the work repeated if a worker dies."),
    ] = 8.0,
    backend: BackendOption = "auto",
    precision: PrecisionOption = "auto",
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Edit a few rows, and estimate time and size for all."),
    ] = False,
    json_: JsonFlag = False,
) -> None:
    """Edit a corpus.

    After an interruption, run the same command again: it completes the missing part.

    Exit codes: 0 done, 1 some fragments were put aside, 2 an error, or the job stopped.
    """
    require("emendo batch", "batch", "pyarrow", "fsspec")
    from emendo.batch.fragments import FORMATS
    from emendo.batch.job import JobSettings
    from emendo.bundle import find_bundle

    if format_ not in ("auto", *FORMATS):
        raise RequestError(f"--format must be one of auto, {', '.join(FORMATS)}")
    # Every machine must have the models at these places. All that are installed is no default here:
    # the same command must mean the same job after another model is installed.
    folders = [str(find_bundle(each)) for each in model] if model else [str(find_bundle(None))]
    settings = JobSettings(
        column=column,
        format=format_,
        level=level,
        only_changed=only_changed,
        min_confidence=min_confidence,
        sample=sample,
        max_characters=max_characters,
        backend=backend,
        precision=precision,
        fragment_bytes=max(1, int(fragment_mb * 2**20)),
    )
    if dry_run:
        from emendo.batch.estimate import estimate_job

        _show_estimate(
            estimate_job(input_, output, folders, settings), workers or _cores(), as_json=json_
        )
        return
    from emendo.batch.running import run_job

    def open_pool(job: "Job") -> "Pool":
        if local:
            from emendo.batch.local_pool import LocalPool

            return LocalPool(job, workers or _cores())
        from emendo.batch.ray_pool import RayPool

        return RayPool(job, workers if ray_address else workers or _cores(), ray_address)

    # Ray prints messages about nodes that died; stdout is for the summary only.
    with redirect_stdout(sys.stderr), _watching() as watcher:
        summary = run_job(input_, output, folders, settings, open_pool=open_pool, watcher=watcher)
    _show_summary(output, summary, as_json=json_)
    if summary.failures:
        raise typer.Exit(1)


@app.command(epilog=examples("batch status"))
def status(
    output: Annotated[str, typer.Argument(help="A job's output folder.")],
    json_: JsonFlag = False,
) -> None:
    """Show the progress of a job, wherever it runs.

    It prints progress, speed, time left and failures.
    """
    require("emendo batch", "batch", "pyarrow", "fsspec")
    from emendo.batch.running import read_status

    description, summary, now = read_status(output)
    left = summary.seconds_left(now)
    if json_:
        figures = {"id": description["id"], **summary.to_dict(), "seconds_left": left}
        print(json.dumps(figures))
        return
    share = summary.done_size / summary.size if summary.size else 1.0
    _show_table(
        [
            ("job", str(description["id"])),
            ("fragments", f"{summary.done:,} of {summary.fragments:,}"),
            ("input", f"{100 * share:.1f} %"),
            *_figures(summary),
            ("last fragment done", _ago(now - summary.last) if summary.last else "none yet"),
            ("time left", "unknown" if left is None else _duration(left)),
        ]
    )
    _show_failures(summary)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _watching() -> "Iterator[Watcher]":
    """Show a live bar on a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.fields[fragments]}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rows]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    ) as progress:
        yield _Bar(progress)


class _Bar:
    """The progress bar: bytes of finished fragments, and rows that were read."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, fragments="listing", rows="")
        self._rows = 0
        self._started = 0.0

    def begin(self, summary: "Summary") -> None:
        """Show the work of earlier runs."""
        self._started = summary.started
        self._progress.update(self._task, total=max(1, summary.size))
        self.add(summary)

    def add_rows(self, rows: int) -> None:
        """Show rows as they are read."""
        self._rows += rows
        speed = self._rows / max(0.001, time.time() - self._started)
        self._progress.update(self._task, rows=f"{self._rows:,} rows, {speed:,.0f}/s")

    def add(self, summary: "Summary") -> None:
        """Show a finished fragment."""
        self._progress.update(
            self._task,
            completed=summary.done_size,
            fragments=f"{summary.done:,}/{summary.fragments:,} fragments",
        )


def _show_estimate(estimate: "Estimate", workers: int, *, as_json: bool) -> None:
    hours = estimate.core_hours / workers
    if as_json:
        figures = {**vars(estimate), "core_hours": estimate.core_hours, "hours": hours}
        print(json.dumps(figures))
        return
    _show_table(
        [
            ("files", f"{estimate.files:,}"),
            ("fragments", f"{estimate.fragments:,}"),
            ("rows, about", f"{estimate.rows:,}"),
            ("rows tried", f"{estimate.sampled:,}"),
            ("rows changed", f"{100 * estimate.changed_share:.1f} %"),
            ("rows put aside", f"{100 * estimate.bad_share:.1f} %"),
            ("rows a second and core", f"{estimate.rows_per_core_second:,.1f}"),
            ("core-hours", f"{estimate.core_hours:,.2f}"),
            (f"time with {workers:,} workers", _duration(3600 * hours)),
            ("output, about", f"{estimate.output_bytes / 1e6:,.1f} MB"),
        ]
    )


def _show_summary(output: str, summary: "Summary", *, as_json: bool) -> None:
    from emendo.batch.running import REPORT

    if as_json:
        print(json.dumps(summary.to_dict()))
        return
    _show_table(
        [
            ("fragments", f"{summary.done:,} of {summary.fragments:,}"),
            *_figures(summary),
            ("report", f"{output.rstrip('/')}/{REPORT}"),
        ]
    )
    _show_failures(summary)


def _figures(summary: "Summary") -> "list[tuple[str, str]]":
    counts = summary.counts
    bad = ", ".join(f"{count:,} {reason}" for reason, count in counts.bad.most_common())
    edits = ", ".join(f"{count:,} {kind}" for kind, count in counts.edits.most_common())
    return [
        ("rows read", f"{counts.rows:,}"),
        ("rows written", f"{counts.written:,}"),
        ("rows changed", f"{counts.changed:,}"),
        ("rows put aside", bad or "0"),
        ("edits", edits or "0"),
        ("rows a second", f"{summary.rows_per_second:,.1f}"),
        ("rows a second and core", f"{summary.rows_per_core_second:,.1f}"),
        ("core-hours", f"{summary.core_hours:,.3f}"),
        ("padding", f"{100 * counts.padding_share:.1f} %"),
        ("output", f"{summary.output_bytes / 1e6:,.1f} MB"),
    ]


def _show_failures(summary: "Summary") -> None:
    for failure in summary.failures[:_TOLD]:
        print(f"put aside: {failure}", file=sys.stderr)
    if len(summary.failures) > _TOLD:
        print(f"put aside: {len(summary.failures) - _TOLD:,} more", file=sys.stderr)


def _show_table(rows: "list[tuple[str, str]]") -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}}  {value}")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _ago(seconds: float) -> str:
    return f"{_duration(max(0.0, seconds))} ago"
