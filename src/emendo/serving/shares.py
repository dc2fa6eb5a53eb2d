"""Shares the network's time among the callers who wait for it.

Each caller has a clock, which advances by the time that the network spends on his lines. The caller
whose clock is furthest behind is next (start-time fair queueing). Two rules keep the sentences of a
writer from being delayed by whole books: while much of a caller waits, his clock is faster; and a
caller who uses less than his share saves up a few seconds at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# With more callers than these, those who do not wait are forgotten.
_CALLERS = 1000
# Tokens that are more than a few paragraphs, and how much faster the clock is while they wait.
_MUCH, _FASTER = 2000, 4.0
# Seconds that can be saved up, and seconds about as long as a batch.
_SAVED, _BATCH = 2.0, 0.1


class Shares:
    """The clocks of all callers."""

    def __init__(self) -> None:
        self._clocks: dict[str, float] = {}
        self._now = 0.0
        self._chosen = ""

    def next(self, callers: Collection[str]) -> str:
        """Return the caller who is next; of several, the first.

        Args:
            callers: Those who wait, at least one.
        """
        for each in callers:
            # A new caller has saved up nothing.
            self._clocks.setdefault(each, self._now)
        self._chosen = min(callers, key=self._clock)
        self._now = max(self._now, self._clock(self._chosen))
        if len(self._clocks) > _CALLERS:
            self._clocks = {each: self._clock(each) for each in callers}
        return self._chosen

    def may_join(self, caller: str) -> bool:
        """Whether a caller's lines may be run with those of the caller who was chosen.

        They would delay them, so he must have used hardly more time.
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

    def _clock(self, caller: str) -> float:
        return max(self._now - _SAVED, self._clocks[caller])
