"""Shares the network's time among the callers that wait for it.

Each caller has a clock, which advances by the time that the network spends on its lines. The caller
whose clock is furthest behind is next. A common clock advances by an even share of that time: a
caller without a clock starts there, and no clock falls far behind it, so that time cannot be saved
up (weighted fair queueing). A caller's clock runs faster while more than a few paragraphs of it
wait, so that long documents delay the sentences of others less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# Above this many callers, those that do not wait are forgotten.
_CALLERS = 1000
# Tokens of a few paragraphs, and how much faster the clock runs while more of them wait.
_MUCH, _FASTER = 2000, 4.0
# Seconds that a clock may be behind the common one, and seconds that a batch takes, about.
_BEHIND, _BATCH = 0.2, 0.1


class Shares:
    """The clocks of all callers."""

    def __init__(self) -> None:
        self._clocks: dict[str, float] = {}
        self._now = 0.0
        self._waiting = 1
        self._chosen = ""

    def next(self, callers: Collection[str]) -> str:
        """Return the caller that is next; of several, the first.

        Args:
            callers: Those that wait, at least one.
        """
        self._waiting = len(set(callers))
        self._chosen = min(callers, key=self._clock)
        self._now = max(self._now, self._clock(self._chosen))
        if len(self._clocks) > _CALLERS:
            self._clocks = {each: self._clock(each) for each in callers}
        return self._chosen

    def may_join(self, caller: str) -> bool:
        """Whether a caller's lines may be run with those of the caller that was chosen.

        They delay them, so it must have used hardly more time.
        """
        return self._clock(caller) <= self._clock(self._chosen) + _BATCH

    def spend(self, seconds: float, costs: Mapping[str, int], waiting: Mapping[str, int]) -> None:
        """Advance the clocks of callers whose lines ran together.

        Args:
            seconds: The time that they took.
            costs: The tokens of each caller.
            waiting: The tokens of each caller that still wait.
        """
        whole = sum(costs.values())
        for caller, cost in costs.items():
            speed = _FASTER if waiting.get(caller, 0) > _MUCH else 1.0
            self._clocks[caller] = self._clock(caller) + speed * seconds * cost / whole
        self._now += seconds / self._waiting

    def _clock(self, caller: str) -> float:
        return max(self._now - _BEHIND, self._clocks.get(caller, 0.0))
