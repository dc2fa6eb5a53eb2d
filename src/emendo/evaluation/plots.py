"""Figures of analyses and comparisons, as SVG text that a page can hold."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from emendo.errors import require
from emendo.evaluation.error_rates import RATE_BINS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from emendo.evaluation.analysis import Analysis
    from emendo.evaluation.resampling import Interval

# Okabe and Ito's palette: told apart with any colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "axes.edgecolor": "#8a8a8a",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    # Text stays text, and the same figures give the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "emendo",
}


def plot_error_rates(analyses: Sequence[Analysis]) -> str:
    """Draw F0.5 by word error rate, as the paper's figure does."""
    with _figure(6.4, 3.4) as (axes, finished):
        gold = [analyses[0].by_error_rate[name].gold for name in RATE_BINS]
        share = [100 * count / max(sum(gold), 1) for count in gold]
        _bars(axes, [[100 * a.by_error_rate[n].f() for n in RATE_BINS] for a in analyses], analyses)
        axes.set_xticks(
            range(len(RATE_BINS)),
            [f"{name}\n({part:.1f})" for name, part in zip(RATE_BINS, share, strict=True)],
        )
        axes.set_xlabel("word error rate, % (share of gold edits, %)")
        axes.set_ylabel("F0.5, %")
    return finished[0]


def plot_types(analyses: Sequence[Analysis], *, most: int = 16) -> str:
    """Draw F0.5 for the types that have the most gold edits."""
    gold = {kind: counts.gold for kind, counts in analyses[0].by_type.items()}
    kinds = sorted(gold, key=lambda kind: -gold[kind])[:most]
    with _figure(6.4, 0.42 * len(kinds) + 1) as (axes, finished):
        height = 0.8 / len(analyses)
        for number, analysis in enumerate(analyses):
            values = [100 * _get(analysis.by_type, kind) for kind in kinds]
            places = [row + (number + 0.5) * height - 0.4 for row in range(len(kinds))]
            axes.barh(places, values, height, color=_colour(number), label=analysis.name)
        axes.set_yticks(range(len(kinds)), [f"{kind} ({gold[kind]})" for kind in kinds])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("F0.5, % (gold edits in brackets)")
        _legend(axes, len(analyses))
    return finished[0]


def plot_split(analyses: Sequence[Analysis]) -> str:
    """Draw how many edits are right, different, needless and missing."""
    parts = {
        "correct": "#009E73",
        "differently": "#E69F00",
        "over": "#D55E00",
        "under": "#B8B8B8",
    }
    names = {
        "correct": "right",
        "differently": "right place, other correction",
        "over": "needless",
        "under": "missing",
    }
    with _figure(6.4, 0.5 * len(analyses) + 1.3) as (axes, finished):
        left = [0] * len(analyses)
        for part, colour in parts.items():
            values = [getattr(analysis.split, part) for analysis in analyses]
            axes.barh(range(len(analyses)), values, 0.6, left, color=colour, label=names[part])
            left = [a + b for a, b in zip(left, values, strict=True)]
        axes.set_yticks(range(len(analyses)), [analysis.name for analysis in analyses])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("edits")
        _legend(axes, 2)
    return finished[0]


def plot_curves(analyses: Sequence[Analysis]) -> str:
    """Draw precision against recall as the threshold on confidence rises."""
    with _figure(4.6, 3.6) as (axes, finished):
        for number, analysis in enumerate(analyses):
            if not analysis.curve:
                continue
            counts = [point.counts for point in analysis.curve]
            axes.plot(
                [100 * c.recall for c in counts],
                [100 * c.precision for c in counts],
                "o-",
                markersize=3,
                color=_colour(number),
                label=analysis.name,
            )
        axes.set_xlabel("recall, %")
        axes.set_ylabel("precision, %")
        _legend(axes, 2)
    return finished[0]


def plot_reliability(analyses: Sequence[Analysis]) -> str:
    """Draw how often edits are right against how sure the system is of them."""
    with _figure(4.6, 3.6) as (axes, finished):
        axes.plot([0, 1], [0, 1], color="#8a8a8a", linewidth=1, linestyle="--")
        for number, analysis in enumerate(analyses):
            if analysis.calibration is None:
                continue
            bins = analysis.calibration.bins
            axes.plot(
                [b.confidence for b in bins],
                [b.precision for b in bins],
                "o-",
                markersize=4,
                color=_colour(number),
                label=f"{analysis.name}, ECE {analysis.calibration.error:.3f}",
            )
        axes.set_xlabel("confidence")
        axes.set_ylabel("share that is right")
        _legend(axes, 1)
    return finished[0]


def plot_scores(scores: Mapping[str, tuple[float, Interval]], label: str) -> str:
    """Draw each system's score with its interval."""
    with _figure(6.4, 0.42 * len(scores) + 1) as (axes, finished):
        for number, (value, interval) in enumerate(scores.values()):
            spread = [[value - interval.low], [interval.high - value]]
            axes.errorbar(value, number, xerr=spread, fmt="o", capsize=4, color=_colour(number))
        axes.set_yticks(range(len(scores)), list(scores))
        axes.set_ylim(len(scores) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"{label}, 95 % interval")
    return finished[0]


def _bars(axes: Any, values: list[list[float]], analyses: Sequence[Analysis]) -> None:  # noqa: ANN401
    width = 0.8 / len(analyses)
    for number, (row, analysis) in enumerate(zip(values, analyses, strict=True)):
        places = [group + (number + 0.5) * width - 0.4 for group in range(len(row))]
        axes.bar(places, row, width, color=_colour(number), label=analysis.name)
    axes.grid(axis="x", visible=False)
    _legend(axes, len(analyses))


def _legend(axes: Any, columns: int) -> None:  # noqa: ANN401
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=min(columns, 3), fontsize=9)


def _get(counts: Mapping[str, Any], kind: str) -> float:
    return float(counts[kind].f()) if kind in counts else 0.0


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Any, list[str]]]:
    """Yield axes and a list that holds the drawn figure once the block ends."""
    require("drawing figures", "score", "matplotlib")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    finished: list[str] = []
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height))
        yield figure.add_subplot(), finished
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    svg = file.getvalue()
    # The XML heading has no place inside a page.
    finished.append(svg[svg.index("<svg") :])
