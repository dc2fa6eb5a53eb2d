"""A page about a job: one self-contained HTML file."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from emendo.html_page import html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from emendo.batch.manifest import Example
    from emendo.batch.summary import Summary

# Failures that are listed one by one.
_TOLD = 20
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1e; background: #fff;
       max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .4rem 0 .8rem; color: #48484c; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem;
        width: 100%; }
th, td { padding: .3rem .8rem .3rem 0; text-align: right; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; } th:first-child, td:first-child { text-align: left; white-space: nowrap; }
td.bar { width: 55%; padding-right: 0; }
td.bar span { display: block; height: .8rem; background: #3478c6; border-radius: 2px; }
td.text { text-align: left; overflow-wrap: anywhere; }
del { color: #b3261e; } ins { color: #1b7a3d; text-decoration: none; font-weight: 600; }
"""


def report_page(description: Mapping[str, Any], summary: Summary) -> str:
    """Return the page of a job."""
    counts = summary.counts
    state = "complete" if summary.is_complete else "not complete"
    parts = [
        "<h1>Batch job</h1>",
        f"<p>{escape(str(description['input']))}, {description['files']:,} files; "
        f"job {escape(description['id'])}, model {escape(description['model'])}, "
        f"level {escape(description['level'])}, {escape(description['backend'])} in "
        f"{escape(description['precision'])}; {state}.</p>",
        _table(
            [
                ("fragments done", f"{summary.done:,} of {summary.fragments:,}"),
                ("rows read", f"{counts.rows:,}"),
                ("rows written", f"{counts.written:,}"),
                ("rows changed", _with_share(counts.changed, counts.rows)),
                ("rows put aside", _with_share(counts.bad.total(), counts.rows)),
                *_left_out(summary),
                ("edits", f"{counts.edits.total():,}"),
                ("rows a second and core", f"{summary.rows_per_core_second:,.1f}"),
                ("core-hours", f"{summary.core_hours:,.3f}"),
                ("padding", f"{100 * counts.padding_share:.1f} % of the tokens read"),
                ("output", f"{summary.output_bytes / 1e6:,.1f} MB"),
            ]
        ),
        "<h2>Edits by type</h2>",
        _bars(counts.edits.most_common()),
        "<h2>Edits by confidence</h2>",
        _bars((f"{k / 10:.1f} to {k / 10 + 0.1:.1f}", n) for k, n in enumerate(counts.confidences)),
    ]
    if counts.bad:
        parts += ["<h2>Rows put aside</h2>", _bars(counts.bad.most_common())]
    if summary.failures:
        parts += [
            "<h2>Fragments put aside</h2>",
            f"<p>{len(summary.failures):,}; start the job again to retry them.</p>",
            *(f"<p>{escape(failure)}</p>" for failure in summary.failures[:_TOLD]),
        ]
    if summary.examples:
        parts += ["<h2>Examples</h2>", _examples(summary.examples)]
    parts += [
        "<h2>Settings</h2>",
        _table((name, str(value)) for name, value in description["settings"].items()),
    ]
    return html_page("Batch job", parts, style=_STYLE)


def _left_out(summary: Summary) -> list[tuple[str, str]]:
    counts = summary.counts
    left_out = (
        ("unchanged rows left out", counts.unchanged_left_out),
        ("rows not in the sample", counts.not_sampled),
    )
    return [(name, _with_share(count, counts.rows)) for name, count in left_out if count]


def _with_share(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.1f} %)" if total else f"{count:,}"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def _bars(rows: Iterable[tuple[str, int]]) -> str:
    rows = list(rows)
    most = max((count for _, count in rows), default=0) or 1
    if not rows:
        return "<p>None.</p>"
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td>{count:,}</td>"
        f'<td class="bar"><span style="width:{100 * count / most:.1f}%"></span></td></tr>'
        for name, count in rows
    )
    return f"<table>{cells}</table>"


def _examples(examples: Mapping[str, Sequence[Example]]) -> str:
    cells = "".join(
        f'<tr><td>{escape(kind)}</td><td class="text">{escape(each.before)}'
        f"<del>{escape(each.old)}</del><ins>{escape(each.new)}</ins>{escape(each.after)}</td></tr>"
        for kind, found in sorted(examples.items())
        for each in found
    )
    return f"<table>{cells}</table>"
