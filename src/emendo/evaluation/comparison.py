"""Several systems on one test set: scores, intervals, and differences from the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from emendo.evaluation.metric_names import METRIC_NAMES, Metric
from emendo.evaluation.metrics import score
from emendo.evaluation.resampling import Difference, Interval, bootstrap, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from emendo.evaluation.gold import GoldSet
    from emendo.evaluation.outputs import SystemOutput


class ComparedSystem(NamedTuple):
    """One system's score."""

    name: str
    values: dict[str, float]
    headline: float
    interval: Interval
    difference: Difference | None
    """From the first system; none for the first itself."""


@dataclass(frozen=True)
class Comparison:
    """Systems in the order given."""

    metric: Metric
    headline: str
    test_set: str
    systems: tuple[ComparedSystem, ...]

    @property
    def title(self) -> str:
        """The metric and the test set."""
        return f"{METRIC_NAMES[self.metric]} on {self.test_set}"

    @property
    def label(self) -> str:
        """The headline's name on an axis."""
        if self.headline == self.metric or self.metric.startswith("sari"):
            return METRIC_NAMES[self.metric]
        return f"{METRIC_NAMES[self.metric]} {self.headline.upper()}"

    @property
    def note(self) -> str:
        """How intervals and p-values are computed, and what p does not account for."""
        return (
            "Intervals: 95 % of 1,000 bootstrap resamples. p: approximate randomisation of the "
            f"sentences against {self.systems[0].name}, not corrected for multiple comparisons."
        )

    @property
    def header(self) -> list[str]:
        """Column names of `rows`."""
        return ["system", *self.systems[0].values, "95 % interval", "difference", "p"]

    def rows(self) -> Iterator[list[str]]:
        """Yield a line of text cells for each system."""
        for system in self.systems:
            far = system.difference
            yield [
                system.name,
                *(f"{value:.2f}" for value in system.values.values()),
                f"{system.interval.low:.2f}–{system.interval.high:.2f}",
                "" if far is None else f"{far.value:+.2f} ({far.low:+.2f} to {far.high:+.2f})",
                "" if far is None else f"{far.p_value:.3f}",
            ]

    def to_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "metric": self.metric,
            "test_set": self.test_set,
            "systems": [
                {
                    "name": system.name,
                    **system.values,
                    "interval": list(system.interval),
                    "difference": system.difference and system.difference._asdict(),
                }
                for system in self.systems
            ],
        }


def compare_systems(
    metric: Metric, gold: GoldSet, outputs: Sequence[SystemOutput], *, test_set: str
) -> Comparison:
    """Score several outputs and compare each with the first."""
    systems: list[ComparedSystem] = []
    first = None
    for output in outputs:
        gold.check_length(output.hypotheses, output.name)
        scored = score(metric, gold, output.hypotheses)
        values = scored.values()
        difference = None if first is None else compare(first, scored)
        first = first or scored
        systems.append(
            ComparedSystem(
                output.name, values, values[scored.headline], bootstrap(scored), difference
            )
        )
    assert first is not None, "at least one output"
    return Comparison(metric, first.headline, test_set, tuple(systems))
