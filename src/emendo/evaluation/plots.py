"""Figures of analyses and comparisons, as SVG text for a page."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from emendo.errors import require
from emendo.evaluation.counts import Counts
from emendo.evaluation.error_rates import RATE_BINS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from emendo.evaluation.analysis import Analysis
    from emendo.evaluation.comparison import Comparison

# Okabe and Ito's palette, for any colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
# How many types are drawn, those with the most edits.
_TYPES = 16
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
    # A "$" in a system's name is a "$".
    "text.parse_math": False,
}


def plot_error_rates(analyses: Sequence[Analysis]) -> str:
    """Draw F0.5 by word error rate, as the paper's figure does."""
    gold = _most_gold([analysis.by_error_rate for analysis in analyses])
    with _figure(6.4, 3.4) as (axes, finished):
        width = 0.8 / len(analyses)
        for number, analysis in enumerate(analyses):
            places = [group + (number + 0.5) * width - 0.4 for group in range(len(RATE_BINS))]
            values = [_percent(analysis.by_error_rate[name]) for name in RATE_BINS]
            axes.bar(places, values, width, color=_colour(number), label=_label(analysis.name))
        whole = max(sum(gold.values()), 1)
        axes.set_xticks(
            range(len(RATE_BINS)),
            [f"{name}\n({100 * gold[name] / whole:.1f})" for name in RATE_BINS],
        )
        axes.grid(axis="x", visible=False)
        axes.set_xlabel("word error rate, % (share of gold edits, %)")
        axes.set_ylabel("F0.5, %")
        _legend(axes, len(analyses))
    return finished[0]


def plot_types(analyses: Sequence[Analysis]) -> str:
    """Draw F0.5 for the types that have the most gold edits."""
    gold = _most_gold([analysis.by_type for analysis in analyses])
    kinds = sorted(gold, key=lambda kind: (-gold[kind], kind))[:_TYPES]
    with _figure(6.4, 0.42 * len(kinds) + 1) as (axes, finished):
        height = 0.8 / len(analyses)
        for number, analysis in enumerate(analyses):
            values = [_percent(analysis.by_type.get(kind, Counts())) for kind in kinds]
            places = [row + (number + 0.5) * height - 0.4 for row in range(len(kinds))]
            axes.barh(places, values, height, color=_colour(number), label=_label(analysis.name))
        axes.set_yticks(range(len(kinds)), [f"{kind} ({gold[kind]})" for kind in kinds])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("F0.5, % (gold edits in brackets)")
        _legend(axes, len(analyses))
    return finished[0]


def plot_split(analyses: Sequence[Analysis]) -> str:
    """Draw proposed edits as right, different and needless, with gold edits beside them."""
    # Two bars a system: which of its edits a part takes for the first, which for the second.
    parts = (
        ("right", "#009E73", ("right", "right")),
        ("other correction", "#E69F00", ("differently", "otherwise")),
        ("needless", "#D55E00", ("needless", None)),
        ("missing", "#B8B8B8", (None, "missing")),
    )
    with _figure(6.4, 0.8 * len(analyses) + 1.3) as (axes, finished):
        rows = range(2 * len(analyses))
        left = [0 for _ in rows]
        for name, colour, fields in parts:
            values = [
                getattr(analysis.split, field) if field else 0
                for analysis in analyses
                for field in fields
            ]
            axes.barh(rows, values, 0.7, left, color=colour, label=name)
            left = [a + b for a, b in zip(left, values, strict=True)]
        axes.set_yticks(
            rows, [f"{a.name}, {side}" for a in analyses for side in ("proposed", "wanted")]
        )
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
            counts = [point.counts for point in analysis.curve if point.counts.proposed]
            axes.plot(
                [100 * c.recall for c in counts],
                [100 * c.precision for c in counts],
                "o-",
                markersize=3,
                color=_colour(number),
                label=_label(analysis.name),
            )
        axes.set_xlabel("recall, %")
        axes.set_ylabel("precision, %")
        _legend(axes, 2)
    return finished[0]


def plot_reliability(analyses: Sequence[Analysis]) -> str:
    """Draw the share of right edits by confidence."""
    with _figure(4.6, 3.6) as (axes, finished):
        axes.plot([0, 1], [0, 1], color="#8a8a8a", linewidth=1, linestyle="--")
        for number, analysis in enumerate(analyses):
            if analysis.calibration is None or not analysis.calibration.bins:
                continue
            bins = analysis.calibration.bins
            axes.plot(
                [b.confidence for b in bins],
                [b.precision for b in bins],
                "o-",
                markersize=4,
                color=_colour(number),
                label=_label(f"{analysis.name}, ECE {analysis.calibration.error:.3f}"),
            )
        axes.set_xlabel("confidence")
        axes.set_ylabel("share that is right")
        _legend(axes, 1)
    return finished[0]


def plot_scores(comparison: Comparison) -> str:
    """Draw each system's score with its interval."""
    systems = comparison.systems
    with _figure(6.4, 0.42 * len(systems) + 1) as (axes, finished):
        for number, system in enumerate(systems):
            value, interval = system.headline, system.interval
            # An interval may end at the value, and rounding put it beyond.
            spread = [[max(value - interval.low, 0)], [max(interval.high - value, 0)]]
            axes.errorbar(value, number, xerr=spread, fmt="o", capsize=4, color=_colour(number))
        axes.set_yticks(range(len(systems)), [system.name for system in systems])
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"{comparison.label}, 95 % interval")
    return finished[0]


def _legend(axes: Any, columns: int) -> None:  # noqa: ANN401
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=min(columns, 3), fontsize=9)


def _label(name: str) -> str:
    # matplotlib leaves names that begin with "_" out of legends; the space is not seen.
    return f" {name}"


def _percent(counts: Counts) -> float:
    """Return F0.5 in per cent; nothing is drawn where there is nothing to measure."""
    return float("nan") if counts.is_empty else 100 * counts.f()


def _most_gold(groups: Sequence[Mapping[str, Counts]]) -> dict[str, int]:
    """Return the gold edits of each group, the most that any system is compared with."""
    gold: dict[str, int] = {}
    for counted in groups:
        for name, counts in counted.items():
            gold[name] = max(gold.get(name, 0), counts.gold)
    return gold


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
    # The XML declaration is not allowed inside a page.
    finished.append(svg[svg.index("<svg") :])
