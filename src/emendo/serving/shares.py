"""Shares the network's time among the callers that wait for it.

The caller that has used the least time is next, and used time halves every ten seconds. So a
caller that sends a sentence now and then hardly waits for one that sends all the time. Callers that
send all the time have equal shares. A new caller starts slightly below the waiting caller that used
most, but not below an even share of all time: if it started at zero, many new callers would go
before all others, and a new caller with a long text would delay one that uses less than its share.
A caller that returns after fifteen seconds counts as new, so that it cannot use the time of a long
pause at once. A caller with more than a few paragraphs waiting is charged more for them, so that
long documents delay the sentences of others less.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

# Above this many callers, those that do not wait are forgotten.
_CALLERS = 1000
# A caller with more waiting tokens (a few paragraphs) is charged this many times as much.
_MUCH, _DEARER = 2000, 4.0
# Seconds in which used time halves, and after which a caller that did not wait counts as new.
_HALF, _NEW = 10.0, 15.0
# What a caller that uses the network all the time has used.
_ALL = _HALF / math.log(2)
# Seconds by which a new caller's used time is below that of the caller that used most, so that its
# first sentence is next, and about how many seconds a batch takes.
_HEAD_START, _BATCH = 0.2, 0.1


class _Used(NamedTuple):
    seconds: float
    at: float

    def by(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / _HALF)


class Shares:
    """The time that each caller has used."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no callers.

        Args:
            clock: Returns the current time in seconds.
        """
        self._clock = clock
        self._used: dict[str, _Used] = {}
        self._chosen = ""

    def next(self, callers: Collection[str]) -> str:
        """Return the caller that is next, or the first of several with the same time.

        Args:
            callers: Those that wait, at least one.
        """
        now = self._clock()
        waiting = dict.fromkeys(callers)
        used = {
            caller: found.by(now)
            for caller in waiting
            if (found := self._used.get(caller)) and now - found.at < _NEW
        }
        start = max(0.0, max((_ALL / len(waiting), *used.values())) - _HEAD_START)
        used = {caller: used.get(caller, start) for caller in waiting}
        if len(self._used) > _CALLERS:
            self._used = {}
        self._used |= {caller: _Used(seconds, now) for caller, seconds in used.items()}
        self._chosen = min(used, key=used.__getitem__)
        return self._chosen

    def may_join(self, caller: str) -> bool:
        """Whether a caller's lines may be run with those of the caller that was chosen.

        Lines that join delay the chosen caller, so their caller must have used hardly more time.

        Args:
            caller: One of those that wait.
        """
        return self._used[caller].seconds <= self._used[self._chosen].seconds + _BATCH

    def spend(self, seconds: float, costs: Mapping[str, int], waiting: Mapping[str, int]) -> None:
        """Charge the callers whose lines ran together.

        Args:
            seconds: The time that they took.
            costs: The tokens of each caller.
            waiting: The tokens that still wait, for each caller.
        """
        now = self._clock()
        whole = sum(costs.values())
        for caller, cost in costs.items():
            price = _DEARER if waiting.get(caller, 0) > _MUCH else 1.0
            before = self._used.get(caller, _Used(0.0, now)).by(now)
            self._used[caller] = _Used(before + price * seconds * cost / whole, now)
