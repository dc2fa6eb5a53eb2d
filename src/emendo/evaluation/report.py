"""Pages for people: analyses and comparisons as one self-contained HTML file."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from emendo.evaluation import plots
from emendo.html_page import html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from emendo.evaluation.analysis import Analysis
    from emendo.evaluation.comparison import Comparison
    from emendo.evaluation.counts import Counts

_OUTSIDE = ", outside"
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1e; background: #fff;
       max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .4rem 0 .8rem; color: #48484c; }
.table { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .3rem .8rem .3rem 0; text-align: right; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; } th:first-child, td:first-child { text-align: left; }
figure { margin: .5rem 0; } svg { max-width: 100%; height: auto; }
"""


def analysis_page(analyses: Sequence[Analysis], *, test_set: str) -> str:
    """Return the page of one or more systems on one test set."""
    parts = [
        f"<h1>{escape(test_set)}</h1>",
        "<p>Edits by ERRANT, span and correction. Figures are in per cent unless stated "
        "otherwise. The interval of F0.5 contains 95 % of 1,000 bootstrap resamples.</p>",
        "<h2>Overall</h2>",
        _table(
            ["system", "precision", "recall", "F0.5", "interval", "edits", "gold"],
            (
                [
                    a.name,
                    *_figures(a.counts),
                    "–" if a.counts.is_empty else f"{a.interval.low:.1f}–{a.interval.high:.1f}",
                    f"{a.counts.proposed:,}",
                    f"{a.counts.gold:,}",
                ]
                for a in analyses
            ),
        ),
        "<h2>By word error rate of the sentence</h2>",
        _figure(plots.plot_error_rates(analyses)),
        "<h2>Right, needless, missing</h2>",
        "<p>Proposed edits are right, needless, or another correction of a gold edit. Gold "
        "edits are found, missing, or corrected otherwise.</p>",
        _figure(plots.plot_split(analyses)),
        _table(
            ["system", "right", "other correction", "needless", "corrected otherwise", "missing"],
            ([a.name, *(f"{value:,}" for value in a.split)] for a in analyses),
        ),
        "<h2>Clean sentences</h2>",
        "<p>Edits of sentences that need no edit.</p>",
        _table(
            ["system", "clean sentences", "touched", "needless edits per 1,000 words"],
            (
                [
                    a.name,
                    f"{a.false_alarms.sentences:,}",
                    f"{100 * a.false_alarms.touched_share:.1f} %",
                    f"{a.false_alarms.edits_per_1000_words:.2f}",
                ]
                for a in analyses
            ),
        ),
        "<h2>By type</h2>",
        _figure(plots.plot_types(analyses)),
        "<h2>By coarse type</h2>",
    ]
    if any(map(_has_outside, analyses)):
        parts.append(
            "<p>“Outside” are edits that a tagger with 5,000 operations, learnt from training "
            "edits, could not make; the last column is their share of the gold edits of the "
            "type.</p>"
        )
    parts += [_group_table(analysis) for analysis in analyses]
    if any(analysis.curve for analysis in analyses):
        parts += [
            "<h2>Precision and recall over the threshold</h2>",
            _figure(plots.plot_curves(analyses)),
            "<h2>Calibration</h2>",
            "<p>On the line, an edit of confidence 0.8 is right four times out of five.</p>",
            _figure(plots.plot_reliability(analyses)),
            _table(
                ["system", "edits without effect, left out"],
                ([a.name, f"{a.calibration.left_out:,}"] for a in analyses if a.calibration),
            ),
        ]
    return html_page(test_set, parts, style=_STYLE)


def comparison_page(comparison: Comparison) -> str:
    """Return the page of several systems, one metric."""
    return html_page(
        comparison.title,
        [
            f"<h1>{escape(comparison.title)}</h1>",
            f"<p>{escape(comparison.note)}</p>",
            _table(comparison.header, comparison.rows()),
            _figure(plots.plot_scores(comparison)),
        ],
        style=_STYLE,
    )


def _group_table(analysis: Analysis) -> str:
    header = [analysis.name, "precision", "recall", "F0.5", "gold"]
    rows = [
        [name, *_figures(counts), f"{counts.gold:,}"] for name, counts in analysis.by_group.items()
    ]
    if _has_outside(analysis):
        header.append("outside")
        for row, (name, counts) in zip(rows, analysis.by_group.items(), strict=True):
            whole = analysis.by_group[name.removesuffix(_OUTSIDE)].gold
            share = f"{100 * counts.gold / whole:.1f}" if whole else "–"
            row.append(share if name.endswith(_OUTSIDE) else "")
    return _table(header, rows)


def _has_outside(analysis: Analysis) -> bool:
    return any(name.endswith(_OUTSIDE) for name in analysis.by_group)


def _figures(counts: Counts) -> list[str]:
    if counts.is_empty:
        return ["–"] * 3
    return [f"{100 * value:.2f}" for value in (counts.precision, counts.recall, counts.f())]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="table"><table><tr>{head}</tr>{body}</table></div>'


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>"
